#include <assay/operators/moe_fp8_block_scale/contents.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

constexpr std::size_t kPoolSize = std::size_t{1} << 18U;  // Fits a cache, and is drawn in some 20 ms.
constexpr std::size_t kUniforms = std::size_t{1} << 16U;
constexpr std::size_t kBytesAPiece = std::size_t{1} << 20U;
constexpr float kWeightScale = 0.02F;
/// RMS of a normal that is clamped to [-2, 2].
constexpr double kClampedDeviation = 0.96;

float moderate_scale(const Dimensions& d, Role role, float uniform) {
  const float around_one = 0.5F + uniform;
  if (role != Role::hidden) {
    return kWeightScale * around_one;
  }
  const double sum = std::sqrt(static_cast<double>(d.hidden)) * kClampedDeviation * kClampedDeviation;
  return static_cast<float>(2.0 / (sum * static_cast<double>(kWeightScale))) * around_one;
}

}  // namespace

ContentPool::ContentPool(std::uint64_t seed) : normals_(kPoolSize), uniforms_(kUniforms), usual_codes_(kPoolSize) {
  base::Philox random(seed, base::stream_id("moe_fp8_block_scale.pool"));
  constexpr std::array<float, 8> kExtremes = {448.0F, 448.0F, 0x1p-9F, 0x1p-6F, 1.0F, 0.0F, 416.0F, 0x1.cp-7F};
  positive_codes_.reserve(kPoolSize);
  extreme_codes_.reserve(kPoolSize);
  for (std::size_t i = 0; i < kPoolSize; ++i) {
    normals_[i] = static_cast<float>(random.next_normal());
    const std::uint8_t code = tensor::to_float8_e4m3fn(std::clamp(normals_[i], -2.0F, 2.0F));
    usual_codes_[i] = std::byte{code};
    positive_codes_.push_back(usual_codes_[i] & std::byte{0x7f});
    const std::uint32_t word = random.next_u32();
    const float extreme = kExtremes[word % kExtremes.size()];
    extreme_codes_.push_back(std::byte{tensor::to_float8_e4m3fn((word & 0x100U) != 0 ? extreme : -extreme)});
  }
  std::generate(uniforms_.begin(), uniforms_.end(),
                [&] { return static_cast<float>(random.next_u32() >> 8U) * 0x1p-24F; });
}

const std::vector<std::byte>& ContentPool::codes(Contents contents) const {
  if (contents == Contents::positive) {
    return positive_codes_;
  }
  return contents == Contents::extreme ? extreme_codes_ : usual_codes_;
}

void ContentPool::fill_codes(Contents contents, std::uint64_t stream,
                             std::span<const std::span<std::byte>> parts) const {
  struct Piece {
    std::span<std::byte> bytes;
    std::uint64_t stream;
  };
  std::vector<Piece> pieces;
  for (const std::span<std::byte> part : parts) {
    for (std::size_t at = 0; at < part.size(); at += kBytesAPiece) {
      pieces.push_back({part.subspan(at, std::min(kBytesAPiece, part.size() - at)), base::mix(stream, pieces.size())});
    }
  }
  const std::vector<std::byte>& pool = codes(contents);
  base::parallel_for(pieces.size(), [&](std::size_t i) {
    const std::span<std::byte> bytes = pieces[i].bytes;
    for (std::size_t at = 0; at < bytes.size(); at += kRun) {
      const std::size_t count = std::min(kRun, bytes.size() - at);
      const std::uint64_t place = base::mix(pieces[i].stream, at) % (pool.size() - kRun + 1);
      std::memcpy(bytes.data() + at, pool.data() + place, count);
    }
  });
}

void ContentPool::fill_scales(const Dimensions& dimensions, Contents contents, Role role, std::uint64_t stream,
                              std::span<std::byte> bytes) const {
  base::Philox random(stream, base::stream_id("moe_fp8_block_scale.scales"));
  const std::size_t count = bytes.size() / sizeof(float);
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < count; ++i, ++place) {
    if (i % kRun == 0) {
      place = random.next_below(kPoolSize - kRun + 1);
    }
    const float normal = normals_[place];
    switch (contents) {
      case Contents::official:
      case Contents::extreme:
        store(bytes, i, normal);
        break;
      case Contents::moderate:
        store(bytes, i, moderate_scale(dimensions, role, uniform(place)));
        break;
      case Contents::positive:
        store(bytes, i, std::fabs(normal) + 0.25F);
        break;
      case Contents::wide: {
        const float size = std::exp2(16 * uniform(place) - 8);
        const bool zero = place % 10 == 0;
        store(bytes, i, zero ? 0.0F : std::copysign(size, normal));
        break;
      }
    }
  }
}

}  // namespace assay::operators::moe_fp8_block_scale
