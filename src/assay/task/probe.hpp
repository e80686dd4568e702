#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>

namespace assay::task {

/// What the judge does to a candidate that only a dishonest or a broken one notices. docs/probes.md describes each.
/// Persisted by name; never renamed.
enum class Probe : std::uint8_t {
  fresh_contents,        ///< Inputs are new for each call, at the same address.
  fresh_address,         ///< From time to time everything lies elsewhere in the memory.
  one_element_mutation,  ///< The contents of an earlier call but for one element or scalar.
  determinism,           ///< The same contents twice, at different addresses: a flag, never a rejection.
  output_check,          ///< Outputs are compared with the reference.
  poison,                ///< Outputs hold a random word before each call.
  guard_bands,           ///< Bytes around the outputs are watched.
  input_digest,          ///< Inputs are digested before and after.
  late_work,             ///< Outputs that change after the call has returned.
  interference,          ///< CPU time that the candidate uses while the incumbent is timed.
  reconcile,             ///< Reported times against the judge's clock.
  roofline_floor,        ///< Reported times against what the memory can deliver.
};

using ProbeSet = std::set<Probe>;

[[nodiscard]] std::string_view to_string(Probe probe);
/// All names, in the order of the enumerators.
[[nodiscard]] std::span<const std::string_view> probe_names();
[[nodiscard]] std::optional<Probe> probe_named(std::string_view name);

}  // namespace assay::task
