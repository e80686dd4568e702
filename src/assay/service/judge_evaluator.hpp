#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/control/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Drives judges for the controller: evaluations one after another, so that nothing disturbs a timing; builds side by
/// side, as many as there are CPUs.
class JudgeEvaluator final : public control::Evaluator {
 public:
  /// Bundles arrive in the archive's spool, and requests are completed by its history (replay_choice.hpp). All three must
  /// outlive the object.
  JudgeEvaluator(const Context& context, const archive::Archive& archive,
                 const control::CampaignConfiguration& configuration);

  base::Result<void> prepare(const std::vector<task::Solution>& solutions) override;
  base::Result<os::Path> evaluate(const task::EvaluationRequest& request) override;
  void allow(const std::optional<std::chrono::nanoseconds>& time) override { allowed_ = time; }
  std::optional<std::chrono::nanoseconds> lap() override;

 private:
  const Context& context_;
  const archive::Archive& archive_;
  os::Path spool_;
  const control::CampaignConfiguration& configuration_;
  std::optional<std::chrono::nanoseconds> allowed_;
  std::chrono::steady_clock::time_point last_lap_ = std::chrono::steady_clock::now();
};

}  // namespace assay::service
