#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/dataset/workload_file.hpp>
#include <assay/os/file.hpp>
#include <assay/task/definition.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::dataset {

/// The input that says how long rows or sequences are. Known by its name, one of three:
///
///   seq_lens        [rows]            a length each; at most max_num_pages * page_size, if the axes are there
///   cu_seqlens      [sequences + 1]   where each begins, and the end: 0, rising, total_seq_len if the axis is there
///   sparse_indices  [rows, most]      token ids, -1 where a row has no more; its length is how many there are
struct StructuralInput {
  enum class Kind : std::uint8_t { lengths, boundaries, indices };
  std::string name;
  Kind kind = Kind::lengths;
};

/// Returns the structural input of a definition: the first of those names that has the shape above and is int32 or
/// int64.
[[nodiscard]] std::optional<StructuralInput> structural_input(const task::Definition& definition);

/// Returns what is wrong with lengths under these axes (the workload's, resolved), as "[2] is -1, and …" or "are 3, but
/// …"; nullopt if nothing is. `input` is the definition's.
[[nodiscard]] std::optional<std::string> lengths_fault(const task::Definition& definition, const task::AxisValues& axes,
                                                       const StructuralInput& input,
                                                       std::span<const std::int64_t> lengths);

/// Takes the lengths from the contents of a structural input: little-endian integers of `dtype`, of the shape that the
/// definition says. Contents that break the rules above are an error text that follows the tensor's name.
[[nodiscard]] tl::expected<std::vector<std::int64_t>, std::string> lengths_of(const task::Definition& definition,
                                                                              const task::AxisValues& axes,
                                                                              const StructuralInput& input,
                                                                              std::span<const std::byte> contents);

/// Fills in `lengths` of all workloads: from the blob of the structural input if it is there (one that is bad is a
/// problem, never passed over), otherwise from `lengths_file`, otherwise they stay empty. Without a file pass an empty
/// path. Each line of the file is {"uuid": …, "lengths": […]}; a uuid that no workload has or that comes twice, a count
/// that the axes contradict and values out of range are problems, and so is a file for a definition without a
/// structural input. `root` is the dataset's.
void apply_lengths(const os::Path& root, const os::Path& lengths_file, const task::Definition& definition,
                   WorkloadFile& workloads);

}  // namespace assay::dataset
