#include <assay/verify/sampled_content.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/tensor/view.hpp>

namespace assay::verify {

SampledContent::SampledContent(const Layout& layout, std::span<const std::byte> memory, base::Philox& random)
    : layout_(&layout), memory_(memory) {
  std::size_t total = 0;
  for (const Place& place : layout.outputs) {
    total += place.bytes / 4;
  }
  for (const Place& place : layout.outputs) {
    const std::size_t available = place.bytes / 4;  // Places begin at 64-byte boundaries.
    const std::size_t share = total <= kWords ? available : std::max<std::size_t>(1, kWords * available / total);
    for (std::size_t i = 0; i < std::min(share, available); ++i) {
      const std::size_t at = place.offset / 4 + (total <= kWords ? i : random.next_below(available));
      words_.push_back({static_cast<std::uint32_t>(at), read(static_cast<std::uint32_t>(at))});
    }
  }
}

std::uint32_t SampledContent::read(std::uint32_t offset_words) const {
  std::uint32_t value = 0;
  std::memcpy(&value, memory_.data() + std::size_t{offset_words} * 4, sizeof value);
  return value;
}

std::optional<SampledContent::Change> SampledContent::changed() const {
  for (const Word& word : words_) {
    if (read(word.offset_words) == word.value) {
      continue;
    }
    const std::size_t offset = std::size_t{word.offset_words} * 4;
    for (const Place& place : layout_->outputs) {
      if (offset >= place.offset && offset < place.offset + place.bytes) {
        const std::size_t size = std::max<std::size_t>(1, tensor::byte_size(place.dtype, 1));
        return Change{&place, (offset - place.offset) / size};
      }
    }
  }
  return std::nullopt;
}

std::uint64_t content_digest(std::span<const std::byte> bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  constexpr std::size_t kLanes = 4;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio: an odd multiplier is a bijection.
  std::vector<std::uint64_t> of_piece((bytes.size() + kPiece - 1) / kPiece);
  base::parallel_for(of_piece.size(), [&](std::size_t piece) {
    const auto part = bytes.subspan(piece * kPiece, std::min(kPiece, bytes.size() - piece * kPiece));
    std::array<std::uint64_t, kLanes> lanes = {1, 2, 3, 4};
    const auto stir = [&](const std::byte* from, std::size_t count) {
      std::array<std::uint64_t, kLanes> block{};
      std::memcpy(block.data(), from, count);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t mixed = (lanes[lane] ^ block[lane]) * kOdd;
        lanes[lane] = mixed ^ (mixed >> 29U);
      }
    };
    std::size_t at = 0;
    for (; at + sizeof lanes <= part.size(); at += sizeof lanes) {
      stir(part.data() + at, sizeof lanes);
    }
    stir(part.data() + at, part.size() - at);
    for (const std::uint64_t lane : lanes) {
      of_piece[piece] = base::mix(of_piece[piece], lane);
    }
  });
  std::uint64_t digest = bytes.size();
  for (const std::uint64_t piece : of_piece) {
    digest = base::mix(digest, piece);
  }
  return digest;
}

}  // namespace assay::verify
