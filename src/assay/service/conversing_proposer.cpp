#include <assay/service/conversing_proposer.hpp>

#include <algorithm>

namespace assay::service {
namespace {

constexpr const char* kStopped = "agent.stopped";
constexpr const char* kStoppedWords = "the campaign has stopped";

}  // namespace

ConversingProposer::ConversingProposer(SubmissionStore store, task::Solution origin, Ways ways)
    : store_(store),
      submitted_(std::move(store), std::move(origin), SubmittedProposer::WhenEmpty::end),
      ways_(std::move(ways)) {
  work_.busy = true;
}

ConversingProposer::~ConversingProposer() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    ways_.stop();
    thread_.join();
  }
}

void ConversingProposer::attend(const agent::Situation& situation, agent::RunJournal& journal) {
  const std::scoped_lock lock(mutex_);
  situation_ = situation;
  journal_ = &journal;
}

bool ConversingProposer::is_running() const {
  const std::scoped_lock lock(mutex_);
  // A run that a killed controller left open is the agent's to account for, which begins with that.
  return running_ || (!started_ && !ways_.last_round());
}

base::Result<std::vector<agent::Proposal>> ConversingProposer::propose(const std::vector<agent::Trial>& history,
                                                                       int count) {
  std::unique_lock lock(mutex_);
  ASSAY_CHECK(journal_ != nullptr && situation_);
  while (true) {
    grant(lock);
    // The run that goes on must have ended before the campaign does: nobody could write its end down afterwards.
    const bool going_on = running_ && !result_;
    if (!going_on || !ways_.last_round()) {
      ASSAY_TRY_ASSIGN(auto submitted, submitted_.propose(history, count));
      if (!submitted.empty()) {
        return submitted;
      }
    }
    if (result_) {
      thread_.join();
      running_ = false;
      Proposals left = take_result(history);
      ASSAY_TRY_ASSIGN(const auto jobs, store_.jobs());
      // Who has submitted nothing and left nothing new has nothing more to try.
      if (!left || !left->empty() || jobs.size() == jobs_before_) {
        return left;
      }
    }
    if (!running_) {
      ASSAY_TRY(start(history));
    }
    changed_.wait(lock);
  }
}

base::Result<void> ConversingProposer::start(const std::vector<agent::Trial>& history) {
  ASSAY_TRY_ASSIGN(const auto jobs, store_.jobs());
  jobs_before_ = jobs.size();
  ways_.agent->attend(*situation_, *this);
  running_ = true;
  started_ = true;
  thread_ = std::thread([this, history] {
    Proposals result = ways_.agent->propose(history, 1);
    const std::scoped_lock lock(mutex_);
    result_ = std::move(result);
    changed_.notify_all();
  });
  return {};
}

ConversingProposer::Proposals ConversingProposer::take_result(const std::vector<agent::Trial>& history) {
  Proposals result = std::move(*result_);
  result_.reset();
  if (result) {
    std::erase_if(*result, [&](const agent::Proposal& proposal) {
      const base::Digest content = task::identify(proposal.solution).content;
      return std::any_of(history.begin(), history.end(),
                         [&](const agent::Trial& trial) { return task::identify(trial.solution).content == content; });
    });
  }
  return result;
}

void ConversingProposer::grant(std::unique_lock<std::mutex>& lock) {
  if (!wish_ || wish_->done) {
    return;
  }
  const std::function<void()>& work = *wish_->work;
  lock.unlock();
  work();
  lock.lock();
  wish_->done = true;
  changed_.notify_all();
}

void ConversingProposer::ask(const std::function<void()>& work) const {
  std::unique_lock lock(mutex_);
  wish_ = Wish{&work, false};
  changed_.notify_all();
  changed_.wait(lock, [this] { return closing_ || wish_->done; });
  wish_.reset();
}

base::Result<std::string> ConversingProposer::intend(const agent::RunIntent& intent) {
  base::Result<std::string> id = base::environment_error(kStopped, kStoppedWords);
  ask([&] { id = journal_->intend(intent); });
  return id;
}

base::Result<void> ConversingProposer::end(const agent::RunEnding& ending) {
  base::Result<void> ended = base::environment_error(kStopped, kStoppedWords);
  ask([&] { ended = journal_->end(ending); });
  return ended;
}

std::vector<agent::EarlierRun> ConversingProposer::earlier() const {
  std::vector<agent::EarlierRun> runs;
  ask([&] { runs = journal_->earlier(); });
  return runs;
}

std::vector<agent::EarlierRun> ConversingProposer::runs_of_round() const {
  std::vector<agent::EarlierRun> runs;
  ask([&] { runs = journal_->runs_of_round(); });
  return runs;
}

std::vector<std::string> ConversingProposer::of_session(const std::string& session) const {
  std::vector<std::string> ids;
  ask([&] { ids = journal_->of_session(session); });
  return ids;
}

std::chrono::nanoseconds ConversingProposer::allowed_wall(std::chrono::nanoseconds wanted) const {
  std::chrono::nanoseconds allowed = wanted;
  ask([&] { allowed = journal_->allowed_wall(wanted); });
  return allowed;
}

base::Result<std::string> ConversingProposer::submit(const Submission& submission) {
  ASSAY_TRY_ASSIGN(std::string job, store_.add(submission));
  {
    const std::scoped_lock lock(mutex_);
    ++work_.steps;
  }
  changed_.notify_all();
  return job;
}

DeskWork ConversingProposer::work() const {
  const std::scoped_lock lock(mutex_);
  DeskWork work = work_;
  work.after_run = running_ && ways_.last_round();
  return work;
}

void ConversingProposer::note(double done, double total) {
  const std::scoped_lock lock(mutex_);
  work_.done = done;
  work_.total = total;
  ++work_.steps;
}

}  // namespace assay::service
