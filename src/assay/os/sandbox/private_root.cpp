#include <assay/os/sandbox/private_root.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <set>

// <sys/mount.h> clashes with <linux/mount.h> in glibc 2.36: these are its two functions and the flags used here.
extern "C" int mount(const char* source, const char* target, const char* type, unsigned long flags,
                     const void* data) noexcept;
extern "C" int umount2(const char* target, int flags) noexcept;

namespace assay::os {
namespace {

constexpr int kDetach = 2;                 // MNT_DETACH
constexpr unsigned kRecursively = 0x8000;  // AT_RECURSIVE
constexpr std::uint64_t kSealed = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr const char* kOldRoot = ".host";  // Under the new root until it is left.
constexpr std::size_t kLongestPath = 4096;

class Planner {
 public:
  void bind(const SandboxBind& bind, const Path& canonical, bool is_folder) {
    const std::string inside = relative(bind.inside);
    if (!taken_.insert(inside).second) {
      return;  // Shown already.
    }
    parents(bind.inside);
    steps_.push_back({is_folder ? RootStep::Kind::folder : RootStep::Kind::file, inside, ""});
    const bool writable = bind.use == SandboxBind::Use::write;
    steps_.push_back({writable ? RootStep::Kind::bind_writable : RootStep::Kind::bind, inside, relative(canonical)});
  }

  // Systems whose /lib is a link to usr/lib have programs that name their loader in /lib.
  void links_of_the_host() {
    for (const char* name : {"lib", "lib64", "lib32", "bin", "sbin"}) {
      std::error_code ignored;
      const Path path = Path("/") / name;
      if (std::filesystem::is_symlink(path, ignored) && taken_.insert(name).second) {
        steps_.push_back({RootStep::Kind::link, name, std::filesystem::read_symlink(path, ignored).string()});
      }
    }
  }

  void devices(const std::vector<Path>& more) {
    folder("/dev");
    std::vector<Path> paths = {"/dev/null", "/dev/zero", "/dev/urandom"};
    paths.insert(paths.end(), more.begin(), more.end());
    for (const Path& path : paths) {
      std::error_code ignored;
      if (std::filesystem::is_character_file(path, ignored)) {
        parents(path);
        steps_.push_back({RootStep::Kind::file, relative(path), ""});
        devices_.push_back(path.string());
      }
    }
  }

  void folder(const Path& inside) {
    parents(inside);
    if (taken_.insert(relative(inside)).second) {
      steps_.push_back({RootStep::Kind::folder, relative(inside), ""});
    }
  }

  // A proc of our namespace covers the host's by now.
  void proc(ShowProc show) {
    folder("/proc");
    if (show == ShowProc::yes) {
      steps_.push_back({RootStep::Kind::device, "proc", "proc"});
    }
  }

  // Before what is bound: that may lie beneath one of them, as a checkout under /tmp does, and must not be covered.
  void writable(const std::vector<SandboxFolder>& folders) {
    for (const SandboxFolder& one : folders) {
      folder(one.inside);
      steps_.push_back(
          {RootStep::Kind::writable, relative(one.inside),
           fmt::format("mode=0700,uid={},gid={},size={},nr_inodes=8192", kInsideUser, kInsideUser, one.bytes)});
    }
  }

  std::vector<RootStep> finish() {
    for (const std::string& device : devices_) {
      steps_.push_back({RootStep::Kind::device, relative(device), relative(device)});
    }
    steps_.push_back({RootStep::Kind::leave_old_root, "", ""});
    return std::move(steps_);
  }

 private:
  static std::string relative(const Path& path) { return path.relative_path().string(); }

  void parents(const Path& inside) {
    Path path;
    for (const Path& part : inside.parent_path().relative_path()) {
      path /= part;
      if (taken_.insert(path.string()).second) {
        steps_.push_back({RootStep::Kind::folder, path.string(), ""});
      }
    }
  }

  std::set<std::string> taken_;
  std::vector<RootStep> steps_;
  std::vector<std::string> devices_;
};

int result(long outcome) { return outcome < 0 ? errno : 0; }

int set_attributes(const char* path, unsigned flags, std::uint64_t attributes) {
  mount_attr wanted{};
  wanted.attr_set = attributes;
  return result(::syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &wanted, sizeof wanted));
}

// Nothing that is mounted in our namespace may show outside.
int stop_propagation() { return result(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr)); }

// Binds a path of the old root. No allocation: the text is put together on the stack.
int bind_from_old_root(const RootStep& step) {
  char source[kLongestPath];  // NOLINT: a stack buffer is what is wanted
  const std::size_t prefix = std::char_traits<char>::length(kOldRoot);
  if (prefix + step.source.size() + 2 > sizeof source) {
    return ENAMETOOLONG;
  }
  std::char_traits<char>::copy(source, kOldRoot, prefix);
  source[prefix] = '/';
  std::char_traits<char>::copy(source + prefix + 1, step.source.c_str(), step.source.size() + 1);
  return result(::mount(source, step.inside.c_str(), nullptr, MS_BIND | MS_REC, nullptr));
}

int follow(const RootStep& step) {
  switch (step.kind) {
    case RootStep::Kind::folder:
      return result(::mkdir(step.inside.c_str(), 0755));
    case RootStep::Kind::file:
      return result(::mknod(step.inside.c_str(), S_IFREG | 0644, 0));
    case RootStep::Kind::link:
      return result(::symlink(step.source.c_str(), step.inside.c_str()));
    case RootStep::Kind::bind: {
      const int error = bind_from_old_root(step);
      return error != 0 ? error : set_attributes(step.inside.c_str(), kRecursively, kSealed);
    }
    case RootStep::Kind::bind_writable: {
      const int error = bind_from_old_root(step);
      return error != 0 ? error
                        : set_attributes(step.inside.c_str(), kRecursively, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    }
    case RootStep::Kind::device: {
      const int error = bind_from_old_root(step);
      return error != 0 ? error : set_attributes(step.inside.c_str(), 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    }
    case RootStep::Kind::writable:
      return result(::mount("tmpfs", step.inside.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, step.source.c_str()));
    case RootStep::Kind::leave_old_root: {
      int error = result(::umount2(kOldRoot, kDetach));
      error = error != 0 ? error : result(::rmdir(kOldRoot));
      return error != 0 ? error : set_attributes("/", 0, kSealed);
    }
  }
  return EINVAL;
}

}  // namespace

base::Result<std::vector<RootStep>> plan_root(const SandboxOptions& options, ShowProc proc) {
  Planner planner;
  planner.links_of_the_host();
  planner.proc(proc);
  planner.devices(options.devices);
  planner.writable(options.folders);
  for (const SandboxBind& bind : options.binds) {
    std::error_code error;
    const Path canonical = std::filesystem::canonical(bind.host, error);
    if (error) {
      return base::environment_error("sandbox.bind", fmt::format("{} cannot be shown to a program in the sandbox: {}",
                                                                 bind.host.string(), error.message()));
    }
    planner.bind(bind, canonical, std::filesystem::is_directory(canonical, error));
  }
  return planner.finish();
}

std::string find_staging_folder() {
  for (const char* path : {"/tmp", "/mnt", "/var", "/usr"}) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      return path;
    }
  }
  return "";
}

int enter_private_root(const SandboxPlan& plan) {
  int error = stop_propagation();
  if (error == 0) {
    error = result(::mount("tmpfs", plan.staging.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m"));
  }
  if (error == 0) {
    error = result(::chdir(plan.staging.c_str()));
  }
  if (error == 0) {
    error = result(::mkdir(kOldRoot, 0700));
  }
  if (error == 0) {
    error = result(::syscall(SYS_pivot_root, ".", kOldRoot));
  }
  if (error == 0) {
    error = result(::chdir("/"));
  }
  for (std::size_t i = 0; error == 0 && i < plan.root.size(); ++i) {
    error = follow(plan.root[i]);
  }
  return error;
}

int mount_own_proc() {
  const int error = stop_propagation();
  return error != 0 ? error : result(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr));
}

int mount_private_proc(const SandboxPlan& plan) {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  // Older kernels do not know "subset".
  int error = stop_propagation();
  if (error != 0) {
    return error;
  }
  error = plan.shows_drivers ? EINVAL : result(::mount("proc", "/proc", "proc", kFlags, "hidepid=2,subset=pid"));
  if (error == EINVAL) {
    error = result(::mount("proc", "/proc", "proc", kFlags, "hidepid=2"));
  }
  return error;
}

}  // namespace assay::os
