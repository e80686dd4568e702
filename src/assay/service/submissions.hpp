#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/hypothesis.hpp>
#include <assay/task/solution.hpp>

namespace assay::service {

/// The word of a campaign whose candidates are submitted from outside, through `assay mcp`. Persisted.
inline constexpr std::string_view kSubmitted = "mcp";

/// A candidate that somebody submitted to a campaign.
struct Submission {
  std::string job;  ///< "<campaign>-job-<number>", which becomes the candidate's name; given by the store.
  std::string by;   ///< The client, as it calls itself.
  std::vector<task::SourceFile> sources;
  agent::Hypothesis hypothesis;
  std::optional<task::Hypothesis> stated =
      {};                          ///< What the campaign's memory holds the measurement against; absent: nothing.
  std::optional<int> parent = {};  ///< Number of the candidate that it was derived from, as its author says.
};

/// A hypothesis as its author states it before there are sources.
struct StatedClaim {
  agent::Hypothesis claim;
  std::optional<task::Hypothesis> stated = {};
};

/// Keeps what was submitted to a campaign in files, `<archive>/submissions/<campaign>/`: what `add` has answered survives a
/// kill or a power cut, and the campaign takes it from here whenever it goes on. Several processes may add at once.
class SubmissionStore {
 public:
  SubmissionStore(const os::Path& archive, std::string campaign);

  /// Stores a submission and returns its job.
  [[nodiscard]] base::Result<std::string> add(const Submission& submission) const;
  /// Lists all jobs in the order in which they were submitted.
  [[nodiscard]] base::Result<std::vector<std::string>> jobs() const;
  /// Reads one; nothing if there is none.
  [[nodiscard]] base::Result<std::optional<Submission>> find(const std::string& job) const;

  /// The same for hypotheses that are stated before there are sources: returns "<campaign>-hypothesis-<number>".
  [[nodiscard]] base::Result<std::string> add_hypothesis(const StatedClaim& hypothesis) const;
  [[nodiscard]] base::Result<std::optional<StatedClaim>> find_hypothesis(const std::string& id) const;

 private:
  [[nodiscard]] base::Result<std::vector<int>> numbers(std::string_view kind) const;
  [[nodiscard]] base::Result<std::optional<std::string>> read(std::string_view kind, const std::string& id) const;

  os::Path folder_;
  std::string campaign_;
};

}  // namespace assay::service
