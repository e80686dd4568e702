#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>

namespace assay::dataset {

/// Where a workload's lengths come from.
enum class LengthsSource : std::uint8_t {
  none,       ///< The operator has no rows or sequences of different lengths.
  blob,       ///< A safetensors file of the dataset.
  file,       ///< The dataset's folder `lengths/`.
  generated,  ///< Nothing is known: the operator's generator derives them from the uuid.
};

/// One line of a workloads file.
struct DatasetWorkload {
  task::Workload workload;
  std::size_t line = 0;  ///< From 1.
  LengthsSource lengths = LengthsSource::none;
};

/// A workloads file with everything that is wrong with it: one input error a bad line.
struct WorkloadFile {
  std::vector<DatasetWorkload> workloads;  ///< The good ones, in the order of the file.
  std::vector<base::Error> problems;
};

/// Reads a workloads file and checks each line against the definition. Only a file that cannot be read is an error of
/// the call; a bad line, a uuid that comes twice, and a file without workloads are among the problems.
[[nodiscard]] base::Result<WorkloadFile> read_workload_file(const os::Path& path, const task::Definition& definition);

}  // namespace assay::dataset
