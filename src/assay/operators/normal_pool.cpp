#include <assay/operators/normal_pool.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>

namespace assay::operators {
namespace {

constexpr float kClamp = 2.0F;

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<std::byte> make_table(const std::vector<float>& normals, tensor::DType dtype) {
  std::vector<std::byte> bytes;
  bytes.reserve(tensor::byte_size(dtype, normals.size()));
  std::uint8_t low_half = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const float value = normals[i];
    const float clamped = std::clamp(value, -kClamp, kClamp);
    switch (dtype) {
      case tensor::DType::float64:
        append(bytes, static_cast<double>(value));
        break;
      case tensor::DType::float32:
        append(bytes, value);
        break;
      case tensor::DType::float16:
        append(bytes, tensor::to_float16(value));
        break;
      case tensor::DType::bfloat16:
        append(bytes, tensor::to_bfloat16(value));
        break;
      case tensor::DType::float8_e4m3fn:
        append(bytes, tensor::to_float8_e4m3fn(clamped));
        break;
      case tensor::DType::float8_e5m2:
        append(bytes, tensor::to_float8_e5m2(clamped));
        break;
      case tensor::DType::float4_e2m1:
        if (i % 2 == 0) {
          low_half = tensor::to_float4_e2m1(clamped);
        } else {
          append(bytes, static_cast<std::uint8_t>(low_half | tensor::to_float4_e2m1(clamped) << 4U));
        }
        break;
      default:
        base::check_failed("a floating dtype", __FILE__, __LINE__);
    }
  }
  return bytes;
}

}  // namespace

NormalPool::NormalPool(std::uint64_t seed, std::string_view name) : normals_(kSize) {
  base::Philox random(seed, base::stream_id(name));
  for (float& normal : normals_) {
    normal = static_cast<float>(random.next_normal());
  }
}

const std::vector<std::byte>& NormalPool::table(tensor::DType dtype) {
  std::vector<std::byte>& bytes = tables_[dtype];
  if (bytes.empty()) {
    bytes = make_table(normals_, dtype);
  }
  return bytes;
}

void NormalPool::fill(base::Philox& random, tensor::DType dtype, std::span<std::byte> bytes) {
  const std::vector<std::byte>& source = table(dtype);
  const std::size_t run_bytes = tensor::byte_size(dtype, kRun);
  std::vector<std::size_t> places((bytes.size() + run_bytes - 1) / run_bytes);
  for (std::size_t& place : places) {
    // Even, so that an element of four bits keeps its half of a byte.
    place = tensor::byte_size(dtype, 2 * static_cast<std::size_t>(random.next_below((kSize - kRun) / 2 + 1)));
  }
  base::parallel_for(places.size(), [&](std::size_t run) {
    const std::size_t at = run * run_bytes;
    std::memcpy(bytes.data() + at, source.data() + places[run], std::min(run_bytes, bytes.size() - at));
  });
}

}  // namespace assay::operators
