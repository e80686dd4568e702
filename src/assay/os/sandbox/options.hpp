#pragma once

#include <cstdint>
#include <vector>

#include <assay/os/file.hpp>
#include <assay/os/sandbox/mechanisms.hpp>

namespace assay::os {

/// A file or folder of the host that is shown inside.
struct SandboxBind {
  enum class Use : std::uint8_t {
    read,
    execute,  ///< And read.
    /// A folder of the host itself, to read, write and execute: what is left in it stays there. It must be writable for
    /// everybody, because inside all are nobody; put it into a folder that nobody else may enter.
    write,
  };
  Path host;
  Path inside;  ///< Absolute.
  Use use = Use::read;
};

/// A folder that the program may write to: a fresh tmpfs that vanishes with it. Where no private root can be had it is
/// the host's folder, if one is named.
struct SandboxFolder {
  Path host;    ///< May be empty.
  Path inside;  ///< Absolute.
  std::uint64_t bytes = 0;
};

/// What the sandbox is for: decides which system calls are left.
enum class SandboxPurpose : std::uint8_t {
  candidate,  ///< Runs one program: no sockets, no new sessions, no shared memory of System V.
  compiler,   ///< Starts programs of its own: assembler, linker.
  /// As `candidate`, and what a GPU's driver needs in its process: a Unix socket of its own to listen on, all of /proc to
  /// read, and the names of its threads there to write.
  gpu_candidate,
  /// A GPU's candidate and, in the same sandbox, a program that starts it and watches it: they talk by Unix sockets and
  /// shared memory of the sandbox's own.
  watched_gpu_candidate,
  /// A program that asks a model over the network: sockets of every kind, programs of its own, and sessions for them. Only
  /// for a sandbox with a PID namespace, which is what ends those sessions.
  networked_agent,
};

/// Whether a GPU's driver runs inside.
[[nodiscard]] constexpr bool holds_gpu_driver(SandboxPurpose purpose) {
  return purpose == SandboxPurpose::gpu_candidate || purpose == SandboxPurpose::watched_gpu_candidate;
}

struct SandboxOptions {
  SandboxPurpose purpose = SandboxPurpose::candidate;
  std::vector<SandboxBind> binds;
  std::vector<SandboxFolder> folders;
  std::vector<Path> devices;  ///< Device nodes, such as a GPU's, that the program may open, read, write and control.
  std::uint64_t memory_bytes = 0;  ///< Of the cgroup; 0: no limit.
  std::uint64_t processes = 512;   ///< Processes and threads together.
  double cpus = 0;                 ///< CPU time per time, of the cgroup. 0: no limit; a quota would show in timings.
  MechanismSet leave_out;          ///< For tests and measurements: what each mechanism is for shows when it is missing.
};

/// Returns what a candidate needs beside its own program: the loader, the C and C++ runtimes, OpenMP's, and every
/// shared object that this process itself has loaded (a worker is linked like us).
[[nodiscard]] std::vector<SandboxBind> runtime_binds();

/// Returns what a compiler needs: the system's program and library folders, and the compiler's own.
[[nodiscard]] std::vector<SandboxBind> toolchain_binds(const Path& compiler);

/// Returns the path by which the program sees a bind or a folder: the inside one where a private root can be had.
[[nodiscard]] Path seen_path(const Path& host, const Path& inside);

}  // namespace assay::os
