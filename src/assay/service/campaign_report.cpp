#include <assay/service/campaign_report.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/promote/policy.hpp>
#include <assay/promote/reported_interval.hpp>
#include <assay/report/html.hpp>
#include <assay/service/spending_words.hpp>
#include <assay/service/supervision_report.hpp>

namespace assay::service {
namespace {

report::Ratio speedup_of(double log_ratio, double lower, double upper) {
  return {std::exp(-log_ratio), std::exp(-upper), std::exp(-lower)};
}

const control::CandidateState* find_number(const control::CampaignState& state, std::optional<int> number) {
  for (const control::CandidateState& candidate : state.candidates) {
    if (number == candidate.number) {
      return &candidate;
    }
  }
  return nullptr;
}

report::CandidateRow row_of(const control::CandidateState& candidate) {
  report::CandidateRow row;
  row.number = candidate.number;
  row.round = candidate.round;
  row.name = candidate.name;
  row.digest = candidate.identity.content.brief();
  row.parent = candidate.parent;
  row.hypothesis = {candidate.hypothesis.regime, candidate.hypothesis.limiting_resource, candidate.hypothesis.change,
                    candidate.hypothesis.predicted_effect};
  row.parameters = candidate.parameters;
  row.outcome = candidate.outcome;
  row.cause = candidate.cause;
  // The baseline has number 0 in the journal and no row in the report; the cause names it.
  row.duplicate_of = candidate.duplicate_of == 0 ? std::nullopt : candidate.duplicate_of;
  if (!candidate.sweep_evaluation.empty()) {
    row.stage = task::Stage::sweep;
  } else if (!candidate.gate_evaluation.empty()) {
    row.stage = task::Stage::gate;
  }
  if (candidate.log_ratio_to_baseline) {
    const double log_ratio = *candidate.log_ratio_to_baseline;
    row.speedup = speedup_of(log_ratio, candidate.log_ratio_to_baseline_lower.value_or(log_ratio),
                             candidate.log_ratio_to_baseline_upper.value_or(log_ratio));
  }
  row.promoted = candidate.promoted;
  row.demotion = candidate.demotion.value_or("");
  row.unswept = candidate.outrun ? candidate.outrun->why : "";
  return row;
}

std::string whom(int number) { return number == 0 ? "the baseline" : fmt::format("candidate {}", number); }

report::InjectionRow row_of(const control::InjectionState& injection) {
  report::InjectionRow row;
  row.number = injection.made.number;
  row.round = injection.made.round;
  const bool null = injection.made.kind == control::InjectionKind::null;
  row.what = null ? "a copy of " + whom(injection.made.of) : whom(injection.made.of);
  row.must = null ? "must not win" : "must lose";
  row.outcome = injection.outcome;
  row.cause = injection.cause;
  if (!injection.gate_evaluation.empty()) {
    row.stage = injection.sweep_evaluation.empty() ? task::Stage::gate : task::Stage::sweep;
  }
  if (injection.log_ratio) {
    row.speedup = speedup_of(injection.log_ratio->mean, injection.log_ratio->lower, injection.log_ratio->upper);
  }
  row.complaint = injection.alarm.empty() ? injection.warning : injection.alarm;
  return row;
}

std::string with_interval(const promote::Decision& decision) {
  return fmt::format("{:.3f} times as fast (interval {:.3f} to {:.3f}, {} workloads, {} process pairs)",
                     decision.speedup, decision.speedup_lower, decision.speedup_upper, decision.workloads,
                     decision.pairs);
}

// What became of those that were promoted, beside the incumbent.
void tell_demotions(const control::CampaignState& state, std::vector<std::string>& sentences) {
  for (const control::ConfirmationState& confirmation : state.confirmations) {
    const control::CandidateState& candidate = state.candidate(confirmation.candidate);
    if (candidate.demotion) {
      sentences.push_back(fmt::format("Candidate {} ({}) was promoted and is demoted: {}", candidate.number,
                                      candidate.name, *candidate.demotion));
    }
  }
}

// The number that the incumbent was chosen by; only the confirmation's is reported.
void tell_screening(const CampaignStatus& status, const control::CandidateState& incumbent,
                    std::vector<std::string>& sentences) {
  const auto& reign = status.state.reign;
  if (incumbent.decision) {
    sentences.push_back(fmt::format("Screening, which chose it: its sweep saw {}, compared with {}.",
                                    with_interval(*incumbent.decision),
                                    whom(reign.size() > 1 ? reign[reign.size() - 2] : 0)));
  }
}

std::string fate(const control::CandidateState& candidate) {
  if (!candidate.promoted) {
    return "not promoted";
  }
  return candidate.demotion ? "promoted, and demoted in the end" : "promoted";
}

std::vector<std::string> decision_sentences(const CampaignStatus& status) {
  const control::CampaignState& state = status.state;
  const std::string& baseline = status.configuration.baseline.name;
  std::vector<std::string> sentences;
  const control::CandidateState* incumbent = find_number(state, state.incumbent);
  const control::CandidateState* awaiting = find_number(state, state.awaiting);
  if (!state.failure.empty()) {
    sentences.push_back("The campaign failed: " + state.failure);
  }
  if (awaiting != nullptr) {
    sentences.push_back(fmt::format("Candidate {} ({}) won its sweep and waits for a person: assay approve {}",
                                    awaiting->number, awaiting->name, status.configuration.name));
  }
  if (incumbent != nullptr && state.confirmation) {
    sentences.push_back(
        fmt::format("Candidate {} ({}) is the incumbent. In a new session it was {}, compared with the baseline {}.",
                    incumbent->number, incumbent->name, with_interval(*state.confirmation), baseline));
    for (const std::string& reason : state.confirmation->reasons) {
      sentences.push_back("Confirmation: " + reason);
    }
    if (state.phase == control::Phase::finished && !state.confirmations.back().holds()) {
      sentences.emplace_back("The confirmation failed, and demoted nobody: an earlier version of Assay ended it so.");
    }
    if (!state.confirmation->correctness.empty()) {
      sentences.push_back("Correctness: " + state.confirmation->correctness);
    }
    tell_screening(status, *incumbent, sentences);
  } else if (incumbent != nullptr) {
    sentences.push_back(
        fmt::format("Candidate {} ({}) is the incumbent; it was not confirmed against the baseline yet.",
                    incumbent->number, incumbent->name));
    if (state.phase == control::Phase::confirming && state.failed_attempts > 0) {
      sentences.push_back(fmt::format(
          "Its confirmation was tried {} and failed for reasons that are not its own; the "
          "last time: {}",
          state.failed_attempts == 1 ? "once" : fmt::format("{} times", state.failed_attempts), state.last_failure));
    }
    tell_screening(status, *incumbent, sentences);
  } else if (state.phase == control::Phase::finished) {
    sentences.push_back(fmt::format("The baseline {} stays: no candidate was {} to be better.", baseline,
                                    state.confirmations.empty() ? "shown" : "confirmed"));
  }
  tell_demotions(state, sentences);
  for (const control::CandidateState& candidate : state.candidates) {
    if (candidate.decision) {
      std::string line = fmt::format("Candidate {} was swept: {}", candidate.number, fate(candidate));
      if (!candidate.decision->reasons.empty()) {
        line += "; " + candidate.decision->reasons.front();
      }
      if (!candidate.decision->correctness.empty()) {
        line += "; " + candidate.decision->correctness;
      }
      sentences.push_back(std::move(line));
    }
    if (candidate.outrun) {
      const bool by_bounds = candidate.outrun->ground == control::OutrunGround::bounds;
      sentences.push_back(fmt::format(
          "Candidate {} passed its gate and was {}: {}", candidate.number,
          by_bounds ? fmt::format("outrun by candidate {}", candidate.outrun->by) : std::string("not swept"),
          candidate.outrun->why));
    }
  }
  return sentences;
}

std::string phase_words(control::Phase phase) {
  std::string words(control::to_string(phase));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::vector<report::WorkloadRow> bare_rows(const CampaignStatus& status) {
  std::vector<report::WorkloadRow> rows;
  for (std::size_t i = 0; i < status.configuration.workloads.size(); ++i) {
    report::WorkloadRow& row = rows.emplace_back();
    row.uuid = status.configuration.workloads[i].uuid;
    row.axes = status.configuration.workloads[i].axes;
    if (i < status.state.baseline_ns.size()) {
      row.baseline_ns = status.state.baseline_ns[i];
    }
  }
  return rows;
}

// Fills in what a sweep of the incumbent says. Only a sweep against the baseline gives ratios to it: latencies of two
// sessions are not divided.
void apply_sweep(const task::Evaluation& sweep, bool against_baseline, std::vector<report::WorkloadRow>& rows) {
  for (const task::WorkloadTiming& timing : sweep.timings) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const report::WorkloadRow& r) { return r.uuid == timing.uuid; });
    if (row == rows.end()) {
      continue;
    }
    row->incumbent_ns = timing.candidate_ns;
    if (against_baseline) {
      row->baseline_ns = timing.incumbent_ns;
      if (timing.log_ratio) {
        row->speedup = speedup_of(*timing.log_ratio, timing.log_ratio_lower.value_or(*timing.log_ratio),
                                  timing.log_ratio_upper.value_or(*timing.log_ratio));
      }
    }
  }
}

// The evaluation that says most about the incumbent, and about the machine: confirmation, sweep, baseline.
std::string best_evidence(const control::CampaignState& state) {
  if (!state.confirmation_evaluation.empty()) {
    return state.confirmation_evaluation;
  }
  const control::CandidateState* incumbent = find_number(state, state.incumbent);
  return incumbent != nullptr ? incumbent->sweep_evaluation : state.baseline_evaluation;
}

base::Result<void> add_winner_source(const archive::Archive& archive, const control::CandidateState& incumbent,
                                     report::CampaignReport& report) {
  ASSAY_TRY_ASSIGN(const auto stored, archive.candidate(incumbent.identity.content.hex()));
  if (!stored) {
    return base::environment_error("archive.damaged",
                                   fmt::format("the incumbent {} is not in the archive: run `assay archive verify`",
                                               incumbent.identity.content.brief()));
  }
  for (const task::SourceFile& source : stored->solution.sources) {
    report.winner_source.push_back({report::SourceText::Kind::whole,
                                    fmt::format("{} of candidate {}", source.path, incumbent.number), source.content});
  }
  return {};
}

// Over the campaign's sweeps of the incumbent against the baseline: the one that made it so, if that was against the
// baseline, and the confirmation.
base::Result<std::optional<report::Headline::Resampled>> resampled(const archive::Archive& archive,
                                                                   const control::CampaignConfiguration& configuration,
                                                                   const base::Digest& incumbent) {
  const base::Digest baseline = task::identify(configuration.baseline).content;
  ASSAY_TRY_ASSIGN(const auto summaries, archive.evaluations(configuration.name, incumbent.hex()));
  stats::NestedRatios sessions;
  double alpha = 0;
  for (const archive::EvaluationSummary& summary : summaries) {
    if (summary.stage != task::Stage::sweep || summary.incumbent != baseline || !task::is_correct(summary.outcome)) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const task::EvaluationRequest request, archive.request(summary.id));
    ASSAY_TRY_ASSIGN(const std::vector<task::Sample> samples, archive.samples(summary.id));
    sessions.push_back(promote::blocks_of(request, samples));
    alpha = configuration.policy.sweep.alpha;
  }
  const auto interval = sessions.empty() ? std::nullopt : promote::reported_interval(sessions, alpha);
  if (!interval) {
    return std::nullopt;
  }
  const report::Ratio speedup = speedup_of(interval->log_ratio, interval->lower, interval->upper);
  return report::Headline::Resampled{speedup, 1 - interval->alpha, interval->sessions, interval->pairs};
}

}  // namespace

std::string_view version() { return ASSAY_VERSION; }

base::Result<report::CampaignReport> build_report(const archive::Archive& archive, const CampaignStatus& status) {
  const control::CampaignConfiguration& configuration = status.configuration;
  const control::CampaignState& state = status.state;
  report::CampaignReport report;
  report.campaign = configuration.name;
  report.definition = configuration.definition.name;
  report.device = configuration.device;
  report.policy = configuration.policy.name;
  report.policy_sentences = promote::explain(configuration.policy);
  report.state = phase_words(state.phase);
  report.started = status.created;
  ASSAY_TRY_ASSIGN(const std::vector<archive::Event> events, archive.events(configuration.name));
  if ((state.phase == control::Phase::finished || state.phase == control::Phase::failed) && !events.empty()) {
    report.finished = events.back().at;
  }
  report.baseline = configuration.baseline.name;
  report.incumbent = configuration.baseline.name;
  report.decision = decision_sentences(status);
  for (std::string& sentence : spending_words(state)) {
    report.decision.push_back(std::move(sentence));
  }
  for (const control::CandidateState& candidate : state.candidates) {
    report.candidates.push_back(row_of(candidate));
  }
  report.alarms = state.alarms();
  for (const control::InjectionState& injection : state.injections) {
    report.injections.push_back(row_of(injection));
    if (!injection.warning.empty()) {
      report.warnings.push_back(injection.warning);
    }
  }
  add_supervision(state, report);
  report.workloads = bare_rows(status);
  if (const control::CandidateState* incumbent = find_number(state, state.incumbent)) {
    report.incumbent = incumbent->name;
    report.incumbent_number = incumbent->number;
    ASSAY_TRY(add_winner_source(archive, *incumbent, report));
    if (state.confirmation) {
      const promote::Decision& decision = *state.confirmation;
      report.headline = report::Headline{{decision.speedup, decision.speedup_lower, decision.speedup_upper},
                                         decision.mean_latency_ratio,
                                         decision.contest_score,
                                         decision.workloads,
                                         decision.pairs};
      ASSAY_TRY_ASSIGN(report.headline->resampled, resampled(archive, configuration, incumbent->identity.content));
    }
  }
  const std::string evidence = best_evidence(state);
  if (!evidence.empty()) {
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(evidence));
    if (evaluation) {
      report.environment = evaluation->environment;
      if (state.incumbent) {
        const base::Digest baseline = task::identify(configuration.baseline).content;
        apply_sweep(*evaluation, evaluation->incumbent && evaluation->incumbent->content == baseline, report.workloads);
      }
    }
  }
  report.generated = base::utc_now();
  report.version = version();
  return report;
}

base::Result<report::CampaignReport> campaign_report(const Context& context, const std::string& campaign) {
  ASSAY_TRY_ASSIGN(const CampaignStatus status, campaign_status(context, campaign));
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  return build_report(archive, status);
}

base::Result<void> write_report(const report::CampaignReport& report, const os::Path& file) {
  if (file.has_parent_path()) {
    ASSAY_TRY(os::create_directories(file.parent_path()));
  }
  return os::write_file_atomic(file, report::render_html(report));
}

}  // namespace assay::service
