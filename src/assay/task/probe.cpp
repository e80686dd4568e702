#include <assay/task/probe.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace assay::task {

std::span<const std::string_view> probe_names() {
  static constexpr std::array<std::string_view, 12> kNames = {"fresh_contents", "fresh_address", "one_element_mutation",
                                                              "determinism",    "output_check",  "poison",
                                                              "guard_bands",    "input_digest",  "late_work",
                                                              "interference",   "reconcile",     "roofline_floor"};
  return kNames;
}

std::string_view to_string(Probe probe) { return probe_names()[static_cast<std::size_t>(probe)]; }

std::optional<Probe> probe_named(std::string_view name) {
  const auto names = probe_names();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Probe>(found - names.begin()));
}

}  // namespace assay::task
