#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/os/sandbox/detect.hpp>

/// What the tests of the sandbox share: running actor_for_test.cpp in it.
namespace assay::os::testing {

/// Whether every user may go where this lies. A clone below a home that only its owner may enter is no such place.
inline bool is_for_all(const Path& path) {
  for (Path folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    using std::filesystem::perms;
    if ((std::filesystem::status(folder).permissions() & perms::others_exec) == perms::none) {
      return false;
    }
  }
  return true;
}

/// A copy of a program where every user may execute it, until this process ends.
class ProgramForAll {
 public:
  explicit ProgramForAll(const Path& program)
      : folder_(std::move(TemporaryDirectory::create("/tmp", "assay-program-").value())),
        path_(folder_.path() / program.filename()) {
    std::filesystem::copy_file(program, path_);
    for (const Path& one : {folder_.path(), path_}) {
      std::filesystem::permissions(one, std::filesystem::perms{0755});
    }
  }
  [[nodiscard]] const Path& path() const { return path_; }

 private:
  TemporaryDirectory folder_;
  Path path_;
};

/// The actor, where whoever a sandbox makes of it may execute it.
inline const Path& actor_program() {
  static const Path built = Path(ASSAY_BINARY_DIR) / "bin" / "assay_sandbox_actor";
  if (is_for_all(built)) {
    return built;
  }
  static const ProgramForAll copied(built);
  return copied.path();
}

/// Options for a program that is not trusted, here the actor, with 8 MiB of files.
inline SandboxOptions actor_sandbox(MechanismSet leave_out = {}) {
  SandboxOptions options;
  options.binds = runtime_binds();
  options.binds.push_back({actor_program(), "/actor", SandboxBind::Use::execute});
  options.folders = {{"", "/tmp", std::uint64_t{8} << 20U}};
  options.leave_out = leave_out;
  return options;
}

inline ProcessOptions actor_options(const std::vector<std::string>& words, const SandboxOptions& sandbox) {
  ProcessOptions options;
  const bool has_root = sandbox_support().report.applied.without(sandbox.leave_out).has(Mechanism::private_root) &&
                        !sandbox.leave_out.has(Mechanism::mount_namespace);
  options.argv = {has_root ? std::string("/actor") : sandbox.binds.back().host.string()};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  options.environment = {{"LANG", "C.UTF-8"}};
  options.sandbox = sandbox;
  return options;
}

inline CommandResult run_actor(const std::vector<std::string>& words, const SandboxOptions& sandbox,
                               std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  auto result = run_command(actor_options(words, sandbox), limit, std::size_t{1} << 16U);
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(*result) : CommandResult{};
}

/// Returns what the actor said, without the end of the line.
inline std::string ask_actor(const std::vector<std::string>& words, MechanismSet leave_out = {}) {
  std::string output = run_actor(words, actor_sandbox(leave_out)).output;
  while (!output.empty() && (output.back() == '\n' || output.back() == ' ')) {
    output.pop_back();
  }
  return output;
}

inline bool supported(Mechanism mechanism) { return sandbox_support().report.applied.has(mechanism); }

}  // namespace assay::os::testing

/// A mechanism that is not to be had here cannot be tested here; `assay doctor` says why.
#define ASSAY_NEEDS_MECHANISM(mechanism)                                        \
  if (!::assay::os::testing::supported(mechanism)) {                            \
    GTEST_SKIP() << ::assay::os::entry_of(mechanism).name << " is absent here"; \
  }                                                                             \
  static_assert(true)
