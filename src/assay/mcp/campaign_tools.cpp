#include <assay/mcp/campaign_tools.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/agent/candidate_sources.hpp>
#include <assay/base/text.hpp>
#include <assay/mcp/history.hpp>
#include <assay/mcp/measured.hpp>
#include <assay/mcp/routes.hpp>
#include <assay/mcp/told.hpp>
#include <assay/mcp/tool_arguments.hpp>
#include <assay/mcp/tool_list.hpp>
#include <assay/service/inspect.hpp>
#include <assay/task/codec.hpp>

namespace assay::mcp {
namespace {

using base::Json;

const control::CandidateState* named(const control::CampaignState& state, const std::string& name) {
  const auto found = std::find_if(state.candidates.begin(), state.candidates.end(),
                                  [&](const control::CandidateState& candidate) { return candidate.name == name; });
  return found == state.candidates.end() ? nullptr : &*found;
}

Json encode_sources(const std::vector<task::SourceFile>& sources) {
  Json json = Json::array();
  for (const task::SourceFile& source : sources) {
    json.push_back({{"path", source.path}, {"content", source.content}});
  }
  return json;
}

// Of errors that are not the caller's nothing but the code is told: their words are for whoever runs the machine.
std::string failure_text(const base::Error& error) {
  return error.code.starts_with("mcp.")
             ? error.message
             : fmt::format(
                   "the harness could not do that ({}); it is no fault of a candidate: try again later, or ask "
                   "whoever runs it",
                   error.code);
}

}  // namespace

CampaignTools::CampaignTools(const service::Context& context, std::string campaign, service::TakesSubmissions& desk)
    : context_(context), campaign_(std::move(campaign)), desk_(desk) {}

std::string CampaignTools::instructions() const {
  return fmt::format(
      "Assay, campaign \"{}\": kernels are judged here, and nowhere else. Call get_task and get_state first; state a "
      "hypothesis with propose_hypothesis; send all files with submit_candidate; then call wait_for_job until it says "
      "judged. What you say is no evidence: a candidate counts by what is measured of it. Ask list_failed_routes "
      "before "
      "you try something again.",
      campaign_);
}

const Json& CampaignTools::list() const { return campaign_tool_list(); }

ToolAnswer CampaignTools::call(std::string_view name, const Json& arguments, const Caller& caller) {
  desk_.wake();  // Whoever asks wants the campaign to go on: its baseline is measured, and what waits is judged.
  auto answer = perform(name, arguments, caller);
  return answer ? std::move(*answer) : ToolAnswer(ToolResult{failure_text(answer.error()), true});
}

base::Result<ToolAnswer> CampaignTools::perform(std::string_view name, const Json& arguments, const Caller& caller) {
  if (name == "wait_for_job") {
    return wait(arguments);
  }
  const auto json = [&]() -> base::Result<Json> {
    if (name == "get_task") {
      return get_task(arguments);
    }
    if (name == "get_state") {
      return get_state(arguments);
    }
    if (name == "submit_candidate") {
      return submit(arguments, caller);
    }
    if (name == "get_result") {
      return get_result(arguments);
    }
    if (name == "get_profile") {
      return get_profile(arguments);
    }
    if (name == "compare") {
      return compare(arguments);
    }
    if (name == "list_failed_routes") {
      return failed_routes(arguments);
    }
    if (name == "search_history") {
      return search(arguments);
    }
    ASSAY_CHECK(name == "propose_hypothesis");
    return propose(arguments);
  }();
  if (!json) {
    return tl::unexpected(json.error());
  }
  return ToolResult{base::dump_compact(*json), false};
}

base::Result<CampaignTools::Status> CampaignTools::status() const {
  return service::campaign_status(context_, campaign_);
}

base::Result<Json> CampaignTools::get_task(const Json& arguments) const {
  ASSAY_TRY(read_nothing(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  const task::Solution& baseline = now.configuration.baseline;
  return Json{{"definition", task::encode(now.configuration.definition)},
              {"device", now.configuration.device},
              {"entry_point", baseline.spec.entry_point},
              {"language", task::to_string(baseline.spec.language)},
              {"begin_with", {{"candidate", 0}, {"sources", encode_sources(baseline.sources)}}},
              {"rules",
               {"A candidate keeps the entry point, and is submitted whole: all of its files each time.",
                "It must be right on inputs that you do not know; a wrong, slow or dishonest one is never promoted.",
                "It is timed against the incumbent; a gain that cannot be told from noise keeps the incumbent.",
                "State what you change and what you expect before it is measured."}}};
}

base::Result<Json> CampaignTools::get_state(const Json& arguments) const {
  ASSAY_TRY(read_nothing(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  const control::CampaignState& state = now.state;
  Json regimes = Json::array();
  for (const promote::Regime& regime : state.regimes) {
    constexpr double kNanosecondsInMicrosecond = 1000;
    regimes.push_back({{"name", regime.name},
                       {"workloads", regime.members.size()},
                       {"baseline_us", state.baseline_ns[regime.representative] / kNanosecondsInMicrosecond},
                       {"latency_share", regime.latency_share}});
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> jobs, waiting(now));
  ASSAY_TRY_ASSIGN(const int left, submissions_left(now));
  const std::string trouble = desk_.work().trouble;
  const auto& confirmed = state.confirmation;
  return Json{
      {"campaign", campaign_},
      {"phase", control::to_string(state.phase)},
      {"incumbent", state.incumbent_number()},
      {"awaiting_approval", state.awaiting ? Json(*state.awaiting) : Json()},
      {"candidates", state.candidates.size()},
      {"regimes", std::move(regimes)},
      {"waiting", jobs},
      {"submissions_left", left},
      {"confirmed",
       confirmed ? encode_effect(confirmed->speedup, confirmed->speedup_lower, confirmed->speedup_upper) : Json()},
      {"trouble", trouble.empty() ? Json() : Json(trouble)}};
}

base::Result<std::vector<std::string>> CampaignTools::waiting(const Status& status) const {
  ASSAY_TRY_ASSIGN(std::vector<std::string> jobs, desk_.store().jobs());
  std::erase_if(jobs, [&](const std::string& job) { return named(status.state, job) != nullptr; });
  return jobs;
}

base::Result<int> CampaignTools::submissions_left(const Status& status) const {
  const control::Phase phase = status.state.phase;
  if (phase == control::Phase::finished || phase == control::Phase::failed || phase == control::Phase::confirming) {
    return 0;
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> jobs, waiting(status));
  return std::max(0, status.configuration.rounds - status.state.rounds_started - static_cast<int>(jobs.size()));
}

base::Result<Json> CampaignTools::submit(const Json& arguments, const Caller& caller) {
  ASSAY_TRY_ASSIGN(SubmitArguments given, read_submission(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  ASSAY_TRY_ASSIGN(const int left, submissions_left(now));
  if (left == 0) {
    return base::input_error("mcp.no_submissions_left",
                             fmt::format("no submission is left: the campaign is {}; ask whoever runs it for another "
                                         "one",
                                         control::to_string(now.state.phase)));
  }
  if (given.hypothesis_id) {
    ASSAY_TRY_ASSIGN(const auto stated, desk_.store().find_hypothesis(*given.hypothesis_id));
    if (!stated) {
      return base::input_error("mcp.hypothesis", "/hypothesis names none: propose_hypothesis returns what to put here");
    }
    given.submission.hypothesis = stated->claim;
    given.submission.stated = stated->stated;
  }
  if (given.submission.parent) {
    ASSAY_TRY(numbered(now.state, *given.submission.parent));
  }
  const std::string fault = agent::candidate_fault(given.submission.sources, now.configuration.baseline);
  if (!fault.empty()) {
    return base::input_error("mcp.sources", "/sources: " + fault);
  }
  given.submission.by = caller.name;
  ASSAY_TRY_ASSIGN(const std::vector<std::string> before, waiting(now));
  ASSAY_TRY_ASSIGN(const std::string job, desk_.submit(given.submission));
  return Json{{"job", job}, {"ahead", before.size()}, {"submissions_left", left - 1}};
}

base::Result<Json> CampaignTools::candidate_answer(const Status& status,
                                                   const control::CandidateState& candidate) const {
  const Stage stage = stage_of(candidate, status.state);
  const std::string& last = candidate.sweep_evaluation.empty() ? candidate.gate_evaluation : candidate.sweep_evaluation;
  std::optional<task::Evaluation> evaluation;
  Json errors = Json::array();
  if (!last.empty()) {
    ASSAY_TRY_ASSIGN(const service::Shown shown, service::show(context_, last));
    if (shown.evaluation) {
      evaluation = shown.evaluation->evaluation;
      for (const std::string& line : shown.evaluation->compiler_errors) {
        errors.push_back(safe_line(line));
      }
    }
  }
  const auto& decision = candidate.decision;
  return Json{
      {"job", nullptr},
      {"stage", to_string(stage)},
      {"judged", is_final(stage)},
      {"trouble", nullptr},
      {"result", encode_candidate(candidate, status.configuration.definition, evaluation ? &*evaluation : nullptr)},
      {"sweep",
       decision ? Json{{"verdict", promote::to_string(decision->verdict)},
                       {"speedup", encode_effect(decision->speedup, decision->speedup_lower, decision->speedup_upper)}}
                : Json()},
      {"compiler_errors", std::move(errors)}};
}

base::Result<Json> CampaignTools::job_answer(const std::string& job) const {
  const service::DeskWork work = desk_.work();  // Before the journal: what has ended by now is in it.
  ASSAY_TRY_ASSIGN(const Status now, status());
  const control::CandidateState* candidate = named(now.state, job);
  Json answer;
  Stage stage = Stage::queued;
  if (candidate != nullptr) {
    ASSAY_TRY_ASSIGN(answer, candidate_answer(now, *candidate));
    stage = stage_of(*candidate, now.state);
  } else {
    ASSAY_TRY_ASSIGN(const auto submission, desk_.store().find(job));
    if (!submission) {
      return base::input_error("mcp.job", "/job is none of this campaign: submit_candidate returns what to put here");
    }
    const control::Phase phase = now.state.phase;
    stage = phase == control::Phase::finished || phase == control::Phase::failed ? Stage::not_judged : Stage::queued;
    answer = {{"job", nullptr},
              {"stage", ""},
              {"judged", false},
              {"trouble", nullptr},
              {"result", nullptr},
              {"sweep", nullptr},
              {"compiler_errors", Json::array()}};
  }
  const bool stopped = !work.busy && !work.trouble.empty() && (stage == Stage::queued || stage == Stage::judging);
  stage = stopped ? Stage::stalled : stage == Stage::queued && work.after_run ? Stage::after_run : stage;
  answer["job"] = job;
  answer["stage"] = to_string(stage);
  answer["judged"] = is_final(stage);
  if (!work.trouble.empty() && !is_final(stage)) {
    answer["trouble"] = work.trouble;
  }
  return answer;
}

base::Result<ToolAnswer> CampaignTools::wait(const Json& arguments) {
  ASSAY_TRY_ASSIGN(const WaitArguments given, read_wait(arguments));
  ASSAY_TRY(job_answer(given.job));  // One that nobody submitted is told at once.
  // The journal is read only when something has happened: it grows long, and this asks often.
  auto seen = std::make_shared<std::int64_t>(-1);
  return Deferred{std::chrono::seconds(given.max_seconds), [this, job = given.job, seen](bool time_is_up) -> Look {
                    const service::DeskWork work = desk_.work();
                    Look look;
                    look.news = work.busy ? fmt::format("{} of at most {} judgements are made", std::floor(work.done),
                                                        std::floor(work.total))
                                          : "nothing is being judged";
                    if (*seen == work.steps && work.busy && !time_is_up) {
                      return look;
                    }
                    *seen = work.steps;
                    const auto answer = job_answer(job);
                    if (!answer) {
                      look.result = ToolResult{failure_text(answer.error()), true};
                      return look;
                    }
                    const std::string stage = (*answer)["stage"];
                    const bool moves = stage == to_string(Stage::queued) || stage == to_string(Stage::judging);
                    if (time_is_up || !moves) {
                      look.result = ToolResult{base::dump_compact(*answer), false};
                    }
                    return look;
                  }};
}

base::Result<Json> CampaignTools::get_result(const Json& arguments) const {
  ASSAY_TRY_ASSIGN(const ResultArguments given, read_result(arguments));
  if (given.job) {
    return job_answer(*given.job);
  }
  ASSAY_TRY_ASSIGN(const Status now, status());
  ASSAY_TRY_ASSIGN(const control::CandidateState* candidate, numbered(now.state, *given.candidate));
  if (candidate == nullptr) {
    return base::input_error("mcp.candidate", "0 is the baseline, which everything is measured against: see get_state");
  }
  return candidate_answer(now, *candidate);
}

base::Result<Json> CampaignTools::get_profile(const Json& arguments) const {
  ASSAY_TRY_ASSIGN(const int number, read_candidate(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  return profile_answer(context_, now, number);
}

base::Result<Json> CampaignTools::compare(const Json& arguments) const {
  ASSAY_TRY_ASSIGN(const auto given, read_pair(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  ASSAY_TRY_ASSIGN(const control::CandidateState* first, numbered(now.state, given.first));
  ASSAY_TRY_ASSIGN(const control::CandidateState* second, numbered(now.state, given.second));
  Json answer = {{"first", given.first}, {"second", given.second}};
  answer.update(relation_of(interval_of(first), interval_of(second)));
  return answer;
}

base::Result<Json> CampaignTools::failed_routes(const Json& arguments) const {
  ASSAY_TRY_ASSIGN(const int limit, read_limit(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  Json answer = failed_candidates(now, limit);
  answer["routes"] = failed_routes_of(now.state, limit);
  return answer;
}

base::Result<Json> CampaignTools::search(const Json& arguments) const {
  ASSAY_TRY_ASSIGN(const SearchArguments given, read_search(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  return candidates_with(now, given.query, given.limit);
}

base::Result<Json> CampaignTools::propose(const Json& arguments) {
  ASSAY_TRY_ASSIGN(const service::StatedClaim hypothesis, read_hypothesis_arguments(arguments));
  ASSAY_TRY_ASSIGN(const Status now, status());
  Json similar = candidates_like(now, hypothesis.claim.change, kMostFound);
  ASSAY_TRY_ASSIGN(const std::string id, desk_.store().add_hypothesis(hypothesis));
  return Json{{"hypothesis", id},
              {"tested", hypothesis.stated.has_value()},
              {"repeats", repetition_of(now.state, hypothesis.stated)},
              {"similar", std::move(similar["candidates"])}};
}

}  // namespace assay::mcp
