#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Whether files that are there already are written anew.
enum class Existing : std::uint8_t { keep, replace };

struct MaterialiseOptions {
  std::string definition;  ///< Empty: all whose workloads name safetensors files.
  std::string workload;    ///< A uuid, or the beginning of one that is unambiguous; empty: all.
  std::uint64_t seed = 0;
  std::string output;  ///< The folder that the files' paths are relative to; empty: the dataset's.
  Existing existing = Existing::keep;
};

/// One file that was written.
struct MaterialisedFile {
  std::string definition;
  std::string uuid;  ///< The workload's.
  std::string path;  ///< Relative to the report's folder.
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct MaterialiseReport {
  os::Path folder;
  std::uint64_t seed = 0;
  std::vector<MaterialisedFile> files;
  std::size_t kept = 0;  ///< Files that were there and stayed as they were.
};

/// Writes the safetensors files that workloads name, with contents that the judge generates from the seed and the
/// workload's uuid. One workload at a time: a file appears whole or not at all, one that is there already stays unless
/// it is to be replaced, and what was finished before an error stays. Input errors: nothing to write, a file that two
/// workloads name, a path that leads out of the dataset; environment: a disk that has not room for all of them.
[[nodiscard]] base::Result<MaterialiseReport> materialise(const Context& context, const MaterialiseOptions& options);

[[nodiscard]] base::Json encode(const MaterialiseReport& report);

}  // namespace assay::service
