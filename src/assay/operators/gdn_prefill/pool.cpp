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
  float32_ = device::pool_of(normals_);
  bfloat16_ = device::pool_of(normals_bfloat16_);
}

device::CopyPlan::Piece Pool::normals_piece(base::Philox& random, std::span<std::uint16_t> values) const {
  return {.to = std::as_writable_bytes(values).data(),
          .pool = &bfloat16_,
          .bytes = static_cast<std::uint32_t>(values.size_bytes()),
          .at = static_cast<std::uint32_t>(place(random, values.size()) * sizeof(std::uint16_t))};
}

device::CopyPlan::Piece Pool::direction_piece(base::Philox& random, std::span<std::uint16_t> values) const {
  const std::size_t begin = place(random, values.size());
  ASSAY_CHECK(values.size() % 2 == 0);
  return {.to = std::as_writable_bytes(values).data(),
          .pool = &float32_,
          .bytes = static_cast<std::uint32_t>(values.size_bytes()),
          .at = static_cast<std::uint32_t>(begin * sizeof(float)),
          .kind = device::CopyPlan::Kind::scale_bfloat16,
          .factor = static_cast<float>(1.0 / std::sqrt(squares_[begin + values.size()] - squares_[begin]))};
}

void Pool::compose_normals(base::Philox& random, float factor, std::span<float> values, device::CopyPlan& plan) const {
  plan.scale_float32(std::as_writable_bytes(values), float32_, place(random, values.size()) * sizeof(float), factor);
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
