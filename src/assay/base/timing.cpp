#include <assay/base/timing.hpp>

#include <algorithm>
#include <span>

#include <assay/base/device_name.hpp>

namespace assay::base {

namespace {

std::optional<std::size_t> place_in(std::span<const std::string_view> words, std::string_view text) {
  const auto found = std::find(words.begin(), words.end(), text);
  return found == words.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(std::distance(words.begin(), found)));
}

bool is_cuda(std::string_view device) {
  const auto name = parse_device_name(device);
  return name && name->kind == DeviceName::Kind::cuda;
}

}  // namespace

std::optional<TimingMethod> parse_timing_method(std::string_view text) {
  const auto place = place_in(kTimingMethods, text);
  return place ? std::optional(static_cast<TimingMethod>(*place)) : std::nullopt;
}

std::optional<CacheState> parse_cache_state(std::string_view text) {
  const auto place = place_in(kCacheStates, text);
  return place ? std::optional(static_cast<CacheState>(*place)) : std::nullopt;
}

std::string to_string(const Timing& timing) {
  return std::string(to_string(timing.method)) + ", " + std::string(to_string(timing.cache));
}

TimingMethod default_timing_method(std::string_view device) {
  return is_cuda(device) ? TimingMethod::events : TimingMethod::wall;
}

bool can_time(std::string_view device, TimingMethod method) {
  return is_cuda(device) != (method == TimingMethod::wall);
}

}  // namespace assay::base
