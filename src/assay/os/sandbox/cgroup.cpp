#include <assay/os/sandbox/cgroup.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>
#include <thread>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>

namespace assay::os {
namespace {

constexpr std::string_view kPrefix = "assay-";

// A mounted hierarchy: where, which part of it, and its version 1 controllers.
struct Hierarchy {
  std::string mount_point;
  std::string root;
  std::string type;
  std::vector<std::string> options;
};

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A line of mountinfo: id parent device root mount-point options [fields] - type source super-options
std::vector<Hierarchy> hierarchies(const std::string& mounts) {
  std::vector<Hierarchy> found;
  for (const std::string& line : base::split(mounts, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    const std::vector<std::string> before = base::split(line.substr(0, dash), ' ');
    const std::vector<std::string> after = base::split(line.substr(dash + 3), ' ');
    if (before.size() >= 5 && after.size() >= 3 && after[0].starts_with("cgroup")) {
      found.push_back({before[4], before[3], after[0], base::split(after[2], ',')});
    }
  }
  return found;
}

// Our folder in a hierarchy; none if what is mounted is another part of it.
std::optional<Path> folder_in(const Hierarchy& hierarchy, const std::string& path) {
  std::string_view rest = path;
  if (hierarchy.root != "/") {
    if (!rest.starts_with(hierarchy.root)) {
      return std::nullopt;
    }
    rest.remove_prefix(hierarchy.root.size());
  }
  while (!rest.empty() && rest.front() == '/') {
    rest.remove_prefix(1);
  }
  return rest.empty() ? Path(hierarchy.mount_point) : Path(hierarchy.mount_point) / rest;
}

// The path of our cgroup for a version 1 controller, or ("") for version 2.
std::optional<std::string> membership_in(const std::string& membership, std::string_view controller) {
  for (const std::string& line : base::split(membership, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : contains(base::split(names, ','), controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

bool writable(const Path& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

bool hands_down(const Path& folder, std::initializer_list<std::string_view> controllers) {
  // Files of cgroupfs have no size, but can be read all the same.
  const auto text = read_file(folder / "cgroup.subtree_control");
  const std::vector<std::string> names = base::split(text ? std::string(base::trim(*text)) : "", ' ');
  return std::all_of(controllers.begin(), controllers.end(),
                     [&](std::string_view controller) { return contains(names, controller); });
}

std::optional<CgroupPlace> find_version_2(const std::vector<Hierarchy>& all, const std::string& membership) {
  const std::optional<std::string> path = membership_in(membership, "");
  for (const Hierarchy& hierarchy : all) {
    const auto folder = hierarchy.type == "cgroup2" && path ? folder_in(hierarchy, *path) : std::nullopt;
    if (folder && writable(*folder) && hands_down(*folder, {"memory", "pids"})) {
      return CgroupPlace{CgroupPlace::Version::v2, {*folder}, std::nullopt};
    }
  }
  return std::nullopt;
}

std::optional<Path> find_version_1(const std::vector<Hierarchy>& all, const std::string& membership,
                                   std::string_view controller) {
  const std::optional<std::string> path = membership_in(membership, controller);
  for (const Hierarchy& hierarchy : all) {
    if (path && hierarchy.type == "cgroup" && contains(hierarchy.options, controller)) {
      const auto folder = folder_in(hierarchy, *path);
      if (folder && writable(*folder)) {
        return folder;
      }
    }
  }
  return std::nullopt;
}

int write_value(const Path& file, const std::string& value) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return errno;
  }
  return ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()) ? 0 : errno;
}

constexpr int kPeriodMicroseconds = 100'000;

std::vector<std::pair<const char*, std::string>> settings(CgroupPlace::Version version, const CgroupLimits& limits) {
  const bool v2 = version == CgroupPlace::Version::v2;
  std::vector<std::pair<const char*, std::string>> values;
  if (limits.memory_bytes != 0) {
    values.emplace_back(v2 ? "memory.max" : "memory.limit_in_bytes", std::to_string(limits.memory_bytes));
  }
  if (limits.processes != 0) {
    values.emplace_back("pids.max", std::to_string(limits.processes));
  }
  if (limits.cpus > 0) {
    const auto quota = static_cast<long>(limits.cpus * kPeriodMicroseconds);
    values.emplace_back(v2 ? "cpu.max" : "cpu.cfs_quota_us",
                        v2 ? fmt::format("{} {}", quota, kPeriodMicroseconds) : std::to_string(quota));
  }
  return values;
}

// Swap and what else not every kernel has: set if it can be.
void set_optional(CgroupPlace::Version version, const Path& folder, const CgroupLimits& limits) {
  if (version == CgroupPlace::Version::v2) {
    static_cast<void>(write_value(folder / "memory.swap.max", "0"));
    static_cast<void>(write_value(folder / "memory.oom.group", "1"));
  } else if (limits.memory_bytes != 0) {
    static_cast<void>(write_value(folder / "memory.memsw.limit_in_bytes", std::to_string(limits.memory_bytes)));
  }
}

// What a killed judge left. Emptiness is the kernel's to judge: rmdir fails if anything runs there. The age spares one
// that was made a moment ago and has not been joined yet.
void remove_abandoned(const Path& parent) {
  constexpr std::time_t kYoung = 60;
  const auto names = list_directory(parent);
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    if (!name.starts_with(kPrefix)) {
      continue;
    }
    struct stat facts{};
    const Path folder = parent / name;
    if (::stat(folder.c_str(), &facts) == 0 && std::time(nullptr) - facts.st_mtime > kYoung) {
      ::rmdir(folder.c_str());
    }
  }
}

}  // namespace

base::Result<CgroupPlace> find_cgroup_place(const std::string& membership, const std::string& mounts) {
  const std::vector<Hierarchy> all = hierarchies(mounts);
  if (std::optional<CgroupPlace> place = find_version_2(all, membership)) {
    return std::move(*place);
  }
  const std::optional<Path> memory = find_version_1(all, membership, "memory");
  const std::optional<Path> pids = find_version_1(all, membership, "pids");
  if (!memory || !pids) {
    return base::environment_error("sandbox.cgroup",
                                   all.empty() ? "no cgroup file system is mounted"
                                               : "no cgroup of ours hands down memory and pids, or none is writable");
  }
  CgroupPlace place{CgroupPlace::Version::v1, {*memory}, find_version_1(all, membership, "cpu")};
  if (*pids != *memory) {
    place.folders.push_back(*pids);
  }
  if (place.cpu && (*place.cpu == *memory || *place.cpu == *pids)) {
    place.cpu.reset();  // One hierarchy for several.
  }
  return place;
}

base::Result<CgroupPlace> find_cgroup_place() {
  ASSAY_TRY_ASSIGN(const std::string membership, read_file("/proc/self/cgroup"));
  ASSAY_TRY_ASSIGN(const std::string mounts, read_file("/proc/self/mountinfo"));
  ASSAY_TRY_ASSIGN(CgroupPlace place, find_cgroup_place(membership, mounts));
  for (const Path& folder : place.folders) {
    remove_abandoned(folder);
  }
  if (place.cpu) {
    remove_abandoned(*place.cpu);
  }
  return place;
}

base::Result<Cgroup> Cgroup::create(const CgroupPlace& place, const CgroupLimits& limits) {
  // A judge may be number 2 of its own PID namespace, as another is of its: the number alone names nothing.
  const std::string name = fmt::format("{}{}-{:016x}", kPrefix, ::getpid(), base::entropy_seed());
  Cgroup cgroup;
  cgroup.version_ = place.version;
  std::vector<Path> parents = place.folders;
  if (place.cpu && limits.cpus > 0) {
    parents.push_back(*place.cpu);
  }
  for (const Path& parent : parents) {
    const Path folder = parent / name;
    if (::mkdir(folder.c_str(), 0755) != 0) {
      return base::system_error("sandbox.cgroup", "cannot create a cgroup", errno);
    }
    cgroup.folders_.push_back(folder);
    Fd procs(::open((folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!procs.valid()) {
      return base::system_error("sandbox.cgroup", "cannot open a cgroup's list of processes", errno);
    }
    cgroup.procs_.push_back(std::move(procs));
  }
  for (const auto& [file, value] : settings(place.version, limits)) {
    int error = ENOENT;
    for (const Path& folder : cgroup.folders_) {
      std::error_code ignored;
      if (std::filesystem::exists(folder / file, ignored)) {
        error = write_value(folder / file, value);
        break;
      }
    }
    const bool is_cpu = std::string_view(file).starts_with("cpu.");
    if (error != 0 && !(is_cpu && error == ENOENT)) {  // cpu is not handed down everywhere, memory and pids are.
      return base::system_error("sandbox.cgroup", fmt::format("cannot set {} of a cgroup to {}", file, value), error);
    }
  }
  set_optional(place.version, cgroup.folders_.front(), limits);
  return cgroup;
}

std::vector<int> Cgroup::procs() const {
  std::vector<int> numbers;
  for (const Fd& fd : procs_) {
    numbers.push_back(fd.get());
  }
  return numbers;
}

bool Cgroup::out_of_memory() const {
  if (folders_.empty()) {
    return false;
  }
  const bool v2 = version_ == CgroupPlace::Version::v2;
  const auto text = read_file(folders_.front() / (v2 ? "memory.events" : "memory.oom_control"));
  for (const std::string& line : base::split(text ? *text : "", '\n')) {
    if (line.starts_with("oom_kill ")) {
      return line != "oom_kill 0";
    }
  }
  return false;
}

Cgroup::~Cgroup() { remove(); }

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    remove();
    version_ = other.version_;
    folders_ = std::move(other.folders_);
    procs_ = std::move(other.procs_);
    other.folders_.clear();
  }
  return *this;
}

void Cgroup::remove() {
  procs_.clear();
  for (const Path& folder : folders_) {
    // The kernel is a moment behind with taking the dead out.
    for (int attempt = 0; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && attempt < 200; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  folders_.clear();
}

int join_cgroup(const SandboxPlan& plan) {
  for (const int procs : plan.cgroup_procs) {
    if (::write(procs, "0", 1) != 1) {
      return errno;
    }
  }
  return 0;
}

}  // namespace assay::os
