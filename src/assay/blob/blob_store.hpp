#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::blob {

/// Keeps contents under their SHA-256 in a folder, each in a file of its own, compressed. A blob never
/// changes, so any number of processes may read and write one store at once without locks, and dying at any
/// moment leaves at worst a temporary. The layout is persisted and never changes:
///
///     <root>/objects/ab/cdef….zst    one zstd frame; the name is the digest of the uncompressed content
class BlobStore {
 public:
  /// Opens a store, creating its folders if needed.
  [[nodiscard]] static base::Result<BlobStore> open(os::Path root);

  /// Stores a content and returns its address. One that is there already is not written again, unless its
  /// file is visibly damaged (empty, or not of this content's size), which mends it.
  [[nodiscard]] base::Result<base::Digest> put(std::string_view content,
                                               os::Durability durability = os::Durability::process);

  /// Returns a content, verified. An unknown digest is an input error ("blob.not_found"); a file that does
  /// not hold what its name says is an environment error ("blob.corrupt") that names the file and the remedy.
  [[nodiscard]] base::Result<std::string> get(const base::Digest& digest) const;

  /// Reads a blob completely and returns the digest of what it holds, which is `digest`, or the error of
  /// get().
  [[nodiscard]] base::Result<base::Digest> verify(const base::Digest& digest) const;

  /// Tells whether there is a file for the digest; does not look inside.
  [[nodiscard]] bool contains(const base::Digest& digest) const;

  /// Returns the size of the uncompressed content, from the file's header alone.
  [[nodiscard]] base::Result<std::uint64_t> size_bytes(const base::Digest& digest) const;

  /// Lists every digest, sorted. Files that are not named like blobs are ignored.
  [[nodiscard]] base::Result<std::vector<base::Digest>> list() const;

  /// Deletes a blob; one that is not there is fine.
  [[nodiscard]] base::Result<void> remove(const base::Digest& digest);

  /// Deletes the temporaries of writers that died, and returns their number. Those younger than `older_than`
  /// may belong to a writer that lives, and stay.
  [[nodiscard]] base::Result<std::size_t> remove_stale_temporaries(std::chrono::seconds older_than);

  /// Returns the file that holds (or would hold) a blob: for messages, and for carrying stores about.
  [[nodiscard]] os::Path path_of(const base::Digest& digest) const;

  [[nodiscard]] const os::Path& root() const { return root_; }

 private:
  explicit BlobStore(os::Path root) : root_(std::move(root)) {}
  [[nodiscard]] base::Result<std::vector<os::Path>> folders() const;

  os::Path root_;
};

}  // namespace assay::blob
