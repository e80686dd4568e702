#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <assay/operators/normal_pool.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::generic {

/// Kinds of stress for a definition that nothing is known about, in an order that never changes.
inline constexpr std::array<StressKind, 6> kStressKinds = {{
    {"random", "as in use"},
    {"zeros", "every floating and integer element zero: divisions, logarithms, empty sets"},
    {"large", "floating elements 8 to 1,024 times as large, by their type: what overflows early"},
    {"small", "floating elements as many times smaller: what is flushed, and what epsilon hides"},
    {"mixed_signs", "signs that alternate over magnitudes near 1: sums that cancel"},
    {"one_huge", "one element of each floating tensor far larger than the rest"},
}};

/// Fills the arguments of any definition as flashinfer-bench does: floating types N(0, 1), those of 8 and 4 bits
/// clamped to [-2, 2]; bool at random; int8 from -128 to 127, other integers from -1024 to 1023; uint8 from 0 to 255, uint32
/// from 0 to 2047. Scalars are the workload's and stay as they are. Whether such integers are valid (indices, offsets) only the definition knows.
class Generator final : public InputGenerator {
 public:
  explicit Generator(std::uint64_t seed);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  /// Changes one floating element; where there is none, nothing can be changed that is surely valid, and nothing is.
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;

 private:
  std::uint64_t seed_;
  NormalPool pool_;
};

/// Chooses the shapes of a stress trial: one of the `examples`, whose scalars it keeps, with each variable axis left as
/// it is, made 1, 2, one less, one more, or a prime; the axes satisfy those constraints of the definition that speak of
/// axes alone, and the tensors fit into `largest_bytes`. What cannot be had so in 32 draws is the smallest example.
/// `examples` must not be empty.
[[nodiscard]] StressTrial make_stress_trial(const task::Definition& definition,
                                            std::span<const task::Workload> examples, std::uint64_t seed,
                                            std::uint64_t index, std::uint64_t largest_bytes);

/// When two implementations of an unknown formula agree, by the output's type. docs/any-definition.md argues it.
[[nodiscard]] tensor::ComparisonRule rule(tensor::DType dtype);

}  // namespace assay::operators::generic
