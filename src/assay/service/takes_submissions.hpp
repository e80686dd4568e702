#pragma once

#include <cstdint>
#include <string>

#include <assay/base/error.hpp>
#include <assay/service/submissions.hpp>

namespace assay::service {

/// How the work on submissions goes. None of it is told by a judge or a candidate.
struct DeskWork {
  bool busy = false;       ///< A campaign is being continued right now.
  std::int64_t steps = 0;  ///< Grows whenever something happens.
  double done = 0;         ///< Judgements of the campaign that were made,
  double total = 0;        ///< of those that are planned at most.
  bool after_run =
      false;            ///< What is submitted now is judged only when the run of the agent that submits it has ended.
  std::string trouble;  ///< Code of the error that the last attempt ended with; empty: none.
};

/// Takes submissions to one campaign for whoever has them judged. Thread-safe.
class TakesSubmissions {
 public:
  virtual ~TakesSubmissions() = default;
  [[nodiscard]] virtual const SubmissionStore& store() const = 0;
  /// Stores a submission, returns its job, and sees to it that it is judged.
  [[nodiscard]] virtual base::Result<std::string> submit(const Submission& submission) = 0;
  /// Has the campaign continued as far as it can be: its baseline measured, what is submitted judged.
  virtual void wake() = 0;
  [[nodiscard]] virtual DeskWork work() const = 0;
};

}  // namespace assay::service
