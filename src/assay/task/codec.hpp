#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/trace.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// Which dialect of the schema a document is in: `flashinfer_bench` is what flashinfer-bench reads, `flashinfer` the
/// newer one that FlashInfer itself writes (docs/dialects.md). task/dialect.hpp tells one from the other.
enum class Dialect : std::uint8_t { flashinfer_bench, flashinfer };

/// One fault of a document: where (a JSON pointer, "" is the whole), and what with the remedy.
struct Problem {
  std::string pointer;
  std::string message;
};

/// A decoded document, or everything that is wrong with it (never both empty-handed).
template <class T>
struct Decoded {
  std::optional<T> value;
  std::vector<Problem> problems;
};

[[nodiscard]] Decoded<Definition> decode_definition(const base::Json& json,
                                                    Dialect dialect = Dialect::flashinfer_bench);
[[nodiscard]] Decoded<Workload> decode_workload(const base::Json& json, Dialect dialect = Dialect::flashinfer_bench);
[[nodiscard]] Decoded<Solution> decode_solution(const base::Json& json, Dialect dialect = Dialect::flashinfer_bench);
[[nodiscard]] Decoded<Trace> decode_trace(const base::Json& json, Dialect dialect = Dialect::flashinfer_bench);

/// Encode in the schema's normal form: every field present, null where it is absent, in the schema's order. What only
/// FlashInfer's dialect can say is written in that dialect's normal form: its order, absent fields left out.
[[nodiscard]] base::Json encode(const Definition& definition);
[[nodiscard]] base::Json encode(const Workload& workload);
[[nodiscard]] base::Json encode(const Solution& solution);
[[nodiscard]] base::Json encode(const Trace& trace);

/// Turns problems into one input error: "FILE: /inputs/q/dtype: …; and 2 more".
[[nodiscard]] base::Error problems_error(std::string_view source, const std::vector<Problem>& problems);

/// Reads and decodes one file, in whichever dialect it is. Errors name the file, the JSON pointer and the remedy.
[[nodiscard]] base::Result<Definition> load_definition(const std::string& text, std::string_view source);
[[nodiscard]] base::Result<Solution> load_solution(const std::string& text, std::string_view source);

}  // namespace assay::task
