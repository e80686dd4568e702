#pragma once

#include <string>
#include <vector>

#include <assay/control/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Drives judges for the controller: evaluations one after another, so that nothing disturbs a timing; builds side by
/// side, as many as there are CPUs.
class JudgeEvaluator final : public control::Evaluator {
 public:
  /// `spool` is where bundles arrive. `configuration` and `context` must outlive the object.
  JudgeEvaluator(const Context& context, os::Path spool, const control::CampaignConfiguration& configuration);

  base::Result<void> prepare(const std::vector<task::Solution>& solutions) override;
  base::Result<os::Path> evaluate(const task::EvaluationRequest& request) override;

 private:
  const Context& context_;
  os::Path spool_;
  const control::CampaignConfiguration& configuration_;
};

}  // namespace assay::service
