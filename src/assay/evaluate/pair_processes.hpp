#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/evaluate/diagnosis.hpp>
#include <assay/evaluate/session.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// One side of a process pair: its worker and the outputs that only it can write to.
struct SideProcess {
  const Contestant* contestant = nullptr;
  std::unique_ptr<device::CallMemory> outputs;
  std::uint64_t digest_of_warm_up = 0;
  std::optional<worker::WorkerClient> client;
};

/// A fresh pair of processes (one without an incumbent) with fresh memories, ready to be called.
struct PairProcesses {
  std::unique_ptr<device::CallMemory> inputs;  ///< Read-only to the workers; both see the same.
  std::vector<SideProcess> sides;
  std::vector<std::int64_t> floors_ns;  ///< Empty-call time, one a process.
  std::optional<Fault> fault;           ///< A side that could not be made ready; the others may be missing.
  bool killed_from_outside = false;
};

/// Starts the workers in random order, maps the memories and loads the objects. Each memory holds the largest of the
/// session's layouts and `slack` bytes more.
[[nodiscard]] base::Result<PairProcesses> start_processes(const Session& session, base::Philox& random,
                                                          std::size_t slack);

}  // namespace assay::evaluate
