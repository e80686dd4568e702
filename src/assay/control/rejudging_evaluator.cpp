#include <assay/control/rejudging_evaluator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/control/recorded_evaluator.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {
namespace {

bool same_workloads(const std::vector<task::Workload>& a, const std::vector<task::Workload>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const task::Workload& x, const task::Workload& y) { return x.uuid == y.uuid; });
}

// "sweep" of "night-3-sweep-1": a confirmation has to be a session of its own, though it asks what a sweep asks.
std::string_view stage_word_of(std::string_view id) {
  const std::size_t last = id.rfind('-');
  const std::size_t before = last == 0 || last == std::string_view::npos ? last : id.rfind('-', last - 1);
  return before == std::string_view::npos || last == 0 ? std::string_view() : id.substr(before, last - before);
}

}  // namespace

base::Result<Judgement> read_judgement(const archive::Archive& archive, const std::string& id) {
  Judgement judgement;
  ASSAY_TRY_ASSIGN(judgement.request, archive.request(id));
  ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(id));
  if (!evaluation) {
    return base::environment_error("archive.damaged", fmt::format("evaluation {} is not in the archive: run `assay "
                                                                  "archive verify`",
                                                                  id));
  }
  judgement.evaluation = *evaluation;
  ASSAY_TRY_ASSIGN(judgement.samples, archive.samples(id));
  return judgement;
}

base::Result<std::optional<std::string>> RejudgingEvaluator::find(const task::EvaluationRequest& request) const {
  const base::Digest candidate = task::identify(request.candidate).content;
  const auto incumbent =
      request.incumbent ? std::optional(task::identify(*request.incumbent).content) : std::optional<base::Digest>();
  ASSAY_TRY_ASSIGN(const auto all, archive_.evaluations(campaign_, ""));
  std::optional<std::string> found;
  for (const archive::EvaluationSummary& one : all) {
    if (one.stage != request.stage || one.candidate != candidate || one.incumbent != incumbent ||
        one.device != request.device || stage_word_of(one.id) != stage_word_of(request.id) || found == request.id) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const task::EvaluationRequest asked, archive_.request(one.id));
    if (same_workloads(asked.workloads, request.workloads)) {
      found = one.id;
    }
  }
  return found;
}

base::Result<os::Path> RejudgingEvaluator::evaluate(const task::EvaluationRequest& request) {
  ASSAY_TRY_ASSIGN(const auto id, find(request));
  if (!id) {
    return base::input_error(
        kUnmeasured, fmt::format("{} would compare \"{}\" with {} on {} workloads, which nobody measured", request.id,
                                 request.candidate.name,
                                 request.incumbent ? "\"" + request.incumbent->name + "\"" : std::string("nothing"),
                                 request.workloads.size()));
  }
  ASSAY_TRY_ASSIGN(const Judgement measured, read_judgement(archive_, *id));
  ASSAY_TRY_ASSIGN(const Judgement judged, rejudge(measured, request));
  const os::Path folder = spool_ / request.id;
  ASSAY_TRY(
      put_files(folder, {{std::string(task::kRequestFile), base::dump_compact(task::encode(judged.request))},
                         {std::string(task::kEvaluationFile), base::dump_compact(task::encode(judged.evaluation))},
                         {std::string(task::kSamplesFile), base::dump_compact(task::encode(judged.samples))}}));
  return folder;
}

}  // namespace assay::control
