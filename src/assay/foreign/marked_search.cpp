#include <assay/foreign/marked_search.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/supervise/words.hpp>

namespace assay::foreign {
namespace {

base::Json encode_attempt(const Audit& audit, const TraceAudit& trace, int attempt) {
  const Evaluation& evaluation = evaluation_of(audit, trace, attempt);
  return {{"attempt", attempt}, {"evaluation", evaluation.id}, {"iteration", *evaluation.iteration}};
}

base::Json encode_mark(const Audit& audit, const TraceAudit& trace, const supervise::Mark& mark) {
  return {{"condition", supervise::to_string(mark.finding.condition)},
          {"cause", supervise::to_string(mark.finding.cause)},
          {"recovery", supervise::to_string(mark.finding.recovery)},
          {"since", encode_attempt(audit, trace, mark.finding.since)},
          {"found", encode_attempt(audit, trace, mark.finding.at)},
          {"until", encode_attempt(audit, trace, mark.until)},
          {"open", mark.open},
          {"evidence", mark.finding.evidence}};
}

std::string iteration_text(const Audit& audit, const TraceAudit& trace, int attempt) {
  return fmt::format("iteration {} (attempt {})", *evaluation_of(audit, trace, attempt).iteration, attempt);
}

}  // namespace

const Evaluation& evaluation_of(const Audit& audit, const TraceAudit& trace, int attempt) {
  return audit.archive.evaluations[trace.search.attempts.at(static_cast<std::size_t>(attempt - 1))];
}

base::Json encode_marks(const Audit& audit) {
  base::Json all = base::Json::object();
  for (const TraceAudit& trace : audit.traces) {
    base::Json marks = base::Json::array();
    for (const supervise::Mark& mark : trace.marks) {
      marks.push_back(encode_mark(audit, trace, mark));
    }
    all[trace.name] = {{"attempts", trace.search.attempts.size()},
                       {"not_placed", trace.archived + trace.extra - trace.search.attempts.size()},
                       {"marks", std::move(marks)}};
  }
  return all;
}

std::string mark_sentence(const Audit& audit, const TraceAudit& trace, const supervise::Mark& mark) {
  const supervise::Finding& finding = mark.finding;
  std::string text =
      fmt::format("{}: {}", iteration_text(audit, trace, finding.at), supervise::in_words(finding.condition));
  if (!finding.momentary) {
    text += mark.open ? ", until the end" : fmt::format(", until {}", iteration_text(audit, trace, mark.until));
  }
  text +=
      finding.cause == supervise::Cause::none ? std::string() : fmt::format("; {}", supervise::in_words(finding.cause));
  return text + fmt::format("; it would have said: {}. {}", supervise::in_words(finding.recovery), finding.evidence);
}

}  // namespace assay::foreign
