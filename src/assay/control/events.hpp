#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/agent_run_events.hpp>
#include <assay/control/injection_events.hpp>
#include <assay/control/ledger.hpp>
#include <assay/control/log_ratio.hpp>
#include <assay/control/memory_events.hpp>
#include <assay/control/role_events.hpp>
#include <assay/control/routing_events.hpp>
#include <assay/control/spending_events.hpp>
#include <assay/control/supervision_events.hpp>
#include <assay/promote/decision.hpp>
#include <assay/promote/representatives.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/solution.hpp>

/// The journal of a campaign. Each struct below is one kind of event; kKind is its persisted name and the fields are
/// its body's, in this order and with these names. Kinds, fields and spellings never change; a reader refuses what it
/// does not know. No body holds a time of day, so that a resumed run on a simulated device writes the same journal.
/// Candidates are named by their number from 1; 0 is the baseline.
namespace assay::control {

inline constexpr int kJournalVersion = 1;

/// Why an evaluation is made. Persisted as text.
enum class Purpose : std::uint8_t {
  baseline,      ///< Stage measure: the baseline alone, all workloads.
  gate,          ///< Stage gate: a candidate against the incumbent, the representatives.
  sweep,         ///< Stage sweep: a gate winner against the incumbent, all workloads.
  confirmation,  ///< Stage sweep: the last incumbent against the baseline, all workloads.
  null_gate,   ///< Stage gate: a copy of the incumbent against it. Of injections `candidate` is the injection's number.
  null_sweep,  ///< Stage sweep: likewise.
  slower_gate,  ///< Stage gate: the baseline, which is known to be slower, against the incumbent.
};

[[nodiscard]] std::string_view to_string(Purpose purpose);

/// How a candidate repeats an earlier one. Persisted as text.
enum class Sameness : std::uint8_t {
  content,       ///< The same bytes, entry point and parameters.
  normalised,    ///< The same after comments and blank space.
  machine_code,  ///< Built to the same machine code; found after the build, before anything is timed.
  route,         ///< Another program that takes a closed route again, without anything new that differs (memory.hpp).
};

[[nodiscard]] std::string_view to_string(Sameness sameness);

/// The first event of every journal.
struct CampaignStarted {
  static constexpr std::string_view kKind = "campaign_started";
  int version = kJournalVersion;
};

/// An evaluation is about to be made. Written before anything runs, so that a resumed campaign finds its bundle.
struct EvaluationIntended {
  static constexpr std::string_view kKind = "evaluation_intended";
  Purpose purpose = Purpose::baseline;
  int candidate = 0;
  int incumbent = 0;  ///< Whom it is compared with; 0 too where there is none.
  int attempt = 1;
  std::string evaluation;  ///< Its id.
  /// What is set aside for it; left out of the body where no limit needs it, and before.
  std::optional<Amounts> most = std::nullopt;
};

/// The attempt ended in an error of the environment: no evidence about the candidate. A confirmation that was held and says
/// nothing ends so too (code kVoidSession of void_confirmation.hpp), in one transaction with its evaluation.
struct EvaluationFailed {
  static constexpr std::string_view kKind = "evaluation_failed";
  std::string evaluation;
  std::string code;                             ///< Of the error.
  std::string message;                          ///< Of the error, with its context.
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// The baseline is correct and measured: latencies, and the regimes that follow from them.
struct BaselineMeasured {
  static constexpr std::string_view kKind = "baseline_measured";
  std::string evaluation;
  std::vector<double> baseline_ns;              ///< One a workload.
  std::vector<promote::Regime> regimes;         ///< As {"name", "members", "representative", "latency_share"}.
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// The baseline is not correct: the campaign has failed.
struct BaselineFailed {
  static constexpr std::string_view kKind = "baseline_failed";
  std::string evaluation;
  task::Outcome outcome = task::Outcome::incorrect;
  std::string cause;
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// A candidate that needs no evaluation, because an earlier one is the same.
struct Duplicate {
  int of = 0;
  Sameness sameness = Sameness::content;
};

struct ProposedCandidate {
  int number = 0;
  std::string name;
  task::CandidateIdentity identity;  ///< As "content" and "normalised".
  task::Named<std::int64_t> parameters;
  agent::Hypothesis hypothesis;
  std::optional<int> parent;                ///< null: none.
  std::optional<Duplicate> duplicate;       ///< null: none. Found before anything is built.
  std::optional<int> tests = std::nullopt;  ///< The hypothesis that it tests; left out of the body otherwise.
};

/// A round begins. Its solutions are in the archive. No candidates: the proposer has nothing left.
struct CandidatesProposed {
  static constexpr std::string_view kKind = "candidates_proposed";
  int round = 0;  ///< 0: supplied by hand.
  std::string proposer;
  std::vector<ProposedCandidate> candidates;
};

/// A gate has ended. Lands in one transaction with its evaluation.
struct CandidateGated {
  static constexpr std::string_view kKind = "candidate_gated";
  int candidate = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  std::optional<LogRatio> log_ratio;  ///< Recomputed from the samples; null where nothing could be compared.
  std::optional<Duplicate> duplicate = std::nullopt;  ///< Only of a `duplicate`: left out of the body otherwise.
  std::optional<Amounts> spent = std::nullopt;        ///< What the ledger books for it; journals of before had none.
};

/// A sweep has ended. Lands in one transaction with its evaluation.
struct CandidateSwept {
  static constexpr std::string_view kKind = "candidate_swept";
  int candidate = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  promote::Decision decision;
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// A sweep's winner becomes the incumbent.
struct CandidatePromoted {
  static constexpr std::string_view kKind = "candidate_promoted";
  int candidate = 0;
  std::string by;  ///< "policy quick", or a person.
  std::string why;
};

/// A person does not want the winner; the incumbent stays.
struct CandidateRefused {
  static constexpr std::string_view kKind = "candidate_refused";
  int candidate = 0;
  std::string by;
  std::string why;
};

/// A confirming sweep has ended, whatever it says; if it does not hold, candidate_demoted follows. Lands in one
/// transaction with its evaluation.
struct CampaignConfirmed {
  static constexpr std::string_view kKind = "campaign_confirmed";
  int candidate = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  promote::Decision decision;
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// The last event of a journal that did not fail, unless a limit had ended the campaign and a person raises it (budget_raised).
struct CampaignFinished {
  static constexpr std::string_view kKind = "campaign_finished";
  int incumbent = 0;
};

/// Why a winner of its gate is not swept. Persisted as text.
enum class OutrunGround : std::uint8_t {
  bounds,  ///< All of its interval lies below a winner's.
  cap,     ///< The policy's sweeps of the round are used up.
};

[[nodiscard]] std::string_view to_string(OutrunGround ground);

/// A winner of its gate leaves the race of its round without a sweep.
struct CandidateOutrun {
  static constexpr std::string_view kKind = "candidate_outrun";
  int candidate = 0;
  int by = 0;  ///< The sibling that outran it, or had the first of the round's sweeps.
  OutrunGround ground = OutrunGround::bounds;
  std::string why;
};

/// A confirmation failed: the incumbent before takes the place again, and is confirmed in turn.
struct CandidateDemoted {
  static constexpr std::string_view kKind = "candidate_demoted";
  int candidate = 0;
  int to = 0;  ///< The incumbent before; 0: the baseline.
  std::string why;
};

using Entry =
    std::variant<CampaignStarted, EvaluationIntended, EvaluationFailed, BaselineMeasured, BaselineFailed,
                 CandidatesProposed, CandidateGated, CandidateSwept, CandidatePromoted, CandidateRefused,
                 CampaignConfirmed, CampaignFinished, CandidateOutrun, CandidateDemoted, InjectionMade, InjectionGated,
                 InjectionSwept, NullPromoted, InjectionWarned, AgentRunIntended, AgentRunEnded, BudgetReached,
                 HypothesisStated, HypothesisTested, EvidenceRecorded, ArmChosen, RoundPlanned, CandidatesSummarised,
                 SupervisorFound, DecisionAsked, DecisionAnswered, DecisionClosed, PersonSteered, PersonTimeBooked,
                 EvaluationUnaffordable, BudgetRaised>;

/// Returns kind and body as the archive stores them.
[[nodiscard]] std::pair<std::string, std::string> encode_entry(const Entry& entry);

/// Reads an event back. What is unknown or damaged is an internal error that names the campaign's sequence: only
/// Assay writes journals, and a newer one must not be misread.
[[nodiscard]] base::Result<Entry> decode_entry(const archive::Event& event);

}  // namespace assay::control
