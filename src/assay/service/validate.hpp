#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {

/// Which document of the schema.
enum class DocumentKind : std::uint8_t { definition, workload, solution, trace };

[[nodiscard]] std::optional<DocumentKind> parse_document_kind(std::string_view text);

/// What the schema says about one document.
struct Validation {
  std::vector<task::Problem> problems;  ///< Empty: accepted. Pointers of a JSONL line start with its number.
  std::string normalised;  ///< JSON text of the normal form; empty if refused. One line a document of a JSONL file.
  std::size_t documents = 1;
  [[nodiscard]] bool accepted() const { return problems.empty(); }
};

/// Checks a document, or each line of a JSONL file of workloads or traces. Text that is no JSON is a problem of the
/// document, not an error.
[[nodiscard]] Validation validate(DocumentKind kind, std::string_view text, std::string_view source);

/// Encodes as {"accept", "errors": [{"pointer", "message"}], "normalized"}; normalized is null if refused, a list for
/// several documents.
[[nodiscard]] base::Json encode(const Validation& validation);

/// Reads a file, or stdin if `path` is "-".
[[nodiscard]] base::Result<std::string> read_document(const std::string& path);

}  // namespace assay::service
