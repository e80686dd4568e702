#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>
#include <assay/os/sandbox/plan.hpp>

namespace assay::os {

/// Bounds of a cgroup; 0 leaves one as it is.
struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processes = 0;
  double cpus = 0;
};

/// Where new cgroups can be made: below our own, so that nothing escapes from the limits that we ourselves are under.
struct CgroupPlace {
  enum class Version : std::uint8_t { v1, v2 };
  Version version = Version::v1;
  std::vector<Path> folders;  ///< v2: one. v1: one for each of memory and pids.
  std::optional<Path> cpu;    ///< v1, if there is one: joined only for a CPU limit; it takes no real-time process.
};

/// Finds the place for a process whose /proc/self/cgroup and /proc/self/mountinfo say this: version 2 with the memory
/// and pids controllers handed down, else version 1. An environment error says why there is none.
[[nodiscard]] base::Result<CgroupPlace> find_cgroup_place(const std::string& membership, const std::string& mounts);

/// Likewise for this process; also removes empty cgroups of ours that a killed judge left there.
[[nodiscard]] base::Result<CgroupPlace> find_cgroup_place();

/// A cgroup for one sandbox. Removed when the object dies, by when nothing must run in it.
class Cgroup {
 public:
  [[nodiscard]] static base::Result<Cgroup> create(const CgroupPlace& place, const CgroupLimits& limits);
  ~Cgroup();
  Cgroup(Cgroup&& other) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  /// The open cgroup.procs files, into which a process writes "0" to join.
  [[nodiscard]] std::vector<int> procs() const;
  /// Tells whether the kernel has killed something in it for want of memory.
  [[nodiscard]] bool out_of_memory() const;
  [[nodiscard]] const std::vector<Path>& folders() const { return folders_; }

 private:
  Cgroup() = default;
  void remove();
  CgroupPlace::Version version_ = CgroupPlace::Version::v1;
  std::vector<Path> folders_;
  std::vector<Fd> procs_;
};

/// Joins the plan's cgroup. Async-signal-safe.
[[nodiscard]] int join_cgroup(const SandboxPlan& plan);

}  // namespace assay::os
