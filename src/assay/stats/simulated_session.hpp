#pragma once

#include <cstdint>
#include <vector>

#include <assay/base/random.hpp>
#include <assay/stats/paired_samples.hpp>

namespace assay::stats {

/// A model of how timings vary, to try decision rules on: for tests and benchmarks, never for a verdict. The logarithm of a
/// call's time is
///
///   workload + session + drift(time) + placement(process) + placement(process, workload) + call, and the candidate's effect.
///
/// The defaults have the orders of magnitude that were measured on one H200: two processes with the same kernel differ
/// steadily by about 1 %, calls by 1 to 2 % with rare ones of many times that, sessions by 3.5 %.
struct TimingNoise {
  double session = 0.035;       ///< Deviation of what a whole session shares: host, clocks, temperature.
  double drift = 0.01;          ///< Stationary deviation within a session of a first-order autoregression over calls.
  double drift_memory = 0.999;  ///< Its coefficient from call to call, in [0, 1).
  double process = 0.005;       ///< Placement of a process, all its workloads alike.
  double placement = 0.006;     ///< Placement of one workload's buffers and code in one process.
  double misplaced = 0.03;  ///< Share of processes that are placed badly: slower by an exponential variable with this
  double misplacement = 0.02;  ///< mean.
  double call = 0.010;         ///< Scale of a call's own noise: Student's t with 3 degrees of freedom.
  double spikes = 0.005;  ///< Share of calls that something interrupts: slower by an exponential variable of mean 1.
};

/// A paired session under the model: per process pair fresh placements, then rounds in which each workload is called on both
/// sides, next to each other in random order.
class SimulatedSession {
 public:
  /// `log_ratio`: the candidate's true effect on every workload; 0: it is the same code.
  SimulatedSession(const TimingNoise& noise, double log_ratio, int workloads, int samples_per_pair, std::uint64_t seed);

  /// Makes the next process pair and returns its samples.
  [[nodiscard]] std::vector<PairedSample> next_pair();

 private:
  TimingNoise noise_;
  double log_ratio_;
  int workloads_;
  int samples_;
  base::Philox random_;
  double session_;
  double drift_;
  int pairs_ = 0;
};

}  // namespace assay::stats
