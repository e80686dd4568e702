#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/agent/run_journal.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>

/// What is on disk of a run before the journal knows how it ended, so that a controller that is killed loses neither the
/// files that were paid for nor the account of what they cost. In a folder that has the run's id as its name:
///
///   begun      the program was about to be started
///   work/      its working folder (working_folder.hpp)
///   answer.json  what its program gave by a schema, of a role (role_run.hpp)
///   run.json   it has ended so; in place when all else is
namespace assay::agent {

class KeptRun {
 public:
  KeptRun(const os::Path& folders, std::string id) : folder_(folders / id), id_(std::move(id)) {}

  [[nodiscard]] os::Path work() const { return folder_ / "work"; }
  [[nodiscard]] os::Path answer() const { return folder_ / "answer.json"; }
  /// Makes the folders anew, which nobody else may enter.
  [[nodiscard]] base::Result<void> create() const;
  /// Says that the program is about to be started: from here on it may have cost something. Survives a power cut.
  [[nodiscard]] base::Result<void> begin() const;
  [[nodiscard]] bool begun() const;
  /// Keeps how it ended. Survives a power cut, which the files in `work` may not.
  [[nodiscard]] base::Result<void> keep(const RunEnding& ending) const;
  /// How it ended; nothing if it did not, or nobody wrote it down.
  [[nodiscard]] base::Result<std::optional<RunEnding>> ending() const;

 private:
  os::Path folder_;
  std::string id_;
};

/// Removes the folders of the campaign's earlier runs: ids are "<campaign>-run-<number>", and those below `id`'s number that
/// are not in `but` have their proposals in the journal.
[[nodiscard]] base::Result<void> remove_kept_before(const os::Path& folders, const std::string& id,
                                                    const std::vector<EarlierRun>& but);

}  // namespace assay::agent
