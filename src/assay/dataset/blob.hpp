#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file_stream.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>
#include <assay/tensor/safetensors.hpp>

namespace assay::dataset {

/// Names one input of a workload in error messages.
struct BlobUse {
  std::string uuid;
  std::string input;
};

/// An opened safetensors file of a dataset: its header, and the file to read tensors from.
struct Blob {
  os::FileReader file;
  tensor::SafetensorsHeader header;
};

/// Whether something lies where a safetensors input says. A path that leads out of the dataset names nothing.
[[nodiscard]] bool blob_exists(const os::Path& root, const task::SafetensorsInput& place);

/// Opens the file of a safetensors input. Input errors, each of which names the file, the workload, the JSON pointer
/// and the remedy: "blob.path" (it leads out of the dataset), "blob.missing", "blob.lfs_pointer" (what Git left in
/// place of the file), "blob.damaged" (truncated, or no safetensors).
[[nodiscard]] base::Result<Blob> open_blob(const os::Path& root, const BlobUse& use,
                                           const task::SafetensorsInput& place);

/// Finds the tensor of an input: "blob.key" (there is none of this name), "blob.dtype" or "blob.shape" (it is not what
/// the definition says of these axes).
[[nodiscard]] base::Result<const tensor::SafetensorsEntry*> find_tensor(const Blob& blob, const BlobUse& use,
                                                                        const task::SafetensorsInput& place,
                                                                        const task::TensorSpec& spec,
                                                                        const task::AxisValues& axes);

/// Reads the bytes of one tensor.
[[nodiscard]] base::Result<std::vector<std::byte>> read_tensor(const Blob& blob, const tensor::SafetensorsEntry& entry);

/// How many of the files that a workload names there are, and what is wrong with them.
struct BlobCheck {
  std::size_t named = 0;
  std::size_t present = 0;
  std::vector<base::Error> missing;
  std::vector<base::Error> problems;
};

/// Checks all files of one workload by their headers. `axes` are the workload's, resolved.
[[nodiscard]] BlobCheck check_blobs(const os::Path& root, const task::Definition& definition,
                                    const task::Workload& workload, const task::AxisValues& axes);

}  // namespace assay::dataset
