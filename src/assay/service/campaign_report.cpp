#include <assay/service/campaign_report.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <assay/base/text.hpp>
#include <assay/base/time.hpp>
#include <assay/promote/policy.hpp>
#include <assay/report/html.hpp>

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
  return row;
}

std::string with_interval(const promote::Decision& decision) {
  return fmt::format("{:.3f} times as fast (interval {:.3f} to {:.3f}, {} workloads, {} process pairs)",
                     decision.speedup, decision.speedup_lower, decision.speedup_upper, decision.workloads,
                     decision.pairs);
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
    if (!state.confirmation->correctness.empty()) {
      sentences.push_back("Correctness: " + state.confirmation->correctness);
    }
  } else if (incumbent != nullptr) {
    sentences.push_back(
        fmt::format("Candidate {} ({}) is the incumbent; it was not confirmed against the baseline yet.",
                    incumbent->number, incumbent->name));
  } else if (state.phase == control::Phase::finished) {
    sentences.push_back(fmt::format("The baseline {} stays: no candidate was shown to be better.", baseline));
  }
  for (const control::CandidateState& candidate : state.candidates) {
    if (candidate.decision) {
      std::string line =
          fmt::format("Candidate {} was swept: {}", candidate.number, candidate.promoted ? "promoted" : "not promoted");
      if (!candidate.decision->reasons.empty()) {
        line += "; " + candidate.decision->reasons.front();
      }
      if (!candidate.decision->correctness.empty()) {
        line += "; " + candidate.decision->correctness;
      }
      sentences.push_back(std::move(line));
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
  for (const control::CandidateState& candidate : state.candidates) {
    report.candidates.push_back(row_of(candidate));
  }
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
