#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <assay/base/error.hpp>
#include <assay/execute/progress.hpp>
#include <assay/os/file.hpp>
#include <assay/task/request.hpp>

namespace assay::execute {

/// Carries a request to a judge and a bundle back.
class JudgeRunner {
 public:
  virtual ~JudgeRunner() = default;
  /// Runs the judge on the request and returns the path of the complete bundle, `<spool>/<id>`. If that bundle is
  /// there already (an earlier run was interrupted after the judge had finished), it is returned and nothing is run.
  /// A complete bundle counts however the judge ended: it may hold the judge's own error, and a judge that is killed
  /// after its last step has lost nothing. A judge that leaves none is an environment error with code "judge.died"
  /// and its last lines, one that takes too long "judge.timed_out"; its log then stays in the spool.
  [[nodiscard]] virtual base::Result<os::Path> run(const task::EvaluationRequest& request, const os::Path& spool,
                                                   const std::function<void(const Progress&)>& on_progress) = 0;
  /// How long the next runs may take at most, whatever their plans allow; absent: as long as these do.
  virtual void allow(const std::optional<std::chrono::nanoseconds>& /*time*/) {}
};

/// Where the local programs and caches are.
struct LocalSettings {
  os::Path judge;                                      ///< The assay-judge binary.
  os::Path build_cache;                                ///< Folder of built objects, shared by all evaluations.
  std::optional<std::chrono::nanoseconds> time_limit;  ///< Absent: by the request's plan (time_limit.hpp).
};

/// Runs `assay-judge REQUEST --bundle DIR --cache DIR --progress-fd N` as a child that dies with us. The command line
/// is the whole interface; progress lines "done total what\n" on that descriptor are shown, never trusted. Of our
/// environment the judge gets PATH, HOME, TMPDIR and what begins with ASSAY_; LANG is C.UTF-8. Beside the bundle lie,
/// until it is complete, `<id>.request.json` and `<id>.judge.log`.
class LocalJudgeRunner final : public JudgeRunner {
 public:
  explicit LocalJudgeRunner(LocalSettings settings);
  [[nodiscard]] base::Result<os::Path> run(const task::EvaluationRequest& request, const os::Path& spool,
                                           const std::function<void(const Progress&)>& on_progress) override;
  void allow(const std::optional<std::chrono::nanoseconds>& time) override { allowed_ = time; }

 private:
  LocalSettings settings_;
  std::optional<std::chrono::nanoseconds> allowed_;
};

}  // namespace assay::execute
