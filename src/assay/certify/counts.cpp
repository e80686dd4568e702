#include <assay/certify/counts.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <assay/task/outcome.hpp>
#include <assay/task/trial_spread.hpp>

namespace assay::certify {
namespace {

bool is_checked_call(const task::Sample& sample, std::size_t workloads) {
  return sample.checked && sample.side == task::Side::candidate && !sample.self && sample.workload >= 0 &&
         static_cast<std::size_t>(sample.workload) < workloads;
}

// Each once, whatever was repeated.
std::vector<std::int64_t> different_calls(const Session& session) {
  std::vector<std::int64_t> calls(session.request.workloads.size());
  std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> seen;
  for (const task::Sample& sample : session.samples) {
    if (is_checked_call(sample, calls.size()) &&
        seen.insert({sample.pair, sample.workload, sample.repetition}).second) {
      ++calls[static_cast<std::size_t>(sample.workload)];
    }
  }
  return calls;
}

std::vector<std::int64_t> asked_trials(const task::EvaluationRequest& request) {
  const std::vector<int> spread = task::spread_trials(request);
  return {spread.begin(), spread.end()};
}

std::vector<std::int64_t> made_trials(const task::TrialsRecord& record, std::size_t workloads) {
  return record.on_workloads.empty() ? std::vector<std::int64_t>(workloads, record.on_each) : record.on_workloads;
}

}  // namespace

std::vector<std::int64_t> checked_calls(const Session& session) {
  std::vector<std::int64_t> calls(session.request.workloads.size());
  for (const task::Sample& sample : session.samples) {
    if (is_checked_call(sample, calls.size())) {
      ++calls[static_cast<std::size_t>(sample.workload)];
    }
  }
  return calls;
}

std::vector<Difference> miscounts(const Session& session) {
  const task::Evaluation& evaluation = session.evaluation;
  const std::size_t workloads = session.request.workloads.size();
  std::vector<Difference> found;
  if (!task::is_correct(evaluation.outcome) || workloads == 0) {
    return found;
  }
  const auto differs = [&](const std::string& field, std::string what) {
    found.push_back({fmt::format("{}/evaluation.json: {}", session.folder, field), std::move(what)});
  };
  std::vector<std::int64_t> trials(workloads, 0);
  if (evaluation.trials) {
    trials = made_trials(*evaluation.trials, workloads);
    if (session.request.trials == 0 || trials != asked_trials(session.request)) {
      differs("/trials/on_workloads", "are other trials than those that the request asks for");
      trials.resize(workloads);
    }
  }
  const std::vector<std::int64_t>& clean = evaluation.clean_on_workloads;
  if (clean.empty()) {
    return found;
  }
  if (clean.size() != workloads) {
    differs("/clean_on_workloads", fmt::format("has {} entries for {} workloads", clean.size(), workloads));
    return found;
  }
  const std::vector<std::int64_t> calls = different_calls(session);
  for (std::size_t at = 0; at < workloads; ++at) {
    if (clean[at] > calls[at] + trials[at]) {
      differs(fmt::format("/clean_on_workloads/{}", at),
              fmt::format("is {}, and the samples have {} different checked calls, beside {} trials", clean[at],
                          calls[at], trials[at]));
    }
  }
  return found;
}

}  // namespace assay::certify
