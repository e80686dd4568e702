#pragma once

#include <vector>

#include <assay/task/codec.hpp>

namespace assay::task {

/// Returns everything that keeps a definition from being run, though it can be read and written: a constant without a
/// value, a shape that names an axis that is not there, a tensor or a required scalar whose type has no storage, an
/// output that is written over an input of another shape or type, no outputs. Only FlashInfer's dialect has such
/// definitions. A missing reference is none: a known operator needs no Python.
[[nodiscard]] std::vector<Problem> obstacles(const Definition& definition);

/// The same for a workload of it: optional inputs that it leaves out, for which Assay's calling interface has no word.
/// Pointers are the workload's.
[[nodiscard]] std::vector<Problem> obstacles(const Definition& definition, const Workload& workload);

/// Turns the obstacles of both into one input error with code "definition.not_runnable", if there are any.
[[nodiscard]] base::Result<void> check_runnable(const Definition& definition, const std::vector<Workload>& workloads);

}  // namespace assay::task
