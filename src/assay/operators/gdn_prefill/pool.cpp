#include <assay/operators/gdn_prefill/pool.hpp>

#include <cmath>
#include <cstring>

#include <assay/base/error.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators::gdn_prefill {
namespace {

std::size_t place(base::Philox& random, std::size_t count) {
  ASSAY_CHECK(count <= Pool::kSize);
  return static_cast<std::size_t>(random.next_below(Pool::kSize - count + 1));
}

}  // namespace

Pool::Pool(std::uint64_t seed) : normals_(kSize), normals_bfloat16_(kSize), squares_(kSize + 1) {
  base::Philox random(seed, base::stream_id("gdn_prefill.pool"));
  for (std::size_t i = 0; i < kSize; ++i) {
    normals_[i] = static_cast<float>(random.next_normal());
    normals_bfloat16_[i] = tensor::to_bfloat16(normals_[i]);
    squares_[i + 1] = squares_[i] + static_cast<double>(normals_[i]) * static_cast<double>(normals_[i]);
  }
}

void Pool::normals(base::Philox& random, std::span<std::uint16_t> values) const {
  std::memcpy(values.data(), normals_bfloat16_.data() + place(random, values.size()), values.size_bytes());
}

void Pool::normals(base::Philox& random, float factor, std::span<float> values) const {
  const std::size_t begin = place(random, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = factor * normals_[begin + i];
  }
}

void Pool::direction(base::Philox& random, std::span<std::uint16_t> values) const {
  const std::size_t begin = place(random, values.size());
  const auto factor = static_cast<float>(1.0 / std::sqrt(squares_[begin + values.size()] - squares_[begin]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = tensor::to_bfloat16(normals_[begin + i] * factor);
  }
}

}  // namespace assay::operators::gdn_prefill
