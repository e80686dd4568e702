#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Generates queries and keys ~ N(0, 1) and sparse_indices as an indexer in use leaves them (rows.hpp). Of the caches
/// only the tokens that some row names are written, and the first and the last, which a kernel reads that takes -1 for
/// an index. Keys are cut from a pool of normals at random places; queries come from a pool of their own, because a
/// query that met its own copy as a key would attend to nothing else.
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
  void compose_queries(const CallView& call, base::Philox& random, device::CopyPlan& plan) const;
  void compose_keys(const CallView& call, base::Philox& random, device::CopyPlan& plan);

  const Dimensions& dimensions_;
  std::uint64_t seed_;
  std::vector<std::uint16_t> keys_;
  std::vector<std::uint16_t> queries_;
  device::Pool key_pool_;
  device::Pool query_pool_;
  std::vector<bool> is_placed_;  ///< Of tokens; all false between calls.
};

}  // namespace assay::operators::dsa_sparse_attention
