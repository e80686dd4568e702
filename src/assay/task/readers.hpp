#pragma once

#include <assay/task/decoder.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/trace.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// Readers of the schema's four objects at any place of a document; a request embeds them. Faults go to the node.
[[nodiscard]] Definition read_definition(const Node& node);
[[nodiscard]] Workload read_workload(const Node& node);
/// Reads a workload as Assay's own documents carry it: with its lengths, where it has any.
[[nodiscard]] Workload read_carried_workload(const Node& node);
[[nodiscard]] base::Json encode_carried(const Workload& workload);
[[nodiscard]] Solution read_solution(const Node& node);
[[nodiscard]] Trace read_trace(const Node& node);

/// Returns everything that is wrong with a workload under its definition (see check_workload); pointers are relative.
[[nodiscard]] std::vector<Problem> workload_problems(const Definition& definition, const Workload& workload);

}  // namespace assay::task
