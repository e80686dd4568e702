#pragma once

#include <chrono>

#include <assay/evaluate/contestant.hpp>
#include <assay/worker/client.hpp>

namespace assay::evaluate {

/// Has a worker load a contestant's object, in the way that its tier and binding ask for.
[[nodiscard]] worker::Answer<worker::LoadReply> load_contestant(worker::WorkerClient& client,
                                                                const Contestant& contestant,
                                                                std::chrono::nanoseconds limit);

/// Says why a device-only contestant could not be loaded, and what to do; without a side.
[[nodiscard]] task::Finding kernels_refused(const worker::LoadReply& reply);

}  // namespace assay::evaluate
