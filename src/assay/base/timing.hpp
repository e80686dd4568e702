#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::base {

/// How a call is timed: a closed set. Times of different methods measure different things and are never compared. The
/// numbers are on the wire to a worker, the spellings are persisted; neither changes.
enum class TimingMethod : std::uint8_t {
  wall = 0,    ///< The worker's monotonic clock around the entry point. For candidates on the CPU.
  events = 1,  ///< CUDA events around what the entry point puts on its stream; host gaps count.
  graph = 2,   ///< The entry point's work, captured into a CUDA graph; events around the graph's launch. No host gaps.
  cupti = 3,  ///< From the start of the call's first kernel, copy or fill to the end of its last, as CUPTI traced them.
};

/// What the caches hold when a timed call starts. Never mixed in a session.
enum class CacheState : std::uint8_t {
  cold = 0,  ///< Nothing of the call's.
  hot = 1,   ///< What an untimed call in the same places, just before and on other contents, has left.
};

/// What a time means. Two times may be compared only if both parts agree.
struct Timing {
  TimingMethod method = TimingMethod::wall;
  CacheState cache = CacheState::cold;
  bool operator==(const Timing&) const = default;
};

/// Every one, in order; the spelling of each is at its number.
inline constexpr std::array<std::string_view, 4> kTimingMethods = {"wall", "events", "graph", "cupti"};
inline constexpr std::array<std::string_view, 2> kCacheStates = {"cold", "hot"};

[[nodiscard]] constexpr std::string_view to_string(TimingMethod method) {
  return kTimingMethods.at(static_cast<std::size_t>(method));
}
[[nodiscard]] constexpr std::string_view to_string(CacheState cache) {
  return kCacheStates.at(static_cast<std::size_t>(cache));
}
[[nodiscard]] std::optional<TimingMethod> parse_timing_method(std::string_view text);
[[nodiscard]] std::optional<CacheState> parse_cache_state(std::string_view text);

/// "graph, cold": for messages.
[[nodiscard]] std::string to_string(const Timing& timing);

/// The method that a device of this name (device_name.hpp) uses unless told otherwise: events on CUDA, otherwise wall.
[[nodiscard]] TimingMethod default_timing_method(std::string_view device);
/// Whether a device of this name can be timed so: CUDA by all but wall, the others by wall alone.
[[nodiscard]] bool can_time(std::string_view device, TimingMethod method);

}  // namespace assay::base
