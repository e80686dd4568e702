#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/task/workload.hpp>

namespace assay::task {

/// A safetensors file that a workload names, with the inputs that lie in it.
struct BlobFile {
  std::string path;                 ///< Relative to the dataset's root, in one spelling: "./blob//a" is "blob/a".
  std::vector<std::string> inputs;  ///< Names, in the workload's order.
};

/// Returns the files that a workload names, in the order in which its inputs name them.
[[nodiscard]] std::vector<BlobFile> blob_files(const Workload& workload);

/// Returns where an input lies that blob_files named.
[[nodiscard]] const SafetensorsInput& blob_place(const Workload& workload, std::string_view input);

/// Returns why a safetensors input's path cannot be used, with the remedy: it must name a file inside the dataset.
[[nodiscard]] std::optional<std::string> blob_path_fault(std::string_view path);

/// Name that the n-th of a workload's blob files has in the bundle of a materialise request. Never changes.
[[nodiscard]] std::string bundled_blob_name(std::size_t index);

}  // namespace assay::task
