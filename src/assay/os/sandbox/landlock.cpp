#include <assay/os/sandbox/landlock.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace assay::os {
namespace {

// The kernel's interface, which Debian 12's <linux/landlock.h> knows only to version 2. The numbers are the kernel's.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;  // From version 4.
  std::uint64_t scoped;              // From version 6.
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};

constexpr std::uint64_t kExecute = 1U << 0U;
constexpr std::uint64_t kWriteFile = 1U << 1U;
constexpr std::uint64_t kReadFile = 1U << 2U;
constexpr std::uint64_t kReadFolder = 1U << 3U;
constexpr std::uint64_t kVersion1 = (1U << 13U) - 1;  // The four above, and making and removing of every kind.
constexpr std::uint64_t kRefer = 1U << 13U;           // From version 2.
constexpr std::uint64_t kTruncate = 1U << 14U;        // From version 3.
constexpr std::uint64_t kDeviceControl = 1U << 15U;   // From version 5.
constexpr std::uint64_t kTcp = 3;                     // Bind and connect, from version 4.
constexpr std::uint64_t kScopes = 3;                  // Abstract sockets and signals, from version 6.
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;
constexpr std::uint64_t kMakeDevices = (1U << 6U) | (1U << 11U);  // Character and block.

constexpr std::uint64_t handled(int abi) {
  return kVersion1 | (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0) | (abi >= 5 ? kDeviceControl : 0);
}

RulesetAttributes attributes(const LandlockPlan& plan) {
  return {handled(plan.abi), plan.abi >= 4 && plan.shuts_network ? kTcp : 0, plan.abi >= 6 ? kScopes : 0};
}

// A kernel refuses a longer structure only if what it does not know is not zero; shorter ones it takes.
std::size_t attributes_size(int abi) { return abi >= 6 ? 24 : abi >= 4 ? 16 : 8; }

int add_rule(int ruleset, const LandlockRule& rule) {
  const int fd = ::open(rule.path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) {
    return errno == ENOENT ? 0 : errno;  // What is not there needs no rule.
  }
  struct stat facts{};
  int error = ::fstat(fd, &facts) == 0 ? 0 : errno;
  if (error == 0) {
    const std::uint64_t access = S_ISDIR(facts.st_mode) ? rule.access : rule.access & kOfFiles;
    const PathBeneath attribute{access, fd};
    error = ::syscall(kAddRule, ruleset, kPathBeneath, &attribute, 0) == 0 ? 0 : errno;
  }
  ::close(fd);
  return error;
}

}  // namespace

int landlock_abi() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return static_cast<int>(std::max(version, 0L));
}

LandlockPlan plan_landlock(const SandboxOptions& options, LandlockView view) {
  const bool inside = view == LandlockView::private_root;
  LandlockPlan plan;
  plan.abi = landlock_abi();
  plan.shuts_network = options.purpose != SandboxPurpose::networked_agent;
  const std::uint64_t all = handled(plan.abi);
  const auto allow = [&](const Path& path, std::uint64_t access) {
    if (!path.empty()) {
      plan.rules.push_back({path.string(), access & all});
    }
  };
  if (inside) {
    allow("/", kReadFile | kReadFolder);  // Nothing is there that may not be read.
  }
  for (const SandboxBind& bind : options.binds) {
    const std::uint64_t execute = bind.use == SandboxBind::Use::execute ? kExecute : 0;
    const std::uint64_t access =
        bind.use == SandboxBind::Use::write ? all & ~kMakeDevices : kReadFile | kReadFolder | execute;
    allow(inside ? bind.inside : bind.host, access);
  }
  for (const SandboxFolder& folder : options.folders) {
    allow(inside ? folder.inside : folder.host, all & ~kExecute & ~kMakeDevices);
  }
  allow("/dev/null", kReadFile | kWriteFile);
  for (const Path& device : options.devices) {
    allow(device, kReadFile | kWriteFile | kDeviceControl);
  }
  if (holds_gpu_driver(options.purpose)) {
    allow("/proc", kReadFile | kReadFolder | kWriteFile | kTruncate);  // fopen(comm, "w") truncates.
  }
  allow("/dev/zero", kReadFile);
  allow("/dev/urandom", kReadFile);
  return plan;
}

int restrict_with_landlock(const SandboxPlan& plan) {
  const RulesetAttributes wanted = attributes(plan.landlock);
  const long ruleset = ::syscall(kCreateRuleset, &wanted, attributes_size(plan.landlock.abi), 0);
  if (ruleset < 0) {
    return errno;
  }
  int error = 0;
  for (std::size_t i = 0; error == 0 && i < plan.landlock.rules.size(); ++i) {
    error = add_rule(static_cast<int>(ruleset), plan.landlock.rules[i]);
  }
  if (error == 0 && ::syscall(kRestrictSelf, ruleset, 0) != 0) {
    error = errno;
  }
  ::close(static_cast<int>(ruleset));
  return error;
}

}  // namespace assay::os
