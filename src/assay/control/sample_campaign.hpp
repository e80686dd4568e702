#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <assay/agent/tuner.hpp>
#include <assay/archive/archive.hpp>
#include <assay/control/campaign.hpp>
#include <assay/control/fake_evaluator.hpp>
#include <assay/os/file.hpp>

/// For tests only.
namespace assay::control::testing {

/// Makes a solution of the sample operator; the fake judge reads its behaviour off its source.
[[nodiscard]] task::Solution sample_solution(const std::string& name, const std::string& source);

/// Makes a small campaign on a simulated device: four workloads in two regimes, six supplied candidates of which five
/// fail or repeat something, and a tunable with six points of which BLOCK=4, UNROLL=2 is the fastest.
[[nodiscard]] CampaignConfiguration sample_configuration();

/// An archive in a private folder with one campaign, and what drives it.
class Laboratory {
 public:
  explicit Laboratory(const CampaignConfiguration& configuration);

  /// Runs the campaign; `observer` may be empty.
  base::Result<CampaignState> run(const Observer& observer = {});
  /// Closes and opens the archive again, as a new process does.
  void reopen();

  [[nodiscard]] archive::Archive& archive() { return *archive_; }
  [[nodiscard]] FakeEvaluator& evaluator() { return evaluator_; }
  /// Kinds and bodies of the journal, one text an event.
  [[nodiscard]] std::vector<std::string> journal() const;
  /// Kinds alone.
  [[nodiscard]] std::vector<std::string> kinds() const;
  [[nodiscard]] CampaignState state() const;

 private:
  CampaignConfiguration configuration_;
  os::TemporaryDirectory folder_;
  std::optional<archive::Archive> archive_;
  FakeEvaluator evaluator_;
  agent::Tuner tuner_;
};

/// Returns the value, or throws with the error's text: in tests, what cannot be made is a failure.
template <class T>
T must(base::Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
  return std::move(*result);
}
inline void must(const base::Result<void>& result) {
  if (!result) {
    throw std::runtime_error(result.error().text());
  }
}

}  // namespace assay::control::testing
