#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>

namespace assay::os {

/// What the holder of a received descriptor may do with the memory behind it.
enum class PeerAccess : std::uint8_t {
  read_only,  ///< F_SEAL_FUTURE_WRITE: a peer can neither map it writable nor write() to it; we still can.
  read_write,
};

/// Memory of at most this size has all its pages from the start, so that no call waits for one. Larger memory, such as a
/// cache of which a call reads a few pages, gets a page when it is first written or read.
inline constexpr std::size_t kLargestPresent = std::size_t{256} << 20U;

/// Owns an anonymous memory file (memfd) and our writable mapping of it. Always sealed against shrinking and
/// growing, so that no peer can make our reads fault.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Creates `size` zero bytes (size > 0). `name` shows in /proc and must tell the candidate nothing.
  enum class Pages : std::uint8_t {
    usual,  ///< As kLargestPresent says.
    when_touched,
  };
  [[nodiscard]] static base::Result<SharedMemory> create(const std::string& name, std::size_t size, PeerAccess access,
                                                         Pages pages = Pages::usual);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Fd& fd() const { return fd_; }
  /// The parts of the first `size` bytes that have pages, in order; the rest is zeros that nobody has touched. All of it
  /// where the kernel cannot tell. Reading the rest would give it pages.
  [[nodiscard]] std::vector<std::span<const std::byte>> present(std::size_t size) const;

 private:
  Fd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Creates a memory file with this content, sealed against every change: what was hashed is what is loaded.
[[nodiscard]] base::Result<Fd> sealed_copy(const std::string& name, std::span<const std::byte> content);

/// A mapping of memory that someone else owns, between two inaccessible guard regions of `guard` bytes each
/// (whole pages); pages as kLargestPresent says.
class Mapping {
 public:
  enum class Access : std::uint8_t { read_only, read_write };
  Mapping() = default;
  [[nodiscard]] static base::Result<Mapping> map(const Fd& fd, std::size_t size, Access access, std::size_t guard);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t guard() const { return guard_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t guard_ = 0;
};

}  // namespace assay::os
