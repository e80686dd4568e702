#pragma once

#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

namespace assay::evaluate {

/// Returns the SHA-256 of the program in `file`. A judge names itself and the worker in each verdict, and to read 12 MB
/// takes as long as all else that it does before it starts a worker; so the digest is kept in `cache`, beside all that one
/// would have to look at again: device, inode, size, and the times when content and inode last changed. Nothing is kept of
/// a file that changed within the last two seconds, because a further change could have the same time. An empty `cache`
/// keeps nothing.
[[nodiscard]] base::Result<base::Digest> program_digest(const os::Path& file, const os::Path& cache);

}  // namespace assay::evaluate
