#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/task/named.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/request.hpp>

namespace assay::report {

/// Everything that the report of a campaign says, as plain values: whoever fills it has done the arithmetic.
/// All text is untrusted (names, causes and hypotheses come from candidates' authors); the renderers escape
/// it.

/// A ratio with its interval; above 1 is faster unless said otherwise. Bounds may be infinite or 0: "not
/// known".
struct Ratio {
  double estimate = 1;
  double lower = 1;
  double upper = 1;
};

struct HypothesisText {
  std::string regime;
  std::string limiting_resource;
  std::string change;
  std::string predicted_effect;
};

struct CandidateRow {
  int number = 0;  ///< From 1, unique; the page's anchors are made of it.
  int round = 0;   ///< 0: supplied by hand.
  std::string name;
  std::string digest;  ///< Digest::brief() of the content.
  std::optional<int> parent;
  HypothesisText hypothesis;
  task::Named<std::int64_t> parameters;
  std::optional<task::Outcome> outcome;  ///< Absent: not judged yet.
  std::string cause;                     ///< One sentence.
  std::optional<int> duplicate_of;
  std::optional<task::Stage> stage;  ///< The furthest that was run; absent if nothing was.
  /// Baseline time over candidate time. Chained: measured against the incumbent of that time and multiplied
  /// by that one's own speedup, so it is for orientation; the headline is measured directly.
  std::optional<Ratio> speedup;
  bool promoted = false;
  std::string unswept;   ///< Why it passed its gate and was not swept; empty if it was, or did not pass.
  std::string demotion;  ///< Why its promotion was taken back; empty: it was not.
};

/// A solution whose answer is known, sent through the gate to see whether it is found.
struct InjectionRow {
  int number = 0;
  int round = 0;
  std::string what;  ///< "a copy of candidate 3", "the baseline".
  std::string must;  ///< "must not win", "must lose".
  std::optional<task::Outcome> outcome;
  std::string cause;
  std::optional<task::Stage> stage;  ///< The furthest that was run.
  std::optional<Ratio> speedup;      ///< Of its gate: the incumbent's time over its own.
  std::string complaint;             ///< The alarm or the warning; empty: as it should be, or not known yet.
};

struct WorkloadRow {
  std::string uuid;
  task::Named<std::int64_t> axes;
  std::optional<double> baseline_ns;
  std::optional<double> incumbent_ns;
  std::optional<Ratio> speedup;  ///< Baseline over incumbent.
};

/// The incumbent against the baseline, both in one session, over all workloads.
struct Headline {
  Ratio speedup;                  ///< Geometric mean over workloads of baseline time / incumbent time.
  double mean_latency_ratio = 1;  ///< Mean of incumbent medians / mean of baseline medians; below 1 is faster.
  double contest_score = 1;       ///< Mean over workloads of baseline median / incumbent median.
  int workloads = 0;
  int pairs = 0;
  /// The same from all sessions that compared the two over all workloads, resampled by session, pair and call: for one look,
  /// and deciding nothing.
  struct Resampled {
    Ratio speedup;
    double level = 0.95;
    int sessions = 0;
    int pairs = 0;
  };
  std::optional<Resampled> resampled = std::nullopt;
};

/// A piece of source to show: either a unified diff or a whole file.
struct SourceText {
  enum class Kind : std::uint8_t { diff, whole };
  Kind kind = Kind::whole;
  std::string title;  ///< "gdn_decode.cpp, against the baseline"
  std::string text;
};

/// What the supervisor found after a round.
struct FindingRow {
  int round = 0;
  int since = 0;  ///< Numbers of candidates.
  int at = 0;
  std::string label;      ///< "plateau"
  std::string condition;  ///< "a plateau"
  std::string cause;      ///< "the noise floor is too high"
  std::string recovery;   ///< "buy repeats"
  std::string evidence;
  bool is_plateau = false;
  int until = 0;  ///< The last candidate before it was overtaken by an improvement, or at all.
};

/// What a person was asked, or said.
struct PersonRow {
  std::string what;    ///< "Decision 1", "Steer"
  std::string text;    ///< The question, or the words.
  std::string answer;  ///< What was chosen, by whom, or what is done otherwise; of a steer, its effect.
  std::string by;      ///< Empty: nobody (yet).
  double minutes = 0;
};

struct CampaignReport {
  std::string campaign;
  std::string definition;
  std::string device;
  std::string policy;
  std::vector<std::string> policy_sentences;
  std::string state;     ///< "finished", "awaiting approval", …: for people.
  std::string started;   ///< UTC, base::utc_now()'s form.
  std::string finished;  ///< Empty while it runs.
  std::string baseline;
  std::string incumbent;                 ///< The same as `baseline` if nothing was promoted.
  std::optional<int> incumbent_number;   ///< Absent: the baseline.
  std::vector<std::string> alarms;       ///< What makes the whole campaign doubtful; shown before anything else.
  std::vector<std::string> warnings;     ///< Less than that.
  std::vector<std::string> decision;     ///< Sentences, the deciding one first.
  std::optional<Headline> headline;      ///< Absent: the incumbent was not (yet) confirmed against the baseline.
  std::vector<CandidateRow> candidates;  ///< By number.
  std::vector<InjectionRow> injections;  ///< Likewise.
  std::vector<WorkloadRow> workloads;
  std::vector<SourceText> winner_source;
  std::vector<FindingRow> findings;
  std::vector<PersonRow> people;
  std::string stopped;  ///< Why the supervisor or a person ended the search; empty: nobody did.
  task::Named<std::string> environment;
  std::string generated;  ///< UTC; when the page was made. Passed in, so that rendering is pure.
  std::string version;    ///< Of Assay.
};

struct OutcomeCount {
  task::Outcome outcome = task::Outcome::measured;
  int count = 0;
};

/// Counts the judged candidates by outcome, in the order of the outcomes' numbers; only outcomes that occur.
[[nodiscard]] std::vector<OutcomeCount> count_outcomes(const CampaignReport& report);

/// Tells whether a value can be a ratio or a time at all: finite and above 0.
[[nodiscard]] bool is_ratio(double value);

/// Returns the candidate's speedup if it may be shown: its outcome is a correct one and the estimate is a
/// number. A candidate that failed is never fast, whatever was filled in.
[[nodiscard]] std::optional<Ratio> trusted_speedup(const CandidateRow& row);

/// Names an outcome for people: "timed out", "not better".
[[nodiscard]] std::string words(task::Outcome outcome);

}  // namespace assay::report
