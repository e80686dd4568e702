#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/device/device.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/file.hpp>
#include <assay/os/process.hpp>
#include <assay/worker/protocol.hpp>

namespace assay::worker {

/// A program that starts the worker and watches it, such as compute-sanitizer. It hands on the protocol's socket and ends
/// when the worker has ended.
struct Watcher {
  os::Path program;
  std::vector<std::string> arguments;  ///< Before the worker's path.
  std::vector<std::pair<std::string, std::string>> environment;
};

struct WorkerOptions {
  os::Path program;  ///< The assay-worker binary.
  int log = -1;      ///< Our descriptor for its stdout and stderr; -1: discard.
  os::ResourceLimits limits;
  std::uint64_t memory_bytes = 0;  ///< Of the cgroup; 0: no limit.
  device::WorkerAccess access;     ///< To a device other than the CPU, which is opened at the start.
  DeviceMemory device_memory = DeviceMemory::lent;
  std::optional<Watcher> watcher;
  std::chrono::milliseconds start_limit{5000};
  std::chrono::milliseconds end_limit{2000};      ///< For the process, and who watches it, once its socket is closed.
  std::chrono::milliseconds device_limit{30000};  ///< For opening the device: a context takes a third of a second.
  os::MechanismSet leave_out;                     ///< Of the sandbox; for tests and measurements.
};

/// How the process of a worker is started: its sandbox, its environment and its limits, which are the same for every
/// evaluation and every call and tell a candidate nothing. `socket` is the worker's end of the protocol's, lent until then.
[[nodiscard]] os::ProcessOptions worker_process(const WorkerOptions& options, const os::Fd& socket);

}  // namespace assay::worker
