#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <assay/task/named.hpp>

namespace assay::evaluate {

/// Where the judge's time goes, from phase to phase of an evaluation: seconds, in the order in which they were noted. Beside
/// the phases, which follow each other, there are parts of them, which overlap.
class PhaseClock {
 public:
  /// The first phase begins now. What is noted is appended to `phases`, which outlives this.
  explicit PhaseClock(task::Named<double>& phases) : phases_(phases) {}

  /// Ends a phase that began with the end of the one before.
  void note(const char* what) {
    const auto now = std::chrono::steady_clock::now();
    phases_.emplace_back(what, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

  /// Notes what a phase's calls were made of, by the judge's clock and by the device's. Ends nothing.
  void note_parts(const std::string& of, const task::Named<double>& stages, const task::Named<double>& on_device) {
    for (const auto& [stage, seconds] : stages) {
      phases_.emplace_back(of + ": " + stage, seconds);
    }
    for (const auto& [work, seconds] : on_device) {
      phases_.emplace_back(of + " on the GPU: " + work, seconds);
    }
  }

 private:
  task::Named<double>& phases_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace assay::evaluate
