#pragma once

#include <array>
#include <cstdint>

#include <assay/operators/normal_pool.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gemm {

/// Kinds of stress, in an order that never changes.
inline constexpr std::array<StressKind, 7> kStressKinds = {{
    {"random", "N(0, 1) at shapes around tiles: what a kernel does with the rest of a tile"},
    {"wide_range", "rows of A and of B that differ by up to 2^12 in size: what is held only against the whole tensor"},
    {"tiny", "elements so small that float16 holds them as subnormals: what is flushed to zero"},
    {"cancellation", "products that cancel but for a few: what is summed with too few digits"},
    {"positive", "elements of one sign, so that sums only grow: accumulators that stop growing"},
    {"one_huge", "one element of A and one of B far larger than the rest: what is scaled by a maximum"},
    {"zero_rows", "rows of zeros, and rows with a single 1: outputs that are known exactly"},
}};

/// Generates A and B of N(0, 1), as the schema says, cut from a pool of normals.
class Generator final : public InputGenerator {
 public:
  Generator(std::uint64_t seed, tensor::DType dtype);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;

 private:
  [[nodiscard]] base::Philox draw(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments);

  std::uint64_t seed_;
  tensor::DType dtype_;
  NormalPool pool_;
};

/// `fixed_bytes` do not depend on M; a row of A and of C takes `row_bytes`.
[[nodiscard]] StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t fixed_bytes,
                                            std::uint64_t row_bytes, std::uint64_t largest_bytes);

}  // namespace assay::operators::gemm
