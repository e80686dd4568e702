#include <assay/operators/gdn_decode/chain.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::gdn_decode {
namespace {

using FloatVector = std::array<float, kHeadSize>;

float dot(const FloatVector& x, const FloatVector& y) {
  constexpr std::size_t kStrands = 8;
  std::array<float, kStrands> sums{};
  for (std::size_t j = 0; j < kHeadSize; j += kStrands) {
    for (std::size_t strand = 0; strand < kStrands; ++strand) {
      sums[strand] += x[j + strand] * y[j + strand];
    }
  }
  float total = 0;
  for (const float sum : sums) {
    total += sum;
  }
  return total;
}

FloatVector cut(base::Philox& random, std::span<const float> normals) {
  FloatVector vector;
  std::copy_n(normals.begin() + static_cast<std::ptrdiff_t>(random.next_below(normals.size() - kHeadSize)), kHeadSize,
              vector.begin());
  return vector;
}

/// sqrt(0.6) of the shared direction and sqrt(0.4) of a random one, of length 1.
FloatVector leaning(base::Philox& random, std::span<const float> normals, const FloatVector& shared) {
  FloatVector vector = cut(random, normals);
  const float own_part = std::sqrt(0.4F / dot(vector, vector));
  for (std::size_t j = 0; j < kHeadSize; ++j) {
    vector[j] = std::sqrt(0.6F) * shared[j] + own_part * vector[j];
  }
  const float length = std::sqrt(dot(vector, vector));
  std::for_each(vector.begin(), vector.end(), [&](float& element) { element /= length; });
  return vector;
}

/// A past step, as it stands in the state: weight * correction key^T.
struct Step {
  FloatVector key;
  FloatVector correction;
  float weight = 1;
};

}  // namespace

// The state of so few steps has a low rank: kept as its factors, a step touches its predecessors, not the whole state.
void leave_chain(std::size_t steps, base::Philox& random, std::span<const float> normals,
                 std::span<const std::uint16_t> key, std::span<float> state) {
  FloatVector shared;
  std::transform(key.begin(), key.end(), shared.begin(), tensor::from_bfloat16);
  std::vector<Step> past;
  past.reserve(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    Step step{leaning(random, normals, shared), cut(random, normals), 1};
    const auto g = static_cast<float>(0.95 + 0.05 * random.next_uniform());
    const auto beta = static_cast<float>(0.2 + 0.8 * random.next_uniform());
    for (Step& before : past) {
      before.weight *= g;
      const float part = before.weight * dot(before.key, step.key);
      for (std::size_t d = 0; d < kHeadSize; ++d) {
        step.correction[d] -= part * before.correction[d];
      }
    }
    std::for_each(step.correction.begin(), step.correction.end(), [&](float& element) { element *= beta; });
    past.push_back(step);
  }
  std::fill(state.begin(), state.end(), 0.0F);
  for (const Step& step : past) {
    for (std::size_t d = 0; d < kHeadSize; ++d) {
      const float factor = step.weight * step.correction[d];
      for (std::size_t j = 0; j < kHeadSize; ++j) {
        state[d * kHeadSize + j] += factor * step.key[j];
      }
    }
  }
}

}  // namespace assay::operators::gdn_decode
