#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::control {

/// One run of an agent that has ended, as far as it speaks for its arm.
struct ArmRun {
  double gain = 0;                      ///< Log of the speed-up over the incumbent of its time; 0: none was measured.
  std::optional<double> micro_dollars;  ///< Absent: nobody told.
};

/// An agent with a model and a language, and how it did.
struct ArmRecord {
  std::string name;
  std::vector<ArmRun> runs;
};

/// Which arm has the next run.
struct ArmDecision {
  std::size_t arm = 0;
  std::string why;
};

/// What a run of an arm is expected to gain before it is known: the prior's mean.
inline constexpr double kExpectedGain = 0.02;

/// Chooses. An arm that has no run yet comes first, in order. Else each arm's mean gain of a run is drawn from what is
/// believed of it (stats::believe; Thompson's rule), and the largest gain for a dollar wins: a draw above 0 is divided by the
/// arm's mean cost if every arm's runs told theirs, and is taken a run otherwise. `number` counts the choices of a campaign;
/// with `seed` it is all that the draw depends on, so that a journal can be replayed. `arms` is not empty. Pure.
[[nodiscard]] ArmDecision decide_arm(const std::vector<ArmRecord>& arms, std::uint64_t seed, int number);

/// What a run counts for its arm: the gain over the incumbent that its candidate was measured with, and 0 where it left none,
/// it is wrong, or it is slower. `log_ratio`: of the gate, candidate over incumbent.
[[nodiscard]] double arm_gain(const std::optional<double>& log_ratio);

}  // namespace assay::control
