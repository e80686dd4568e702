#include <assay/service/judge_evaluator.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include <assay/service/replay_choice.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kDigitsOfBuildId = 24;

task::EvaluationRequest build_request(const control::CampaignConfiguration& configuration,
                                      const task::Solution& solution) {
  task::EvaluationRequest request;
  request.id = "build-" + task::identify(solution).content.hex().substr(0, kDigitsOfBuildId);
  request.stage = task::Stage::build;
  request.device = configuration.device;
  request.seed = 0;
  request.definition = configuration.definition;
  request.workloads = configuration.workloads;
  request.candidate = solution;
  request.plan = configuration.policy.gate;
  return request;
}

}  // namespace

JudgeEvaluator::JudgeEvaluator(const Context& context, const archive::Archive& archive,
                               const control::CampaignConfiguration& configuration)
    : context_(context), archive_(archive), spool_(archive.spool()), configuration_(configuration) {}

base::Result<void> JudgeEvaluator::prepare(const std::vector<task::Solution>& solutions) {
  if (solutions.empty()) {
    return {};
  }
  // The bundles of builds are not kept: the cache has the object or the log, and the evaluation tells it all again.
  ASSAY_TRY(os::create_directories(spool_));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder, os::TemporaryDirectory::create(spool_, "builds-"));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> finished = 0;
  std::mutex progress_mutex;
  const auto work = [&] {
    const auto runner = context_.make_runner();
    for (std::size_t index = next++; index < solutions.size(); index = next++) {
      // What fails here fails in the evaluation too, which says so with a cause.
      static_cast<void>(runner->run(build_request(configuration_, solutions[index]), folder.path(), {}));
      const std::scoped_lock lock(progress_mutex);
      ++finished;
      if (context_.on_progress) {
        context_.on_progress({static_cast<double>(finished), static_cast<double>(solutions.size()),
                              fmt::format("built {}", solutions[index].name)});
      }
    }
  };
  const std::size_t processes = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, solutions.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < processes; ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) {
    thread.join();
  }
  return {};
}

base::Result<os::Path> JudgeEvaluator::evaluate(const task::EvaluationRequest& request) {
  task::EvaluationRequest complete = request;
  const double bound = promote::failure_bound(configuration_.policy, configuration_.definition);
  ASSAY_TRY(add_history(archive_, given_of(configuration_.workloads), bound, complete));
  const auto runner = context_.make_runner();
  runner->allow(allowed_);
  return runner->run(complete, spool_, context_.on_progress);
}

std::optional<std::chrono::nanoseconds> JudgeEvaluator::lap() {
  if (control::simulated_seed(configuration_.device)) {
    return std::nullopt;
  }
  const auto now = std::chrono::steady_clock::now();
  return now - std::exchange(last_lap_, now);
}

}  // namespace assay::service
