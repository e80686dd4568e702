#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace assay::os {

/// A point on the steady clock until which an operation may block. Limits below zero mean now, and those
/// beyond a year mean a year, so that "for ever" cannot overflow.
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds limit)
      : end_(std::chrono::steady_clock::now() +
             std::clamp<std::chrono::nanoseconds>(limit, std::chrono::nanoseconds(0), std::chrono::hours(8760))) {}

  /// Returns the time left, zero when it has passed.
  [[nodiscard]] std::chrono::nanoseconds left() const {
    return std::max<std::chrono::nanoseconds>(end_ - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
  }
  [[nodiscard]] bool passed() const { return left() == std::chrono::nanoseconds(0); }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// Polls until a descriptor is ready, the deadline passes (0), or poll fails (-1 and errno). Interruptions by
/// signals are waited out. Entries whose descriptor is negative are ignored.
[[nodiscard]] int poll_until(std::span<pollfd> descriptors, const Deadline& deadline);

}  // namespace assay::os
