#pragma once

#include <linux/filter.h>
#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include <assay/os/sandbox/mechanisms.hpp>

namespace assay::os {

/// What everything inside runs as. Outside it is nobody too, or the user who started us.
inline constexpr unsigned kInsideUser = 65534;

/// One step of making a private root. Paths inside are relative to the new root, without a leading '/'; sources are
/// relative to the old one.
struct RootStep {
  enum class Kind : std::uint8_t {
    folder,         ///< mkdir `inside`.
    file,           ///< An empty file at `inside`, to bind over.
    link,           ///< A symbolic link at `inside` to `source`.
    bind,           ///< `source` and beneath: read-only, no devices, no set-user-ID programs.
    bind_writable,  ///< The same, but it can be written to.
    device,         ///< A device file `source`.
    writable,       ///< A new tmpfs at `inside` with the mount options `source`.
    leave_old_root  ///< Detaches what was "/" before, and makes the new one read-only.
  };
  Kind kind = Kind::folder;
  std::string inside;
  std::string source;
};

/// One rule of Landlock: what may be done at a path and beneath.
struct LandlockRule {
  std::string path;
  std::uint64_t access = 0;
};

struct LandlockPlan {
  std::vector<LandlockRule> rules;
  int abi = 0;
  bool shuts_network = true;  ///< TCP, where the kernel can.
};

/// Everything that the child needs to shut itself in, made before clone (see ChildPlan). Owned by the parent.
struct SandboxPlan {
  MechanismSet wanted;
  bool clones_user = false;  ///< Clone makes the user namespace (we are not root); else the program unshares one.
  unsigned user = 0;         ///< Ours, outside.
  unsigned group = 0;
  std::vector<RootStep> root;
  std::string staging;  ///< An existing folder, over which the new root is put together.
  LandlockPlan landlock;
  std::vector<sock_filter> filter;  ///< For seccomp.
  std::vector<int> cgroup_procs;    ///< Open cgroup.procs files, one a hierarchy.
  std::uint64_t processes = 0;      ///< RLIMIT_NPROC.
  bool shows_drivers = false;       ///< Show all of /proc, not processes alone.
};

}  // namespace assay::os
