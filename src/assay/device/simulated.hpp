#pragma once

#include <cstdint>
#include <memory>

#include <assay/device/device.hpp>

namespace assay::device {

/// A device whose clock is a model: candidates are built, run and checked as on the CPU, but the time that counts is
/// drawn from (device seed, candidate, workload, session seed, pair, repetition). The same campaign gives the same
/// samples on every machine and after every interruption, which real timings never do.
///
/// Model: log t = log(base of the workload) + speed of the code + placement of the process pair + noise, where the
/// speed is uniform in +-30 % (the same for a copy that differs in comments, whose placement and noise are its own),
/// the placement normal with 0.6 %, and the noise normal with 0.8 % (the orders of magnitude that were measured between
/// processes and between calls on real devices).
[[nodiscard]] std::unique_ptr<Device> make_simulated(std::uint64_t device_seed);

}  // namespace assay::device
