#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <assay/base/error.hpp>
#include <assay/service/context.hpp>
#include <assay/service/submissions.hpp>
#include <assay/service/takes_submissions.hpp>

namespace assay::service {

/// Takes submissions to a campaign and has them judged by a thread of its own, one after the other: the same controller,
/// journal and judge as `assay campaign run`. The archive is held only while it works, so that between two submissions a
/// person can approve, or another program evaluate. Thread-safe.
class SubmissionDesk final : public TakesSubmissions {
 public:
  /// The campaign must exist and take submissions. `context` must outlive the desk.
  SubmissionDesk(const Context& context, std::string campaign);
  /// Waits until the judgement at hand has ended. Where that may take too long, a process may end as well: children die with
  /// it, and the archive is safe at any moment.
  ~SubmissionDesk() override;
  SubmissionDesk(const SubmissionDesk&) = delete;
  SubmissionDesk& operator=(const SubmissionDesk&) = delete;

  [[nodiscard]] const SubmissionStore& store() const override { return store_; }
  [[nodiscard]] base::Result<std::string> submit(const Submission& submission) override;
  void wake() override;
  [[nodiscard]] DeskWork work() const override;

 private:
  void attend();
  /// Continues the campaign once; says whether to try again in a while.
  [[nodiscard]] bool go_on();

  const Context& context_;
  std::string campaign_;
  SubmissionStore store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  DeskWork work_;
  bool due_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace assay::service
