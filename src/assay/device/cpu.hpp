#pragma once

#include <memory>
#include <string>
#include <vector>

#include <assay/device/device.hpp>

namespace assay::device {

/// Describes the processor: model, cores that we may use, caches; for people and the fingerprint.
struct Processor {
  std::string model;
  std::vector<int> allowed_cpus;
  std::string features_sha256;  ///< Of the feature flags: what -march=native depends on.
  std::string kernel;
};

[[nodiscard]] Processor describe_processor();

/// Removes lines from all caches: clflush where the processor has it (x86-64), else by reading `bytes` of other memory
/// larger than the last-level cache.
void evict_from_caches(std::span<const std::byte> bytes);

/// The CPU. The judge keeps to the first allowed CPU. Workers may use the others if there are at least four; on fewer
/// they may use all, since the judge sleeps while a call runs.
[[nodiscard]] std::unique_ptr<Device> make_cpu();

}  // namespace assay::device
