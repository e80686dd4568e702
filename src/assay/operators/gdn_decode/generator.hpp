#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/gdn_decode/stress.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_decode {

/// Generates inputs that look like those captured from a model: q and k random directions of length 1, v ~
/// N(0, 1), state ~ 0.1 N(0, 1), A = exp(A_log) ~ U(1, 16), softplus(dt_bias) log-uniform in [1e-3, 1e-1], a
/// and b ~ N(0, 1). So that calls do not all look alike, of any eight consecutive calls of a workload one has
/// a batch entry whose state is zero (a sequence that starts here), another one whose state is zero but for one
/// element a head (what begins with zeros need not be zero), and a third has states of 8 N(0, 1), whose outputs are
/// O(1).
///
/// States are copied from a pool of normals at random places, one (batch, head) at a time: drawing them would
/// take longer than any kernel. q is drawn again while |q . k| < 2^-10: with a zero state the output is a
/// multiple of q . k, and one that is all cancellation has no digits that a float32 kernel could be held to.
class Generator final : public InputGenerator {
 public:
  explicit Generator(std::uint64_t seed);
  void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) override;
  void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) override;
  void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                   std::span<Argument> arguments) override;
  void compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
               device::CopyPlan& plan) override;
  void compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                      std::span<Argument> arguments, device::CopyPlan& plan) override;

 private:
  void compose_kind(std::uint64_t kind, const task::Workload& workload, std::uint64_t call,
                    std::span<Argument> arguments, device::CopyPlan& plan);
  void fill_queries_and_keys(base::Philox& random, std::span<std::byte> q, std::span<std::byte> k) const;
  void compose_state(base::Philox& random, std::uint64_t kind, std::span<std::byte> state,
                     device::CopyPlan& plan) const;

  std::uint64_t seed_;
  std::vector<float> normals_;
  std::vector<std::uint16_t> normals_bfloat16_;
  std::vector<float> small_states_;  ///< 0.1 * normals_
  std::vector<float> large_states_;  ///< 8 * normals_
  device::Pool values_;
  device::Pool small_;
  device::Pool large_;
};

}  // namespace assay::operators::gdn_decode
