#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_topk_indexer {

/// Random keys and queries in the contest's distribution, drawn once, from which contents are cut.
class Pool {
 public:
  Pool(const Dimensions& dimensions, std::uint64_t seed);

  /// Leaves a page to a plan: neighbouring keys of the pool with their scales, the signs of all elements of a dimension flipped
  /// together at random, so that no two pages have equal keys though they come from the same place.
  void compose_page(base::Philox& random, std::span<std::byte> page, device::CopyPlan& plan) const;
  /// Leaves whole heads of a query to a plan.
  void compose_query(base::Philox& random, std::span<std::byte> query, device::CopyPlan& plan) const;

 private:
  Dimensions dimensions_;
  std::vector<std::byte> keys_;     ///< N(0, 1) as bfloat16, over a scale of its own for each key.
  std::vector<float> scales_;       ///< Of each key: its largest magnitude / 448.
  std::vector<std::byte> queries_;  ///< N(0, 1), cut off at +-2.
  device::Pool key_pool_;
  device::Pool scale_pool_;
  device::Pool query_pool_;
};

/// Generates inputs as the contest does: q ~ N(0, 1) cut off at +-2, in fp8; keys ~ N(0, 1) in bfloat16, packed as fp8
/// with the scale max(largest magnitude, 1e-4) / 448 of each token; weights ~ N(0, 1). Lengths and pages:
/// placement.hpp. Only pages that the block table names are written.
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
  void compose_officially(base::Philox& random, std::span<const std::int32_t> lengths, const Placement& placement,
                          std::span<Argument> arguments, device::CopyPlan& plan) const;

  Dimensions dimensions_;
  std::uint64_t seed_;
  Pool pool_;
};

}  // namespace assay::operators::dsa_topk_indexer
