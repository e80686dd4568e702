#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <assay/control/state.hpp>

namespace assay::control {

/// What came after a person's steer, compared with before.
struct SteerEffect {
  std::size_t promotions_before = 0;
  std::size_t promotions_after = 0;
  std::optional<double> gain_before;  ///< Mean log gain of a promotion, by its sweep; absent: there was none.
  std::optional<double> gain_after;
  std::optional<double> difference_lower;  ///< 95 % interval of after minus before; absent: it cannot be had.
  std::optional<double> difference_upper;
  int candidates_after = 0;
  std::string verdict;  ///< "more gain per promotion after it", "less …", or "undecided: …".
};

/// Compares the gains of the promotions after a steer with those before, by Welch's interval ("The generalization of
/// 'Student's' problem when several different population variances are involved", 1947). With fewer than two promotions on
/// either side, or an interval that holds 0, nothing is decided. A difference is not a cause: gains shrink in any search, and
/// other things may have changed with the steer. Assumes nearly normal log gains that do not depend on one another.
[[nodiscard]] SteerEffect steer_effect(const CampaignState& state, const SteerState& steer);

}  // namespace assay::control
