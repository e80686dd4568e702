#include <assay/os/sandbox/detect.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include <assay/base/text.hpp>
#include <assay/os/containment.hpp>
#include <assay/os/process_child.hpp>
#include <assay/os/sandbox/landlock.hpp>
#include <assay/os/sandbox/limits.hpp>
#include <assay/os/sandbox/namespaces.hpp>
#include <assay/os/sandbox/private_root.hpp>
#include <assay/os/sandbox/seccomp.hpp>

namespace assay::os {
namespace {

// What a trial says through its pipe; no word at all is a failure as well.
struct Word {
  std::int32_t finished = 0;
  SandboxFailure failure;
};

// Goes through both parts in a child. Returns nullopt if all went well. A failure of clone has no mechanism: the first
// flag that fails alone is blamed.
struct Trial {
  bool cloned = true;
  SandboxFailure failure;
};

[[noreturn]] void be_the_trial(const SandboxPlan& plan, int pipe) {
  Word word;
  word.failure = enter_sandbox(plan, SandboxPart::init);
  if (word.failure.error == 0) {
    // The program's part is played by a child where there is an init: it must be able to fork.
    const int child = plan.wanted.has(Mechanism::pid_namespace) ? raw_clone(0, nullptr) : 0;
    if (child > 0) {
      int status = 0;
      ::waitpid(child, &status, 0);
      ::_exit(0);
    }
    if (child == 0) {
      word.failure = enter_sandbox(plan, SandboxPart::program);
    } else {
      word.failure = {Mechanism::pid_namespace, errno};
    }
  }
  word.finished = 1;
  [[maybe_unused]] const ssize_t written = ::write(pipe, &word, sizeof word);
  ::_exit(0);
}

// Nullopt: it ended without a word.
std::optional<Trial> try_once(const SandboxPlan& plan) {
  keep_exit_statuses();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Trial{true, {Mechanism::pid_namespace, errno}};
  }
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  int pidfd = -1;
  int pid = -1;
  {
    const BlockedSignals blocked;
    pid = clone_child(clone_flags(plan), &pidfd);
    if (pid == 0) {
      be_the_trial(plan, writer.get());
    }
  }
  if (pid < 0) {
    return Trial{false, {Mechanism::pid_namespace, errno}};
  }
  const Fd owned(pidfd);
  writer.reset();
  Word word;
  ssize_t count = 0;
  do {
    count = ::read(reader.get(), &word, sizeof word);
  } while (count < 0 && errno == EINTR);
  wait_for_end(pid);
  if (count != static_cast<ssize_t>(sizeof word)) {
    return std::nullopt;
  }
  return Trial{true, word.failure};
}

// Somebody may kill one trial, or the kernel for want of memory; a filter that forbids what we do kills all of them.
Trial try_out(const SandboxPlan& plan) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    if (const std::optional<Trial> trial = try_once(plan)) {
      return *trial;
    }
  }
  return {true, {Mechanism::seccomp, EPERM}};
}

// Root of a container may be alone in its user namespace: then there is no nobody to become.
bool maps_nobody() {
  for (const char* file : {"/proc/self/uid_map", "/proc/self/gid_map"}) {
    const auto text = read_file(file);
    bool mapped = false;
    for (const std::string& line : base::split(text ? *text : "", '\n')) {
      std::istringstream words(line);
      std::uint64_t first = 0;
      std::uint64_t outside = 0;
      std::uint64_t count = 0;
      mapped = mapped || (words >> first >> outside >> count && first <= kInsideUser && kInsideUser - first < count);
    }
    if (!mapped) {
      return false;
    }
  }
  return true;
}

SandboxOptions trial_options() {
  SandboxOptions options;
  options.binds = runtime_binds();
  options.folders = {{"", "/tmp", std::uint64_t{1} << 20U}};
  return options;
}

class Detection {
 public:
  explicit Detection(MechanismSet excluded) {
    support_.report.applied = MechanismSet::all();
    for (const MechanismEntry& entry : kMechanisms) {
      if (excluded.has(entry.mechanism)) {
        leave_out(entry.mechanism, "switched off");
      }
    }
    leave_out_what_cannot_be();
  }

  SandboxSupport run() {
    // Root in a container may lack the capability and still be allowed a user namespace.
    support_.clones_user = ::geteuid() != 0 || !maps_nobody();
    while (true) {
      drop_orphans();
      const Trial trial = attempt();
      if (trial.cloned && trial.failure.error == 0) {
        return std::move(support_);
      }
      if (!trial.cloned) {
        blame_a_flag(trial.failure.error);
      } else {
        leave_out(trial.failure.mechanism, std::strerror(trial.failure.error));
      }
    }
  }

 private:
  [[nodiscard]] bool has(Mechanism mechanism) const { return support_.report.applied.has(mechanism); }

  void leave_out(Mechanism mechanism, std::string reason) {
    if (has(mechanism)) {
      support_.clones_user = support_.clones_user && mechanism != Mechanism::user_namespace;
      support_.report.applied.remove(mechanism);
      support_.report.reasons.at(static_cast<std::size_t>(mechanism)) = std::move(reason);
    }
  }

  void drop_orphans() {
    drop_inconsistent();
    if (::geteuid() == 0 && !has(Mechanism::private_root)) {
      // Nobody could not reach a program that lies in a folder of root's.
      leave_out(Mechanism::unprivileged_user, "root cannot become nobody without a private root");
      drop_inconsistent();
    }
  }

  void drop_inconsistent() {
    const MechanismSet kept = consistent(support_.report.applied, support_.clones_user);
    for (const MechanismEntry& entry : kMechanisms) {
      if (!kept.has(entry.mechanism)) {
        leave_out(entry.mechanism, "needs what is absent");
      }
    }
  }

  void leave_out_what_cannot_be() {
    if (landlock_abi() == 0) {
      leave_out(Mechanism::landlock, "the kernel has none");
    }
    if (!counts_processes_by_namespace()) {
      leave_out(Mechanism::process_limit, "the kernel is older than 5.14");
    }
    if (has(Mechanism::cgroup)) {
      base::Result<CgroupPlace> place = find_cgroup_place();
      if (place) {
        support_.cgroups = std::move(*place);
      } else {
        leave_out(Mechanism::cgroup, place.error().message);
      }
    }
  }

  Trial attempt() {
    std::optional<Cgroup> cgroup;
    const SandboxOptions options = trial_options();
    if (has(Mechanism::cgroup)) {
      base::Result<Cgroup> made = Cgroup::create(*support_.cgroups, {std::uint64_t{64} << 20U, 16, 0});
      if (!made) {
        leave_out(Mechanism::cgroup, made.error().message);
        support_.cgroups.reset();
      } else {
        cgroup = std::move(*made);
      }
    }
    const base::Result<SandboxPlan> plan = plan_sandbox(options, support_, cgroup);
    if (!plan) {
      leave_out(Mechanism::private_root, plan.error().message);
      return attempt();
    }
    return try_out(*plan);
  }

  // clone does not say which flag it minds.
  void blame_a_flag(int error) {
    if (!support_.clones_user && has(Mechanism::user_namespace)) {
      support_.clones_user = true;  // Root, but without the capability: as a user would.
      return;
    }
    for (const MechanismEntry& entry : kMechanisms) {
      if (entry.clone_flag == 0 || !has(entry.mechanism)) {
        continue;
      }
      SandboxPlan alone;
      alone.clones_user = support_.clones_user;
      alone.wanted.add(entry.mechanism);
      if (support_.clones_user && has(Mechanism::user_namespace)) {
        alone.wanted.add(Mechanism::user_namespace);
      }
      int pidfd = -1;
      const BlockedSignals blocked;
      const int pid = clone_child(clone_flags(alone), &pidfd);
      if (pid == 0) {
        ::_exit(0);
      }
      if (pid > 0) {
        const Fd owned(pidfd);
        wait_for_end(pid);
      } else {
        leave_out(entry.mechanism, std::strerror(errno));
        return;
      }
    }
    for (const MechanismEntry& entry : kMechanisms) {  // Each alone, but not all together.
      if (entry.clone_flag != 0) {
        leave_out(entry.mechanism, std::strerror(error));
      }
    }
  }

  SandboxSupport support_;
};

}  // namespace

SandboxSupport detect_sandbox(MechanismSet excluded) { return Detection(excluded).run(); }

const SandboxSupport& sandbox_support() {
  static std::mutex mutex;
  static std::map<uid_t, SandboxSupport> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(::geteuid());
  return found != known.end() ? found->second : known.emplace(::geteuid(), detect_sandbox({})).first->second;
}

MechanismSet consistent(MechanismSet set, bool clones_user) {
  set = without_orphans(set);
  if (!clones_user && !set.includes({Mechanism::private_proc, Mechanism::private_root, Mechanism::unprivileged_user})) {
    set.remove(Mechanism::user_namespace);
  }
  return without_orphans(set);
}

base::Result<SandboxPlan> plan_sandbox(const SandboxOptions& options, const SandboxSupport& support,
                                       const std::optional<Cgroup>& cgroup) {
  SandboxPlan plan;
  plan.wanted = consistent(support.report.applied.without(options.leave_out), support.clones_user);
  plan.clones_user = support.clones_user;
  plan.user = ::geteuid();
  plan.group = ::getegid();
  plan.processes = options.processes;
  plan.shows_drivers = holds_gpu_driver(options.purpose);
  const bool has_root = plan.wanted.has(Mechanism::private_root);
  if (has_root) {
    const ShowProc proc = plan.wanted.has(Mechanism::private_proc) ? ShowProc::yes : ShowProc::no;
    ASSAY_TRY_ASSIGN(plan.root, plan_root(options, proc));
    plan.staging = find_staging_folder();
  }
  if (plan.wanted.has(Mechanism::landlock)) {
    plan.landlock = plan_landlock(options, has_root ? LandlockView::private_root : LandlockView::host);
  }
  if (plan.wanted.has(Mechanism::seccomp)) {
    plan.filter = make_filter(options.purpose);
  }
  if (cgroup) {
    plan.cgroup_procs = cgroup->procs();
  }
  return plan;
}

}  // namespace assay::os
