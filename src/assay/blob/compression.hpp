#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>

namespace assay::blob {

/// The most that one blob may hold, so that a hostile or damaged file cannot make us allocate without bound.
inline constexpr std::uint64_t kMostContentBytes = std::uint64_t{1} << 30U;

/// Compresses into one zstd frame (level 3) that records its content's size and a checksum. Content above
/// kMostContentBytes is an input error.
[[nodiscard]] base::Result<std::string> compress(std::string_view content);

/// Returns a frame's content. Anything but exactly one whole frame that records its size is an environment
/// error
/// ("blob.corrupt"), as is one whose size is above `limit`: nothing is allocated before that is known.
[[nodiscard]] base::Result<std::string> decompress(std::string_view frame, std::uint64_t limit = kMostContentBytes);

/// Reads the size of the content from the start of a frame (18 bytes are enough), without decompressing.
[[nodiscard]] base::Result<std::uint64_t> content_size(std::string_view frame_start);

/// Bytes at the start of a frame that content_size needs at most (the zstd frame header).
inline constexpr std::size_t kFrameHeaderBytes = 18;

}  // namespace assay::blob
