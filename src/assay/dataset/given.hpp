#pragma once

#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>

namespace assay::dataset {

/// Fills in `given` of workloads whose safetensors files the dataset has: where the bytes of each such input lie, and
/// their digest. A workload none of whose files is there is left alone: its inputs are generated. One that has some of
/// them, and a file that is bad, are the errors of open_blob and find_tensor. Reads all of these files.
[[nodiscard]] base::Result<void> find_given(const os::Path& root, const task::Definition& definition,
                                            std::vector<task::Workload>& workloads);

}  // namespace assay::dataset
