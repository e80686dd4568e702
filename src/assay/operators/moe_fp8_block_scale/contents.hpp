#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/device/copy_plan.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>

namespace assay::operators::moe_fp8_block_scale {

/// What the quantised tensors and their scales hold.
enum class Contents : std::uint8_t {
  official,  ///< As the contest's evaluator: e4m3fn of randn clamped to [-2, 2]; scales N(0, 1), so of both signs.
  moderate,  ///< Scales as a quantiser leaves them, positive and alike, such that gates are about N(0, 2).
  positive,  ///< Nothing below 0.
  wide,      ///< Scales of 2^-8 to 2^8, both signs, one in ten 0.
  extreme,   ///< e4m3fn codes of 448, 2^-9, 2^-6, 1 and 0, with both signs; scales N(0, 1).
};

enum class Role : std::uint8_t { hidden, gemm1, gemm2 };  ///< Whose scales.

/// Cuts tensors from pools that are drawn once a seed: drawing them would take longer than any kernel.
class ContentPool {
 public:
  explicit ContentPool(std::uint64_t seed);

  /// Leaves parts to a plan, which fills them with e4m3fn codes in runs of kRun from random places that follow from
  /// `stream`.
  void compose_codes(Contents contents, std::uint64_t stream, std::span<const std::span<std::byte>> parts,
                     device::CopyPlan& plan) const;
  /// Fills with float32 scales.
  void fill_scales(const Dimensions& dimensions, Contents contents, Role role, std::uint64_t stream,
                   std::span<std::byte> bytes) const;
  /// A number in [0, 1) of 2^16 drawn ones.
  [[nodiscard]] float uniform(std::uint64_t place) const { return uniforms_[place % uniforms_.size()]; }

  static constexpr std::size_t kRun = std::size_t{1} << 15U;

 private:
  [[nodiscard]] const device::Pool& codes(Contents contents) const;

  std::vector<float> normals_;
  std::vector<float> uniforms_;
  std::vector<std::byte> usual_codes_;
  std::vector<std::byte> positive_codes_;
  std::vector<std::byte> extreme_codes_;
  device::Pool usual_;
  device::Pool positive_;
  device::Pool extreme_;
};

}  // namespace assay::operators::moe_fp8_block_scale
