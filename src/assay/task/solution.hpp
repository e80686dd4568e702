#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

enum class Language : std::uint8_t { python, triton, cpp, cuda, tilelang };
enum class Binding : std::uint8_t { tvm_ffi, torch };

[[nodiscard]] std::string_view to_string(Language language);
[[nodiscard]] std::string_view to_string(Binding binding);

struct SourceFile {
  std::string path;  ///< Relative, without "..", '/' as separator.
  std::string content;
};

struct BuildSpec {
  Language language = Language::cpp;
  std::vector<std::string> target_hardware;
  std::string entry_point;  ///< "file::symbol".
  std::vector<std::string> dependencies;
  bool destination_passing_style = true;
  std::optional<Binding> binding;
};

/// Assay's extension to the schema (under the key "assay", which other readers ignore): parameters that a tuner may
/// choose. Each is passed to the compiler as -D<NAME>=<value>.
struct Tuning {
  Named<std::vector<std::int64_t>> parameters;  ///< Name (a C identifier) to the values it may take; none empty.
  std::vector<std::string> constraints;         ///< Expressions over the parameters (task/expression.hpp), all true.
};

/// A candidate implementation, as in the FlashInfer-Trace schema, plus the extension.
struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  BuildSpec spec;
  std::vector<SourceFile> sources;
  std::optional<std::string> description;
  std::optional<Tuning> tuning;    ///< "assay": {"tuning": {"parameters": …, "constraints": […]}}
  Named<std::int64_t> parameters;  ///< "assay": {"parameters": {…}}: the values chosen; all of tuning's or none.

  [[nodiscard]] std::string entry_file() const;
  [[nodiscard]] std::string entry_symbol() const;
};

/// The names of one candidate, coarser from one to the next.
struct CandidateIdentity {
  base::Digest content;     ///< What decides the built object, byte for byte: sources, entry, language, parameters.
  base::Digest normalised;  ///< The same after comments and blank space were normalised in C and C++ sources.
  auto operator<=>(const CandidateIdentity&) const = default;
};

/// Computes both. Name, author and description do not count; each field is framed by its length; parameters and
/// sources are sorted.
[[nodiscard]] CandidateIdentity identify(const Solution& solution);

/// Removes comments and folds white space in C or C++ source, leaving string, character and raw string literals and
/// line structure of preprocessor directives alone. Never fails: unterminated constructs run to the end.
[[nodiscard]] std::string normalise_source(std::string_view source);

}  // namespace assay::task
