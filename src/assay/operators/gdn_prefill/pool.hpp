#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/device/copy_plan.hpp>

namespace assay::operators::gdn_prefill {

/// Normals that were drawn once a seed, from which tensors are cut at random places: drawing each anew would take
/// longer than any kernel.
class Pool {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 18U;  ///< Fits a cache, and is drawn in some 15 ms.

  explicit Pool(std::uint64_t seed);

  /// Writes N(0, 1) as bfloat16, or `factor` N(0, 1) as float32.
  void normals(base::Philox& random, std::span<std::uint16_t> values) const;
  void normals(base::Philox& random, float factor, std::span<float> values) const;
  /// Writes a random direction of length 1 as bfloat16.
  void direction(base::Philox& random, std::span<std::uint16_t> values) const;

  /// The same, as pieces of a plan: from the same draws the same bytes.
  [[nodiscard]] device::CopyPlan::Piece normals_piece(base::Philox& random, std::span<std::uint16_t> values) const;
  [[nodiscard]] device::CopyPlan::Piece direction_piece(base::Philox& random, std::span<std::uint16_t> values) const;
  void compose_normals(base::Philox& random, float factor, std::span<float> values, device::CopyPlan& plan) const;

 private:
  std::vector<float> normals_;
  std::vector<std::uint16_t> normals_bfloat16_;
  std::vector<double> squares_;  ///< squares_[i]: sum of the squares of the first i.
  device::Pool float32_;
  device::Pool bfloat16_;
};

}  // namespace assay::operators::gdn_prefill
