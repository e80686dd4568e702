#include <assay/worker/worker_process.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include <assay/base/text.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::worker {

namespace {

// What a candidate may write to files of its own; they lie in memory.
constexpr std::uint64_t kScratchBytes = std::uint64_t{64} << 20U;
constexpr const char* kProgramInside = "/assay-worker";
// What a program that watches keeps in files and in shared memory.
constexpr std::uint64_t kWatcherBytes = std::uint64_t{1} << 30U;

// Of one candidate: threads for every processor some times over, and what a driver starts beside them. Each more helps a
// bomb of forks, whose demands on the kernel are not shared out fairly: 512 on two processors held up all else for half
// a minute.
std::uint64_t most_processes() {
  return 64 + 8 * static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

bool is_inside(const os::Path& path, const os::Path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// A watcher starts from all that a compiler sees, for it is several programs and libraries; what lies there already
// cannot be shown again.
os::SandboxOptions watched_sandbox_for(const WorkerOptions& options) {
  os::SandboxOptions sandbox;
  sandbox.purpose = os::SandboxPurpose::watched_gpu_candidate;
  sandbox.binds = os::toolchain_binds(options.watcher->program);
  sandbox.binds.push_back({options.program, kProgramInside, os::SandboxBind::Use::execute});
  for (const os::SandboxBind& bind : options.access.binds) {
    const bool shown = std::any_of(sandbox.binds.begin(), sandbox.binds.end(),
                                   [&](const os::SandboxBind& known) { return is_inside(bind.inside, known.inside); });
    if (!shown) {
      sandbox.binds.push_back(bind);
    }
  }
  sandbox.folders = {{os::Path(), "/tmp", kWatcherBytes}, {os::Path(), "/dev/shm", kWatcherBytes}};
  sandbox.leave_out = options.leave_out;
  sandbox.memory_bytes = options.memory_bytes;
  sandbox.devices = options.access.nodes;
  return sandbox;
}

os::SandboxOptions sandbox_for(const WorkerOptions& options) {
  if (options.watcher) {
    return watched_sandbox_for(options);
  }
  os::SandboxOptions sandbox;
  sandbox.purpose = options.access.cuda_ordinal ? os::SandboxPurpose::gpu_candidate : os::SandboxPurpose::candidate;
  sandbox.binds = os::runtime_binds();
  sandbox.binds.push_back({options.program, kProgramInside, os::SandboxBind::Use::execute});
  sandbox.folders = {{os::Path(), "/tmp", kScratchBytes}};
  sandbox.leave_out = options.leave_out;
  sandbox.memory_bytes = options.memory_bytes;
  sandbox.binds.insert(sandbox.binds.end(), options.access.binds.begin(), options.access.binds.end());
  sandbox.devices = options.access.nodes;
  sandbox.processes = most_processes();
  return sandbox;
}

}  // namespace

os::ProcessOptions worker_process(const WorkerOptions& options, const os::Fd& socket) {
  os::ProcessOptions process;
  if (options.watcher) {
    process.argv = {options.watcher->program.string()};
    process.argv.insert(process.argv.end(), options.watcher->arguments.begin(), options.watcher->arguments.end());
  }
  process.argv.push_back(os::seen_path(options.program, kProgramInside).string());
  // The same for every evaluation and every call: nothing here may tell the candidate what is going on.
  process.environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"HOME", "/tmp"}, {"TMPDIR", "/tmp"}};
  if (!options.access.library_folders.empty()) {
    std::vector<std::string> folders;
    for (const os::Path& folder : options.access.library_folders) {
      folders.push_back(folder.string());
    }
    process.environment.emplace_back("LD_LIBRARY_PATH", base::join(folders, ":"));
  }
  if (options.watcher) {
    process.environment.insert(process.environment.end(), options.watcher->environment.begin(),
                               options.watcher->environment.end());
  }
  process.descriptors = {{socket.get(), kSocketDescriptor}};
  process.standard_output = options.log;
  process.standard_error = options.log;
  process.limits = options.limits;
  process.sandbox = sandbox_for(options);
  return process;
}

}  // namespace assay::worker
