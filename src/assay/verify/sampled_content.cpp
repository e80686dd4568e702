#include <assay/verify/sampled_content.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include <assay/base/content_strands.hpp>
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
  using Strands = base::ContentStrands;
  constexpr std::size_t kPiecesAGroup = 128;  // 1 MiB for a thread at a time.
  constexpr std::size_t kGroup = kPiecesAGroup * Strands::kPieceBytes;
  std::vector<std::uint64_t> sums((bytes.size() + kGroup - 1) / kGroup);
  base::parallel_for(sums.size(), [&](std::size_t group) {
    const std::size_t end = std::min(bytes.size(), (group + 1) * kGroup);
    std::size_t at = group * kGroup;
    for (std::uint64_t piece = group * kPiecesAGroup; at < end; ++piece) {
      std::array<std::uint64_t, Strands::kStrands> states{};
      for (std::uint64_t strand = 0; strand < Strands::kStrands; ++strand) {
        states[strand] = Strands::start(piece, strand);
      }
      for (std::uint64_t row = 0; row < Strands::kRows && at < end; ++row, at += Strands::kRowBytes) {
        std::array<std::uint64_t, Strands::kStrands> words{};
        std::memcpy(words.data(), bytes.data() + at, std::min<std::size_t>(Strands::kRowBytes, end - at));
        for (std::uint64_t strand = 0; strand < Strands::kStrands; ++strand) {
          states[strand] = Strands::stir(states[strand], words[strand]);
        }
      }
      for (std::uint64_t strand = 0; strand < Strands::kStrands; ++strand) {
        sums[group] += Strands::finish(states[strand], piece, strand);
      }
    }
  });
  return Strands::total(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), bytes.size());
}

}  // namespace assay::verify
