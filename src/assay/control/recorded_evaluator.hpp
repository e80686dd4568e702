#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/control/evaluator.hpp>
#include <assay/control/recorded_campaign.hpp>
#include <assay/os/file.hpp>

namespace assay::control {

/// What a controller is told that asks beyond the record: the journal ends there, an entry from outside comes first, or the
/// measurement does not exist. Codes of input errors.
inline constexpr const char* kBeyondTheRecord = "replay.beyond_the_record";
inline constexpr const char* kOutsideFirst = "replay.outside_first";
inline constexpr const char* kUnmeasured = "replay.unmeasured";

/// Answers with what is in an archive, and runs nothing: each evaluation ends as the journal says that it did, with the very
/// bundle. What the controller makes of it is its own business.
class RecordedEvaluator final : public Evaluator {
 public:
  /// Both must outlive the object. Bundles are put into `spool`.
  RecordedEvaluator(const archive::Archive& archive, const RecordedCampaign& recorded, os::Path spool)
      : archive_(archive), recorded_(recorded), spool_(std::move(spool)) {}

  /// The sequence of the last entry that the controller has written, before it carries out its next action.
  void stand_at(std::int64_t sequence) { sequence_ = sequence; }

  base::Result<void> prepare(const std::vector<task::Solution>& /*solutions*/) override { return {}; }
  base::Result<os::Path> evaluate(const task::EvaluationRequest& request) override;
  std::optional<std::chrono::nanoseconds> lap() override { return lap_; }

 private:
  const archive::Archive& archive_;
  const RecordedCampaign& recorded_;
  os::Path spool_;
  std::int64_t sequence_ = 0;
  std::optional<std::chrono::nanoseconds> lap_;  // Of the evaluation that was asked for last.
};

/// Writes a bundle of an archive out again, file by file.
[[nodiscard]] base::Result<os::Path> put_bundle(const archive::Archive& archive, const std::string& id,
                                                const os::Path& spool);

/// Writes files with the manifest that they need.
[[nodiscard]] base::Result<void> put_files(const os::Path& folder,
                                           const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace assay::control
