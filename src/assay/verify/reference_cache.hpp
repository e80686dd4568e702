#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/operators/operator.hpp>
#include <assay/os/file.hpp>

namespace assay::verify {

/// Keeps reference outputs on disk, one file a key, so that what is slow to compute (a reference in Python) is computed
/// once. Several processes may share a folder: files are renamed into place, and one that vanishes is a miss. What is
/// read is held against a digest of the content and the key; a file that does not agree is removed and counts as a
/// miss.
class ReferenceCache {
 public:
  /// Uses `folder`, which is created when something is stored, and keeps at most about `limit_bytes` in it.
  ReferenceCache(os::Path folder, std::uint64_t limit_bytes);

  /// Returns the outputs of a key and marks them as used now.
  [[nodiscard]] std::optional<std::vector<operators::ExpectedValues>> load(const base::Digest& key) const;
  /// Writes the outputs of a key, then removes what was not used for longest until the limit is kept. What is larger
  /// than the limit by itself is not kept.
  [[nodiscard]] base::Result<void> store(const base::Digest& key,
                                         std::span<const operators::ExpectedValues> outputs) const;

 private:
  [[nodiscard]] base::Result<void> trim() const;

  os::Path folder_;
  std::uint64_t limit_bytes_;
};

}  // namespace assay::verify
