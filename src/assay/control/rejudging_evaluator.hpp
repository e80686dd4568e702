#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/control/evaluator.hpp>
#include <assay/control/rejudge.hpp>
#include <assay/os/file.hpp>

namespace assay::control {

/// Reads one evaluation of an archive whole.
[[nodiscard]] base::Result<Judgement> read_judgement(const archive::Archive& archive, const std::string& id);

/// Answers what a campaign would have asked under another policy from what was measured in it: an evaluation of the same two
/// solutions on the same workloads, judged again (rejudge.hpp). Where there is none, an input error "replay.unmeasured".
class RejudgingEvaluator final : public Evaluator {
 public:
  /// Both must outlive the object.
  RejudgingEvaluator(const archive::Archive& archive, std::string campaign, os::Path spool)
      : archive_(archive), campaign_(std::move(campaign)), spool_(std::move(spool)) {}

  base::Result<void> prepare(const std::vector<task::Solution>& /*solutions*/) override { return {}; }
  base::Result<os::Path> evaluate(const task::EvaluationRequest& request) override;

 private:
  [[nodiscard]] base::Result<std::optional<std::string>> find(const task::EvaluationRequest& request) const;

  const archive::Archive& archive_;
  std::string campaign_;
  os::Path spool_;
};

}  // namespace assay::control
