#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/dataset/dataset.hpp>

namespace assay::dataset {

/// Whether a dataset must have the safetensors files that its workloads name. `optional`: a definition may have none of
/// them, and then its inputs are generated; some without the others are a download that is not complete.
enum class BlobDemand : std::uint8_t { optional, required };

/// What there is for one definition, and what is wrong with it.
struct DefinitionCheck {
  std::string name;
  std::string op_type;  ///< Empty if the definition cannot be read.
  std::size_t workloads = 0;
  std::size_t solutions = 0;
  std::size_t blobs_named = 0;    ///< Files, over all workloads.
  std::size_t blobs_present = 0;  ///< Files that are there, good or not.
  std::size_t lengths_from_blobs = 0;
  std::size_t lengths_from_file = 0;
  std::size_t lengths_generated = 0;
  std::vector<base::Error> problems;
};

struct DatasetCheck {
  os::Path root;
  std::vector<DefinitionCheck> definitions;  ///< Sorted by name.
  std::vector<base::Error> problems;         ///< Of no one definition.

  [[nodiscard]] std::size_t problem_count() const;
  /// 0 if nothing is wrong; else what a program should end with: 2 if the dataset is to blame, 3 if only the machine
  /// is.
  [[nodiscard]] int exit_code() const;
};

/// Reads everything in a dataset: definitions, workloads, lengths, solutions, and the headers of all safetensors files.
/// What is wrong is collected, never the end of it.
[[nodiscard]] DatasetCheck check_dataset(const Dataset& dataset, BlobDemand demand);

}  // namespace assay::dataset
