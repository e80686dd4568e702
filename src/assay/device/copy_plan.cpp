#include <assay/device/copy_plan.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/device/scaled_bfloat16.hpp>

namespace assay::device {

namespace {

// Fewer bytes are copied in less time than threads are started.
constexpr std::size_t kBytesAThread = std::size_t{1} << 20U;

template <class T>
T read(const std::byte* from) {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

Pool::Pool(std::span<const std::byte> bytes) : bytes_(bytes) {
  static std::atomic<std::uint64_t> last{0};
  number_ = ++last;
  ASSAY_CHECK(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
}

void CopyPlan::clear() {
  left_.clear();
  pieces_.clear();
  patches_.clear();
  masks_.clear();
  literals_.clear();
  by_place_.clear();
}

void CopyPlan::leave(std::span<std::byte> tensor) { left_.push_back(tensor); }

void CopyPlan::add(std::span<std::byte> to, const Piece& piece) {
  if (to.empty()) {
    return;
  }
  ASSAY_CHECK(to.size() <= std::numeric_limits<std::uint32_t>::max());
  pieces_.push_back(piece);
  pieces_.back().to = to.data();
  pieces_.back().bytes = static_cast<std::uint32_t>(to.size());
}

void CopyPlan::copy(std::span<std::byte> to, const Pool& pool, std::size_t at) {
  ASSAY_CHECK(at + to.size() <= pool.bytes().size());
  add(to, {.pool = &pool, .at = static_cast<std::uint32_t>(at)});
}

void CopyPlan::flip(std::span<std::byte> to, const Pool& pool, std::size_t at, std::span<const std::byte> mask) {
  ASSAY_CHECK(at + to.size() <= pool.bytes().size() && !mask.empty() && mask.size() % 4 == 0 && mask.size() < 65536);
  add(to, {.pool = &pool,
           .at = static_cast<std::uint32_t>(at),
           .mask = static_cast<std::uint32_t>(masks_.size()),
           .mask_bytes = static_cast<std::uint16_t>(mask.size()),
           .kind = Kind::flip});
  masks_.insert(masks_.end(), mask.begin(), mask.end());
}

void CopyPlan::zero(std::span<std::byte> to) { add(to, {.kind = Kind::zero}); }

void CopyPlan::scale_float32(std::span<std::byte> to, const Pool& pool, std::size_t at, float factor) {
  ASSAY_CHECK(at + to.size() <= pool.bytes().size() && at % 4 == 0 && to.size() % 4 == 0);
  add(to, {.pool = &pool, .at = static_cast<std::uint32_t>(at), .kind = Kind::scale_float32, .factor = factor});
}

void CopyPlan::scale_bfloat16(std::span<std::byte> to, const Pool& pool, std::size_t at, float factor) {
  ASSAY_CHECK(at + 2 * to.size() <= pool.bytes().size() && at % 4 == 0 && to.size() % 4 == 0);
  add(to, {.pool = &pool, .at = static_cast<std::uint32_t>(at), .kind = Kind::scale_bfloat16, .factor = factor});
}

std::span<CopyPlan::Piece> CopyPlan::append(std::size_t count) {
  const std::size_t before = pieces_.size();
  pieces_.resize(before + count);
  return std::span(pieces_).subspan(before);
}

void CopyPlan::set(std::span<std::byte> to, std::span<const std::byte> bytes) {
  ASSAY_CHECK(to.size() == bytes.size());
  const bool is_left = std::any_of(left_.begin(), left_.end(), [&](std::span<std::byte> tensor) {
    return to.data() >= tensor.data() && to.data() + to.size() <= tensor.data() + tensor.size();
  });
  if (!is_left) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
    return;
  }
  patches_.push_back({to.data(), bytes.size(), literals_.size()});
  literals_.insert(literals_.end(), bytes.begin(), bytes.end());
}

void CopyPlan::run(const Piece& piece) const {
  const std::byte* from = piece.pool == nullptr ? nullptr : piece.pool->bytes().data() + piece.at;
  switch (piece.kind) {
    case Kind::copy:
      std::memcpy(piece.to, from, piece.bytes);
      return;
    case Kind::flip: {
      const std::byte* mask = masks_.data() + piece.mask;
      for (std::size_t i = 0; i < piece.bytes; i += piece.mask_bytes) {
        const std::size_t end = std::min<std::size_t>(piece.mask_bytes, piece.bytes - i);
        for (std::size_t j = 0; j < end; ++j) {
          piece.to[i + j] = from[i + j] ^ mask[j];
        }
      }
      return;
    }
    case Kind::zero:
      std::memset(piece.to, 0, piece.bytes);
      return;
    case Kind::scale_float32:
      for (std::size_t i = 0; i < piece.bytes; i += sizeof(float)) {
        const float value = piece.factor * read<float>(from + i);
        std::memcpy(piece.to + i, &value, sizeof value);
      }
      return;
    case Kind::scale_bfloat16:
      for (std::size_t i = 0; i < piece.bytes; i += sizeof(std::uint16_t)) {
        const std::uint16_t bits = scaled_bfloat16(read<float>(from + 2 * i), piece.factor);
        std::memcpy(piece.to + i, &bits, sizeof bits);
      }
      return;
  }
}

void CopyPlan::need(std::span<const std::byte> bytes) {
  const std::byte* const begin = bytes.data();
  const std::byte* const end = begin + bytes.size();
  if (by_place_.size() != pieces_.size()) {
    by_place_.resize(pieces_.size());
    std::iota(by_place_.begin(), by_place_.end(), 0U);
    std::sort(by_place_.begin(), by_place_.end(),
              [&](std::uint32_t x, std::uint32_t y) { return pieces_[x].to < pieces_[y].to; });
  }
  auto at = std::partition_point(by_place_.begin(), by_place_.end(), [&](std::uint32_t piece) {
    return pieces_[piece].to + pieces_[piece].bytes <= begin;
  });
  std::byte* low = nullptr;  // What was written: patches in there are written again.
  std::byte* high = nullptr;
  for (; at != by_place_.end() && pieces_[*at].to < end; ++at) {
    const Piece& piece = pieces_[*at];
    run(piece);
    low = low == nullptr ? piece.to : low;
    high = piece.to + piece.bytes;
  }
  for (const Patch& patch : patches_) {
    if (patch.to < high && patch.to + patch.bytes > low) {
      std::memcpy(patch.to, literals_.data() + patch.at, patch.bytes);
    }
  }
}

void CopyPlan::replay() const {
  std::vector<std::size_t> starts = {0};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    bytes += pieces_[i].bytes;
    if (bytes >= kBytesAThread) {
      starts.push_back(i + 1);
      bytes = 0;
    }
  }
  if (starts.back() != pieces_.size()) {
    starts.push_back(pieces_.size());
  }
  base::parallel_for(starts.size() - 1, [&](std::size_t part) {
    for (std::size_t i = starts[part]; i < starts[part + 1]; ++i) {
      run(pieces_[i]);
    }
  });
  for (const Patch& patch : patches_) {
    std::memcpy(patch.to, literals_.data() + patch.at, patch.bytes);
  }
}

void CopyPlan::settle() {
  replay();
  clear();
}

}  // namespace assay::device
