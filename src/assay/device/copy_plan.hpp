#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::device {

/// Bytes that stay what they are, from which the contents of calls are cut. The number tells pools of one process apart,
/// so that a device can keep its own copy of each. The bytes are the caller's.
class Pool {
 public:
  Pool() = default;
  explicit Pool(std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t number_ = 0;
};

template <class T>
[[nodiscard]] Pool pool_of(const std::vector<T>& values) {
  return Pool(std::as_bytes(std::span(values)));
}

/// What a generator leaves to be done of a call's contents: pieces of an image that are cut from pools, each from one
/// place. They are done on the host (`settle`, `replay`) or, by a device that has the image's bytes elsewhere, there:
/// then they need not cross a bus. Pieces do not overlap; their order decides nothing. Pools outlive the plan's use.
class CopyPlan {
 public:
  enum class Kind : std::uint8_t {
    copy,
    flip,  ///< Copies, and flips the bits of a mask that is repeated.
    zero,
    scale_float32,   ///< A factor times the pool's float32 numbers.
    scale_bfloat16,  ///< The same, rounded to the nearest bfloat16 (even on ties).
  };
  /// `at`, `mask`: offsets in bytes, into the pool and into `masks()`.
  struct Piece {
    std::byte* to = nullptr;
    const Pool* pool = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t at = 0;
    std::uint32_t mask = 0;
    std::uint16_t mask_bytes = 0;
    Kind kind = Kind::copy;
    float factor = 0;
  };
  /// A few bytes that are written after all pieces, in their order. `at`: into `literals()`.
  struct Patch {
    std::byte* to = nullptr;
    std::size_t bytes = 0;
    std::size_t at = 0;
  };

  /// Forgets all of it.
  void clear();

  /// Leaves a tensor to the plan: only what pieces and patches write of it is new, and nothing else of it is looked at in
  /// the image. Pieces lie in such tensors.
  void leave(std::span<std::byte> tensor);
  void copy(std::span<std::byte> to, const Pool& pool, std::size_t at);
  void flip(std::span<std::byte> to, const Pool& pool, std::size_t at, std::span<const std::byte> mask);
  void zero(std::span<std::byte> to);
  void scale_float32(std::span<std::byte> to, const Pool& pool, std::size_t at, float factor);
  void scale_bfloat16(std::span<std::byte> to, const Pool& pool, std::size_t at, float factor);
  /// Room for so many pieces, to be filled by the caller, on several threads if he likes.
  [[nodiscard]] std::span<Piece> append(std::size_t count);
  /// Writes these bytes: after all pieces where they lie in a tensor that is left to the plan, else at once.
  void set(std::span<std::byte> to, std::span<const std::byte> bytes);

  /// Makes these bytes of the image what they shall be, so that they may be read there.
  void need(std::span<const std::byte> bytes);
  /// Makes all of the image what it shall be; the plan stays. On as many threads as the caller may use, if it is much.
  void replay() const;
  /// The same, and forgets the plan: from here on the image says it all, and may be written to anywhere.
  void settle();

  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] const std::vector<std::span<std::byte>>& left() const { return left_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  [[nodiscard]] const std::vector<std::byte>& masks() const { return masks_; }
  [[nodiscard]] const std::vector<std::byte>& literals() const { return literals_; }

 private:
  void add(std::span<std::byte> to, const Piece& piece);
  void run(const Piece& piece) const;

  std::vector<std::span<std::byte>> left_;
  std::vector<Piece> pieces_;
  std::vector<Patch> patches_;
  std::vector<std::byte> masks_;
  std::vector<std::byte> literals_;
  std::vector<std::uint32_t> by_place_;  ///< Pieces in ascending order of `to`, once `need` was asked.
};

}  // namespace assay::device
