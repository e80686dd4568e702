#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <assay/base/random.hpp>

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

 private:
  std::vector<float> normals_;
  std::vector<std::uint16_t> normals_bfloat16_;
  std::vector<double> squares_;  ///< squares_[i]: sum of the squares of the first i.
};

}  // namespace assay::operators::gdn_prefill
