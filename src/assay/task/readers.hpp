#pragma once

#include <assay/task/decoder.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/trace.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// Readers of the schema's four objects at any place of a document; a request embeds them. Faults go to the node.
/// Without a dialect it is told from the document.
[[nodiscard]] Definition read_definition(const Node& node);
[[nodiscard]] Definition read_definition(const Node& node, Dialect dialect);
[[nodiscard]] Workload read_workload(const Node& node);
/// Reads a workload as Assay's own documents carry it: with its lengths, where it has any.
[[nodiscard]] Workload read_carried_workload(const Node& node);
[[nodiscard]] base::Json encode_carried(const Workload& workload);
[[nodiscard]] Solution read_solution(const Node& node);
[[nodiscard]] Solution read_solution(const Node& node, Dialect dialect);
[[nodiscard]] Trace read_trace(const Node& node);

/// Encode in the normal form of one dialect, which must be able to express the value (see inexpressible).
[[nodiscard]] base::Json encode_definition(const Definition& definition, Dialect dialect);
[[nodiscard]] base::Json encode_solution(const Solution& solution, Dialect dialect);

/// Returns everything that is wrong with a workload under its definition (see check_workload); pointers are relative.
[[nodiscard]] std::vector<Problem> workload_problems(const Definition& definition, const Workload& workload);

}  // namespace assay::task
