#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

/// The last three are of FlashInfer's dialect alone.
enum class Language : std::uint8_t { python, triton, cpp, cuda, tilelang, cutedsl, cutlass, cutile };
enum class Binding : std::uint8_t { tvm_ffi, torch };

[[nodiscard]] std::string_view to_string(Language language);
[[nodiscard]] std::string_view to_string(Binding binding);

/// How a CUDA solution's kernels are launched. Persisted as "host+device" and "device-only".
enum class Tier : std::uint8_t {
  host_and_device,  ///< By host code of its own, in the worker's process.
  device_only,  ///< By Assay's own code, as a plan among its sources says (task/launch_plan.hpp); it has no host code.
};
[[nodiscard]] std::string_view to_string(Tier tier);
[[nodiscard]] std::span<const std::string_view> tier_names();

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

/// The tier of a CUDA solution; nothing for other languages. It is device-only if the file of its entry point ends in
/// ".json": that is the plan.
[[nodiscard]] std::optional<Tier> tier_of(const Solution& solution);

/// The names of one candidate, coarser from one to the next.
struct CandidateIdentity {
  base::Digest content;     ///< What decides the built object, byte for byte: sources, entry, language, parameters.
  base::Digest normalised;  ///< The same after comments and blank space were normalised in C and C++ sources.
  auto operator<=>(const CandidateIdentity&) const = default;
};

/// Computes both; one source that sees its layout makes it count in all of a solution's, for macros reach across files.
/// Name, author and description do not count; each field is framed by its length; parameters and
/// sources are sorted.
[[nodiscard]] CandidateIdentity identify(const Solution& solution);

/// Computes the normalised digest as it was before blanks that keep no tokens apart stopped counting: archives of that
/// time hold it.
[[nodiscard]] base::Digest earlier_normalised(const Solution& solution);

/// What of its own layout C or C++ source can see: nothing, the blanks between tokens (a macro that makes text of its
/// argument, `#x`), or its lines (`__LINE__`, std::source_location).
enum class LayoutUse : std::uint8_t { none, blanks, lines };
[[nodiscard]] LayoutUse layout_use(std::string_view source);

/// Removes comments in C or C++ source, and blank space as far as the source cannot see it: with `none` only what keeps
/// two tokens apart stays, with `blanks` it is folded, and a comment is a blank; with `lines` nothing is changed. String,
/// character and raw string literals, and the lines and blanks of preprocessor directives, are left alone. Never fails:
/// unterminated constructs run to the end. Without `use` it is what the source itself does.
[[nodiscard]] std::string normalise_source(std::string_view source, LayoutUse use);
[[nodiscard]] std::string normalise_source(std::string_view source);

/// Returns the tokens of C or C++ source with blank space between them, comments and preprocessor directives left out and
/// literals emptied: what can be searched for a name that is used.
[[nodiscard]] std::string plain_code(std::string_view source);

}  // namespace assay::task
