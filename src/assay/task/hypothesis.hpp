#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/outcome.hpp>

namespace assay::task {

/// What a change did to the time, as an interval for log(new / old): below 0 is faster; bounds may be infinite.
struct MeasuredEffect {
  double mean = 0;
  double lower = 0;
  double upper = 0;
  bool operator==(const MeasuredEffect&) const = default;
};

/// What a change is expected to do to the time, stated before it is measured, as bounds of log(new / old).
struct PredictedEffect {
  double lower = -std::numeric_limits<double>::infinity();  ///< The largest gain.
  double upper = 0;                                         ///< The smallest; at most 0. 0: "faster", and no size.
  bool operator==(const PredictedEffect&) const = default;
};

/// A bounded guess about one change. What may be compared or counted has a field of its own; what its author says beside
/// that is `claimed`, is shown as theirs, and is read by no rule.
struct Hypothesis {
  std::string regime = "all";  ///< "all", or a regime's name.
  std::string mechanism;  ///< In few words, what it acts through: "shared memory staging". Empty: none, and no route.
  std::string limiting_resource = "unknown";
  std::string change;
  PredictedEffect predicted;
  std::string differs;  ///< From the closed route that it takes again; empty: nothing.
  std::string claimed;
  bool operator==(const Hypothesis&) const = default;
};

/// What measurement has said of a hypothesis. Persisted by name; never renamed.
enum class HypothesisStatus : std::uint8_t {
  open,       ///< Not measured.
  supported,  ///< A gain is shown, and nothing excludes that it is as large as predicted.
  falsified,  ///< The interval excludes the predicted effect, or any gain.
  undecided,  ///< Measured, or tried, and neither of these.
};
[[nodiscard]] std::string_view to_string(HypothesisStatus status);

/// One measurement of a hypothesis: the record on which its status rests.
struct HypothesisTest {
  std::string evaluation;   ///< Its id; the samples are in its bundle.
  std::string environment;  ///< environment_digest of where it was made.
  int against = 0;          ///< Number of the incumbent that it was compared with; 0: the baseline.
  Outcome outcome = Outcome::measured;
  std::optional<MeasuredEffect> effect;  ///< In the hypothesis' regime; absent: nothing was compared.
  HypothesisStatus status = HypothesisStatus::undecided;
  std::string why;  ///< In words.
  bool operator==(const HypothesisTest&) const = default;
};

/// The rule, and all of it. Falsified: the interval lies wholly at or above 0 (no gain), or wholly above the smallest gain
/// that was predicted. Supported: it lies wholly below 0 and that is not so; more than was predicted closes no route.
/// Else, without an effect, or with bounds that are no interval: undecided. Never `open`.
[[nodiscard]] HypothesisStatus judge_hypothesis(const PredictedEffect& predicted,
                                                const std::optional<MeasuredEffect>& effect);
/// Says which part of the rule applied, with the numbers as times of the incumbent's speed.
[[nodiscard]] std::string explain_status(const PredictedEffect& predicted, const std::optional<MeasuredEffect>& effect);

/// "1.042x [1.010, 1.075]": as speed, where an effect is a ratio of times.
[[nodiscard]] std::string effect_text(const MeasuredEffect& effect);
/// "faster", "at least 1.050x", "1.050x to 1.200x".
[[nodiscard]] std::string predicted_text(const PredictedEffect& predicted);

/// The form in which the words of routes are compared: letters and digits in lower case, words joined by '-'. Empty for
/// text without any.
[[nodiscard]] std::string route_key(std::string_view text);
/// Tells whether two hypotheses take one route: the same mechanism in the same regime, by their keys. One without a
/// mechanism takes none.
[[nodiscard]] bool same_route(const Hypothesis& one, const Hypothesis& other);

/// Readers report to the node; each field must be there.
[[nodiscard]] base::Json encode(const Hypothesis& hypothesis);
[[nodiscard]] Hypothesis read_stated_hypothesis(const Node& node);
[[nodiscard]] base::Json encode(const HypothesisTest& test);
[[nodiscard]] HypothesisTest read_hypothesis_test(const Node& node);

}  // namespace assay::task
