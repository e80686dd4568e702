#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/pool.hpp>
#include <assay/operators/gdn_prefill/stress.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_prefill {

/// Generates inputs that look like those captured from a model: q and k random directions of length 1, v ~ N(0, 1),
/// state ~ 0.1 N(0, 1), A = exp(A_log) ~ U(1, 16), softplus(dt_bias) log-uniform in [1e-3, 1e-1], a and b ~ N(0, 1).
/// cu_seqlens is the same for every call of a workload (sequence_lengths). So that calls do not all look alike, of any
/// eight consecutive calls of a workload one has a sequence whose state is zero, another one whose state is zero but
/// for one element a head, and a third has states of 8 N(0, 1), as for gdn_decode.
class Generator final : public InputGenerator {
 public:
  Generator(const Dimensions& dimensions, std::uint64_t seed);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;
  void compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
               device::CopyPlan& plan) override;
  void compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                      std::span<Argument> arguments, device::CopyPlan& plan) override;

 private:
  void compose_sequences(const task::Workload& workload, std::uint64_t stream, std::span<const Recipe> recipes,
                         std::span<Argument> arguments, device::CopyPlan& plan) const;

  Dimensions dimensions_;
  std::uint64_t seed_;
  Pool pool_;
};

}  // namespace assay::operators::gdn_prefill
