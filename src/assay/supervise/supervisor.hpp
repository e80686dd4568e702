#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/supervise/history.hpp>

namespace assay::supervise {

/// What can be wrong with a search. Persisted as text. Each is a statement about probabilities, under assumptions that stand
/// with it; error_rates_test.cpp measures how often a search without the fault is accused of it.
enum class Condition : std::uint8_t {
  /// A promotion whose claimed gain lies beyond noise and is not its code's: the code is the same as what it replaced, or as
  /// that of an earlier attempt which was slower by more than noise, or the two were measured in different environments.
  phantom,
  /// What was kept is slower than what it replaced, by an interval that excludes 0; or the speeds of the newest measured
  /// attempts of one environment fall (decline_probability at Settings::regression_error).
  regression,
  /// Attempts bring nothing to compare: that as few of the newest Settings::window were measured has a probability of at most
  /// Settings::error if each is with probability Settings::least_measured. Assumes independent attempts.
  stall,
  /// The search comes back to code that it had: as many repeats among the newest Settings::window judged attempts have a
  /// probability of at most Settings::error if each repeats with probability Settings::tolerated_repeats.
  cycle,
  /// At least one of the next Settings::horizon attempts improves with a probability below Settings::least_probability, by
  /// ImprovementModel. An improvement is a gain that was shown, over the minimum effect; attempts that were lost do not count.
  plateau,
  /// No plateau, and the gain per attempt of the improvements falls (decline_probability at Settings::diminishing_error, of at least four).
  diminishing_returns,
};
inline constexpr std::size_t kConditions = 6;

/// Why, in the order in which it is asked; the first that holds is the cause. Persisted as text.
enum class Cause : std::uint8_t {
  noise_floor,   ///< Of the measured attempts surely more than Settings::tolerated_undecided could not be told apart.
  invalid_rate,  ///< Of the judged attempts surely more than Settings::tolerated_invalid failed.
  cycling,       ///< Of the judged attempts surely more than Settings::tolerated_repeats repeat code.
  roofline,      ///< The headroom is known, and below Settings::least_headroom.
  machines,  ///< Of all attempts surely more than Settings::tolerated_lost were never judged. Asked first of a stall.
  none,      ///< None of these.
};
inline constexpr std::size_t kCauses = 6;

/// What is done about it. Persisted as text.
enum class Recovery : std::uint8_t {
  buy_repeats,  ///< More process pairs, until what is there can be told from noise.
  fix_prompt,   ///< Tell whoever proposes what fails, and how often.
  close_route,  ///< What was there is not to be proposed again.
  stop,         ///< Nothing worth having is left.
  ask_person,
};
inline constexpr std::size_t kRecoveries = 5;

/// "Surely" means that the one-sided binomial test rejects the tolerated share at Settings::error.
struct Settings {
  int horizon = 8;                     ///< Attempts ahead that a plateau is about.
  double least_probability = 0.1;      ///< Below it they are not worth making.
  int window = 24;                     ///< Newest attempts that rates are taken from; at most 64.
  double error = 0.05;                 ///< Of one test of a rate.
  double regression_error = 0.001;     ///< Of the test for a falling speed, which is made after every attempt.
  double diminishing_error = 0.01;     ///< Of the test for shrinking gains, made after every improvement.
  double least_measured = 0.25;        ///< A search of which less is measured stalls.
  double tolerated_repeats = 0.2;      ///< Shares, see Cause.
  double tolerated_undecided = 0.25;   ///< See Cause.
  double tolerated_invalid = 0.4;      ///< See Cause.
  double tolerated_lost = 0.25;        ///< See Cause.
  double least_headroom = 0.04879016;  ///< ln 1.05.
  std::vector<Cause> spent;            ///< Whose recoveries were tried and did not help: they are passed over.
};

struct Finding {
  Condition condition = Condition::plateau;
  Cause cause = Cause::none;
  Recovery recovery = Recovery::ask_person;
  bool momentary = false;  ///< It is about the last attempt alone, and ends with it.
  int since = 0;           ///< Number of the first attempt that it speaks about.
  int at = 0;              ///< Of the last.
  std::string evidence;    ///< Sentences with the numbers, the condition's first and then the cause's.
};

/// Says what is wrong after the last attempt of a history, in the order of Condition; of a phantom and of a slower one that was
/// kept only if the last attempt is it. Pure.
[[nodiscard]] std::vector<Finding> examine(const History& history, const Settings& settings);

}  // namespace assay::supervise
