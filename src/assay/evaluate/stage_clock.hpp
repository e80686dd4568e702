#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <assay/task/named.hpp>

namespace assay::evaluate {

/// Where the judge's time around calls goes: seconds by stage, over all blocks of a process pair.
class StageClock {
 public:
  enum class Stage : std::uint8_t { start, generate, begin, prepare, arrive, call, look, check, rest };

  /// Adds the time since the last lap to a stage.
  void lap(Stage stage) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

  /// What was done, for people, and its seconds.
  [[nodiscard]] task::Named<double> seconds() const {
    static constexpr std::array<const char*, kStages> kNames = {
        "start the processes",
        "generate inputs",
        "bring inputs to the device and compute what is expected there",
        "prepare outputs",
        "wait until the device is through with that",
        "call",
        "look at what calls left",
        "compare with what is expected, and look again",
        "everything else"};
    task::Named<double> named;
    for (std::size_t i = 0; i < kStages; ++i) {
      named.emplace_back(kNames[i], seconds_[i]);
    }
    return named;
  }

 private:
  static constexpr std::size_t kStages = 9;
  std::array<double, kStages> seconds_{};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace assay::evaluate
