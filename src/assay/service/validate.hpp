#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/dialect.hpp>

namespace assay::service {

/// Which document of the schema.
enum class DocumentKind : std::uint8_t { definition, workload, solution, trace };

[[nodiscard]] std::optional<DocumentKind> parse_document_kind(std::string_view text);

/// What to check a document for.
struct ValidateOptions {
  DocumentKind kind = DocumentKind::definition;
  std::optional<task::Dialect> dialect;   ///< Nothing: told from each document.
  std::optional<task::Dialect> write_as;  ///< The dialect of the normal form; nothing: the document's own.
  /// What workloads and traces are checked against: axes, inputs, and the constraints as far as values are at hand.
  std::optional<task::Definition> definition;
};

/// What the schema says about one document.
struct Validation {
  std::vector<task::Problem> problems;  ///< Empty: accepted. Pointers of a JSONL line start with its number.
  /// What is no fault of the schema but must not go unseen: what keeps a definition from being run, and constraints that
  /// a workload violates or that were not evaluated.
  std::vector<task::Problem> notes;
  task::DetectedDialect dialect;  ///< As which dialect it was read, and why; of a JSONL file, its last line's.
  std::string normalised;  ///< JSON text of the normal form; empty if refused. One line a document of a JSONL file.
  std::size_t documents = 1;
  [[nodiscard]] bool accepted() const { return problems.empty(); }
};

/// Checks a document, or each line of a JSONL file of workloads or traces. Text that is no JSON is a problem of the
/// document, not an error; so is what cannot be written in the dialect asked for.
[[nodiscard]] Validation validate(const ValidateOptions& options, std::string_view text, std::string_view source);
[[nodiscard]] inline Validation validate(DocumentKind kind, std::string_view text, std::string_view source) {
  return validate(ValidateOptions{kind, std::nullopt, std::nullopt, std::nullopt}, text, source);
}

/// Encodes as {"accept", "dialect": {"name", "reason"}, "errors": [{"pointer", "message"}], "notes": [the same],
/// "normalized"}; normalized is null if refused, a list for several documents.
[[nodiscard]] base::Json encode(const Validation& validation);

/// Reads a file, or stdin if `path` is "-".
[[nodiscard]] base::Result<std::string> read_document(const std::string& path);

}  // namespace assay::service
