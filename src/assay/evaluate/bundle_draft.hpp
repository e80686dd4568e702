#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::evaluate {

/// A result bundle (task/bundle.hpp) in the making, in a folder beside its place. It gets there when it is finished;
/// before that it vanishes with the object.
class BundleDraft {
 public:
  /// `bundle` must not exist.
  [[nodiscard]] static base::Result<BundleDraft> create(const os::Path& bundle);

  /// Where a file of this name is to be written.
  [[nodiscard]] os::Path path(const std::string& name) const { return draft_.path() / "bundle" / name; }
  /// Writes a file and records it for the manifest.
  [[nodiscard]] base::Result<void> add(const std::string& name, std::string_view content);
  /// Records a file that was written to path(name) and flushed to the disk.
  void record(const std::string& name, const base::Digest& digest, std::uint64_t bytes);
  /// Writes the manifest, flushes and renames.
  [[nodiscard]] base::Result<void> finish();

 private:
  struct Recorded {
    base::Digest digest;
    std::uint64_t bytes = 0;
  };
  BundleDraft(os::Path bundle, os::Path parent, os::TemporaryDirectory draft)
      : bundle_(std::move(bundle)), parent_(std::move(parent)), draft_(std::move(draft)) {}

  os::Path bundle_;
  os::Path parent_;
  os::TemporaryDirectory draft_;
  std::vector<std::pair<std::string, Recorded>> files_;
};

}  // namespace assay::evaluate
