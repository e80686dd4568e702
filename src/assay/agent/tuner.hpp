#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/agent/parameter_space.hpp>
#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

/// Searches the declared parameters of one solution; it needs no model. The first time it proposes the declared
/// defaults and random points; later, neighbours of the best measured points (one parameter moved to an adjacent
/// value) and a few random ones. It never repeats a point and never proposes one that breaks a constraint. Small
/// spaces it exhausts, and then returns fewer proposals. Pure: the same seed, solution and history give the same
/// proposals.
class Tuner final : public Proposer {
 public:
  /// Takes a solution with `tuning`. See ParameterSpace::create for what is refused.
  [[nodiscard]] static base::Result<Tuner> create(task::Solution tunable, std::uint64_t seed);

  [[nodiscard]] std::string name() const override { return "tuner"; }
  [[nodiscard]] base::Result<std::vector<Proposal>> propose(const std::vector<Trial>& history, int count) override;

 private:
  Tuner(task::Solution tunable, ParameterSpace space, std::uint64_t seed)
      : tunable_(std::move(tunable)), space_(std::move(space)), seed_(seed) {}

  [[nodiscard]] std::optional<Point> locate(const Trial& trial) const;

  task::Solution tunable_;
  ParameterSpace space_;
  std::uint64_t seed_;
};

/// Returns the solution with these parameter values, named "<name>@8-2": the values in the declared order, short
/// because names stand in tables; the parameters themselves are in the solution. Values
/// that are not exactly the declared parameters, not among their values, or break a constraint are input errors.
[[nodiscard]] base::Result<task::Solution> with_parameters(const task::Solution& solution,
                                                           const task::Named<std::int64_t>& values);

}  // namespace assay::agent
