#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>

namespace assay::task {

/// "flashinfer-bench" and "flashinfer"; persisted in scripts of users: they never change.
[[nodiscard]] std::string_view to_string(Dialect dialect);
[[nodiscard]] std::optional<Dialect> parse_dialect(std::string_view text);

/// What a dialect has words for; the first 11 dtypes and the first 5 languages are both dialects'.
[[nodiscard]] std::vector<std::string_view> dtype_words(Dialect dialect);
[[nodiscard]] std::span<const std::string_view> language_words(Dialect dialect);

/// A dialect and the sentence that tells people why it was taken.
struct DetectedDialect {
  Dialect dialect = Dialect::flashinfer_bench;
  std::string reason;
};

/// Tells the dialect of a document from what is in it: anything that only FlashInfer writes makes it FlashInfer's; a
/// document that both dialects read is flashinfer-bench's. A missing reference, and a constant without a value, count only
/// beside the tag "fi_api:…" that FlashInfer always writes. Looks at names and types alone, so that a document with
/// faults gets an answer too.
[[nodiscard]] DetectedDialect detect_definition_dialect(const base::Json& json);
[[nodiscard]] DetectedDialect detect_solution_dialect(const base::Json& json);

/// Returns everything in a value that a dialect has no words for, each with its place and remedy; empty: it can be
/// written in that dialect without loss.
[[nodiscard]] std::vector<Problem> inexpressible(const Definition& definition, Dialect dialect);
[[nodiscard]] std::vector<Problem> inexpressible(const Solution& solution, Dialect dialect);

/// The dialect in which a value is written unless one is asked for: flashinfer-bench's if that can express it.
[[nodiscard]] Dialect dialect_of(const Definition& definition);
[[nodiscard]] Dialect dialect_of(const Solution& solution);

/// Encodes in the normal form of one dialect, or says what stands in the way ("schema.dialect").
[[nodiscard]] base::Result<base::Json> encode_as(const Definition& definition, Dialect dialect);
[[nodiscard]] base::Result<base::Json> encode_as(const Solution& solution, Dialect dialect);

}  // namespace assay::task
