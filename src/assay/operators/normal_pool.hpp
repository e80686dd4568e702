#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators {

/// Standard normals, drawn once a seed, from which large tensors are cut at random places: drawing 16 million numbers
/// takes 0.4 s, copying them 4 ms. Not thread-safe.
class NormalPool {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 18U;  ///< Elements; as bfloat16 they fit a cache.
  static constexpr std::size_t kRun = 2048;                    ///< Elements that are copied from one place.

  /// `name` names the stream, so that two operators do not share their numbers.
  NormalPool(std::uint64_t seed, std::string_view name);

  /// Fills a tensor of any floating type with N(0, 1), those of 8 and 4 bits with N(0, 1) clamped to [-2, 2], as
  /// flashinfer-bench does. The bytes depend on the seed and on what `random` gives.
  void fill(base::Philox& random, tensor::DType dtype, std::span<std::byte> bytes);

 private:
  [[nodiscard]] const std::vector<std::byte>& table(tensor::DType dtype);

  std::vector<float> normals_;
  std::map<tensor::DType, std::vector<std::byte>> tables_;  ///< kSize elements in each type that was asked for.
};

}  // namespace assay::operators
