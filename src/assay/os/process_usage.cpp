#include <assay/os/process_usage.hpp>

#include <dirent.h>
#include <fmt/core.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace assay::os {
namespace {

constexpr int kDeepest = 32;  // A fork bomb is not followed down: what is counted is enough to be seen.

std::chrono::nanoseconds cpu_of(int pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return {};
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void add_tree(int pid, int depth, ProcessUsage& usage) {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(fmt::format("/proc/{}/task", pid).c_str()), ::closedir);
  if (!tasks) {
    return;
  }
  ++usage.processes;
  usage.cpu += cpu_of(pid);
  while (const dirent* task = ::readdir(tasks.get())) {
    if (task->d_name[0] == '.') {
      continue;
    }
    ++usage.threads;
    const std::string path = fmt::format("/proc/{}/task/{}/children", pid, static_cast<const char*>(task->d_name));
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> children(std::fopen(path.c_str(), "re"), std::fclose);
    int child = 0;
    while (children && depth < kDeepest && std::fscanf(children.get(), "%d", &child) == 1) {
      add_tree(child, depth + 1, usage);
    }
  }
}

}  // namespace

ProcessUsage usage_of_tree(int pid) {
  ProcessUsage usage;
  add_tree(pid, 0, usage);
  return usage;
}

}  // namespace assay::os
