#include <assay/mcp/told.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/agent/event_line.hpp>
#include <assay/base/text.hpp>

namespace assay::mcp {
namespace {

// A tensor's name, if it is one of the definition's: findings name what they were about.
std::string tensor_of(const task::Finding& finding, const task::Definition& definition) {
  const auto has = [&](const task::Named<task::TensorSpec>& tensors) {
    return finding.tensor && task::find(tensors, *finding.tensor) != nullptr;
  };
  return has(definition.outputs) || has(definition.inputs) ? safe_line(*finding.tensor) : std::string("a tensor");
}

// Of a candidate that was not right. The kinds are the judge's; what is not known here is told by no more than the outcome.
std::string fault_words(const task::Finding& finding, const task::Definition& definition) {
  const std::string tensor = tensor_of(finding, definition);
  if (finding.kind == "mismatch") {
    return fmt::format("{} does not agree with the reference on some input", tensor);
  }
  if (finding.kind == "unwritten") {
    return fmt::format("{} is not written everywhere: write every element of every output in every call", tensor);
  }
  if (finding.kind == "guard_overwritten" || finding.kind == "out_of_bounds") {
    return fmt::format("it writes beyond {}", tensor);
  }
  if (finding.kind == "input_written") {
    return fmt::format("it changes {}, which is an input", tensor);
  }
  if (finding.kind == "entry_missing") {
    return "its entry point was not found";
  }
  return {};
}

std::string outcome_words(task::Outcome outcome) {
  switch (outcome) {
    case task::Outcome::duplicate:
      return "the same code as an earlier candidate; nothing was run";
    case task::Outcome::not_built:
      return "it was not built";
    case task::Outcome::crashed:
      return "a call ended by a signal, an exit or a failure code";
    case task::Outcome::timed_out:
      return "a call or its build took too long";
    case task::Outcome::incorrect:
      return "an output, a guard or an input is not what it must be";
    case task::Outcome::suspect:
      return "something was seen that cannot be reconciled with an honest candidate; it never counts as fast";
    case task::Outcome::protocol_violation:
      return "its process said what no worker says";
    case task::Outcome::measured:
      return "correct, and timed alone";
    case task::Outcome::not_better:
      return "correct, and not faster than the incumbent";
    case task::Outcome::indistinguishable:
      return "correct; whether it is faster could not be told, so the incumbent stays";
    case task::Outcome::better:
      return "correct, and faster than the incumbent on what it was timed on";
    case task::Outcome::built:
      return "built";
  }
  return {};
}

}  // namespace

std::string safe_line(std::string_view text, std::size_t longest) {
  std::string line = agent::clip(base::printable(text), longest);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

std::string explain(const control::CandidateState& candidate, const task::Definition& definition,
                    const task::Evaluation* evaluation) {
  if (!candidate.outcome) {
    return "not judged yet";
  }
  std::string words = outcome_words(*candidate.outcome);
  if (candidate.duplicate_of) {
    words += fmt::format(": {}", *candidate.duplicate_of == 0 ? std::string("the baseline")
                                                              : fmt::format("candidate {}", *candidate.duplicate_of));
  }
  if (evaluation != nullptr && !task::is_correct(*candidate.outcome) && !evaluation->findings.empty()) {
    if (const std::string more = fault_words(evaluation->findings.front(), definition); !more.empty()) {
      words += ": " + more;
    }
  }
  if (candidate.outrun) {
    words += fmt::format("; not swept, for candidate {} of its round is better", candidate.outrun->by);
  }
  if (candidate.demotion) {
    words += "; promoted, and demoted again because a new session did not confirm it";
  } else if (candidate.promoted) {
    words += "; promoted";
  } else if (!candidate.answered_by.empty()) {
    words += "; a person did not want it";
  }
  return words;
}

base::Json encode_effect(double estimate, std::optional<double> lower, std::optional<double> upper) {
  const auto finite = [](const std::optional<double>& bound) {
    return bound && std::isfinite(*bound) ? base::Json(*bound) : base::Json();
  };
  if (!std::isfinite(estimate)) {
    return nullptr;
  }
  return {{"estimate", estimate}, {"lower", finite(lower)}, {"upper", finite(upper)}};
}

base::Json encode_effect(const control::CandidateState& candidate) {
  const auto speedup = [](const std::optional<double>& log_ratio) {
    return log_ratio ? std::optional(std::exp(-*log_ratio)) : std::nullopt;
  };
  if (!candidate.log_ratio_to_baseline) {
    return nullptr;
  }
  return encode_effect(*speedup(candidate.log_ratio_to_baseline), speedup(candidate.log_ratio_to_baseline_upper),
                       speedup(candidate.log_ratio_to_baseline_lower));
}

base::Json encode_candidate(const control::CandidateState& candidate, const task::Definition& definition,
                            const task::Evaluation* evaluation) {
  const auto or_null = [](const auto& value) { return value ? base::Json(*value) : base::Json(); };
  return {{"candidate", candidate.number},
          {"name", safe_line(candidate.name)},
          {"round", candidate.round},
          {"parent", or_null(candidate.parent)},
          {"change", safe_line(candidate.hypothesis.change)},
          {"regime", safe_line(candidate.hypothesis.regime)},
          {"outcome", candidate.outcome ? base::Json(task::to_string(*candidate.outcome)) : base::Json()},
          {"explanation", explain(candidate, definition, evaluation)},
          {"effect", encode_effect(candidate)},
          {"promoted", candidate.promoted && !candidate.demotion},
          {"duplicate_of", or_null(candidate.duplicate_of)}};
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::queued:
      return "queued";
    case Stage::judging:
      return "judging";
    case Stage::after_run:
      return "after_run";
    case Stage::stalled:
      return "stalled";
    case Stage::awaiting_approval:
      return "awaiting_approval";
    case Stage::judged:
      return "judged";
    case Stage::not_judged:
      return "not_judged";
  }
  return "";
}

bool is_final(Stage stage) { return stage == Stage::judged || stage == Stage::not_judged; }

Stage stage_of(const control::CandidateState& candidate, const control::CampaignState& state) {
  if (state.awaiting == candidate.number) {
    return state.phase == control::Phase::awaiting_approval ? Stage::awaiting_approval : Stage::judging;
  }
  const bool over = state.phase != control::Phase::searching && state.phase != control::Phase::awaiting_approval;
  if (!candidate.outcome) {
    return over ? Stage::not_judged : Stage::judging;
  }
  const bool sweep_due = candidate.outcome == task::Outcome::better && !candidate.decision && !candidate.outrun;
  return sweep_due && !over ? Stage::judging : Stage::judged;
}

}  // namespace assay::mcp
