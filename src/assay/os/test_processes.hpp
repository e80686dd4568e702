#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <assay/os/file.hpp>
#include <assay/os/process.hpp>

/// What the tests of this layer share.
namespace assay::os::testing {

/// Runs a function in a forked copy of the test program; returns what it returned (0 to 255), or minus the
/// number of the signal that killed it. For what would change the whole process: users, mounts, limits.
inline int in_fork(const std::function<int()>& function) {
  const int pid = ::fork();
  if (pid == 0) {
    ::_exit(function());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Waits up to ten seconds for a condition.
inline bool becomes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Tells whether any process on this machine has this command (words separated by single spaces) in its
/// command line.
inline bool is_running(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '\0');
  const std::vector<std::string> names = list_directory("/proc").value();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto line = read_file(Path("/proc") / name / "cmdline");
    return line && line->find(command) != std::string::npos;
  });
}

/// Returns options that run a script with a plain PATH.
inline ProcessOptions shell(const std::string& script, Containment containment = Containment::pid_namespace) {
  ProcessOptions options;
  options.argv = {"/bin/sh", "-c", script};
  options.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  options.containment = containment;
  return options;
}

}  // namespace assay::os::testing
