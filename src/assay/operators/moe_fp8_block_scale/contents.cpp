#include <assay/operators/moe_fp8_block_scale/contents.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

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
  usual_ = device::pool_of(usual_codes_);
  positive_ = device::pool_of(positive_codes_);
  extreme_ = device::pool_of(extreme_codes_);
  std::generate(uniforms_.begin(), uniforms_.end(),
                [&] { return static_cast<float>(random.next_u32() >> 8U) * 0x1p-24F; });
}

const device::Pool& ContentPool::codes(Contents contents) const {
  if (contents == Contents::positive) {
    return positive_;
  }
  return contents == Contents::extreme ? extreme_ : usual_;
}

void ContentPool::compose_codes(Contents contents, std::uint64_t stream, std::span<const std::span<std::byte>> parts,
                                device::CopyPlan& plan) const {
  const device::Pool& pool = codes(contents);
  std::uint64_t number = 0;
  for (const std::span<std::byte> part : parts) {
    for (std::size_t begin = 0; begin < part.size(); begin += kBytesAPiece) {
      const std::span<std::byte> piece = part.subspan(begin, std::min(kBytesAPiece, part.size() - begin));
      const std::uint64_t piece_stream = base::mix(stream, number++);
      for (std::size_t at = 0; at < piece.size(); at += kRun) {
        const std::uint64_t place = base::mix(piece_stream, at) % (kPoolSize - kRun + 1);
        plan.copy(piece.subspan(at, std::min(kRun, piece.size() - at)), pool, place);
      }
    }
  }
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
