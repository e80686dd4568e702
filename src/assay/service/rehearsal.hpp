#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <assay/service/context.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

/// For tests only: a judge that runs nothing, and a small dataset in a private folder.
namespace assay::service::rehearsal {

/// What the judge was asked, kept across the runners that one context makes.
struct Record {
  std::vector<task::EvaluationRequest> requests;
  std::vector<os::Path> spools;
};

/// Answers by what a solution's first source says: "cost=N" is its time in ns per unit of the workload's size;
/// "object=a" is what the compiler makes of it; "not_built", "incorrect", "crashed" or "timed_out" is its outcome;
/// "fails_later" crashes in a confirmation, "lost_later" cannot be built for it, and "copied_at=N" is the time of a null injection of it. Times have no
/// spread, so that decisions are exact. Samples, comparison and outcome agree as a real judge's do. "judge.error" in
/// the candidate leaves an error.json.
class FakeJudge final : public execute::JudgeRunner {
 public:
  explicit FakeJudge(std::shared_ptr<Record> record) : record_(std::move(record)) {}
  [[nodiscard]] base::Result<os::Path> run(const task::EvaluationRequest& request, const os::Path& spool,
                                           const std::function<void(const execute::Progress&)>& on_progress) override;

 private:
  std::shared_ptr<Record> record_;
};

/// A dataset of one definition ("scale", workloads w-1, w-2, w-8, w-64 of that size) with the baseline `plain`
/// (cost=100), an archive folder that does not exist yet, and a context with the fake judge.
class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] const Record& record() const { return *record_; }
  [[nodiscard]] os::Path path(const std::string& name) const { return folder_->path() / name; }
  /// Writes a C++ source with this text in a comment and returns its path.
  [[nodiscard]] std::string kernel(const std::string& name, const std::string& text) const;
  /// Writes a solution with one tunable parameter into the dataset. The fake judge times it at 200/COST ns.
  void add_tunable(const std::string& name) const;
  void write(const os::Path& file, const std::string& text) const;

  task::Named<std::string> fingerprint = {{"cpu", "imaginary"}, {"toolchain", "g++ 12"}};

 private:
  std::unique_ptr<os::TemporaryDirectory> folder_;
  std::shared_ptr<Record> record_ = std::make_shared<Record>();
  Context context_;
};

}  // namespace assay::service::rehearsal
