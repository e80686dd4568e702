#pragma once

#include <array>
#include <cstdint>

#include <assay/operators/normal_pool.hpp>
#include <assay/operators/operator.hpp>
#include <assay/operators/rmsnorm/layout.hpp>

namespace assay::operators::rmsnorm {

/// Kinds of stress, in an order that never changes. Without a residual "cancellation" is like "random".
inline constexpr std::array<StressKind, 8> kStressKinds = {{
    {"random", "N(0, 1), as in use"},
    {"wide_range", "rows that differ by powers of two, small to large: what is held only against the whole tensor"},
    {"tiny", "rows whose mean square is about epsilon, or far below it: where and whether epsilon is added"},
    {"one_huge", "one element a row far larger than the rest: what is summed or squared in 16 bits"},
    {"zero_rows", "rows of zeros, and rows with one element: outputs that are known exactly"},
    {"offset", "rows with a mean far from zero: what subtracts it"},
    {"cancellation", "a residual that all but undoes the hidden states: a sum that is rounded to 16 bits"},
    {"rounded_squares",
     "rows whose squares lie half way between numbers of 16 bits: squares that are rounded one by one"},
}};

/// Generates hidden states, residual and weight of N(0, 1), as the schema says, cut from a pool of normals.
class Generator final : public InputGenerator {
 public:
  Generator(std::uint64_t seed, const Variant& variant, tensor::DType dtype);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;

 private:
  [[nodiscard]] base::Philox draw(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments);

  std::uint64_t seed_;
  Variant variant_;
  tensor::DType dtype_;
  NormalPool pool_;
};

[[nodiscard]] StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t row_bytes,
                                            std::uint64_t largest_bytes);

}  // namespace assay::operators::rmsnorm
