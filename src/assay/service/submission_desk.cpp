#include <assay/service/submission_desk.hpp>

#include <chrono>

#include <assay/service/campaign.hpp>
#include <assay/service/submitted_proposer.hpp>

namespace assay::service {
namespace {

// While another program has the archive, or a person has not answered yet.
constexpr std::chrono::milliseconds kPause(1000);

}  // namespace

SubmissionDesk::SubmissionDesk(const Context& context, std::string campaign)
    : context_(context), campaign_(std::move(campaign)), store_(context.places.archive, campaign_) {
  thread_ = std::thread([this] { attend(); });
}

SubmissionDesk::~SubmissionDesk() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

base::Result<std::string> SubmissionDesk::submit(const Submission& submission) {
  ASSAY_TRY_ASSIGN(std::string job, store_.add(submission));
  wake();
  return job;
}

void SubmissionDesk::wake() {
  {
    const std::scoped_lock lock(mutex_);
    due_ = true;
  }
  changed_.notify_all();
}

DeskWork SubmissionDesk::work() const {
  const std::scoped_lock lock(mutex_);
  DeskWork work = work_;
  work.busy = work.busy || due_;
  return work;
}

void SubmissionDesk::attend() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || due_; });
    if (closing_) {
      return;
    }
    due_ = false;
    work_.busy = true;
    lock.unlock();
    const bool again = go_on();
    lock.lock();
    work_.busy = false;
    ++work_.steps;
    if (again) {
      due_ = true;
      changed_.wait_for(lock, kPause, [this] { return closing_; });
    }
  }
}

bool SubmissionDesk::go_on() {
  const auto troubled = [this](std::string code) {
    const std::scoped_lock lock(mutex_);
    work_.trouble = std::move(code);
  };
  const auto now = campaign_status(context_, campaign_);
  if (!now) {
    troubled(now.error().code);
    return false;
  }
  if (now->state.phase == control::Phase::awaiting_approval) {
    troubled("");
    return true;
  }
  SubmittedProposer proposer(store_, now->configuration.baseline, SubmittedProposer::WhenEmpty::stop);
  const auto progress = [this](double done, double total, const std::string& /*what*/, bool /*is_event*/) {
    const std::scoped_lock lock(mutex_);
    work_.done = done;
    work_.total = total;
    ++work_.steps;
  };
  const auto after = continue_campaign(context_, campaign_, proposer, progress);
  if (after) {
    troubled("");
    return after->state.phase == control::Phase::awaiting_approval;
  }
  const std::string& code = after.error().code;
  troubled(code == kNothingSubmitted ? "" : code);
  return code == "archive.in_use";
}

}  // namespace assay::service
