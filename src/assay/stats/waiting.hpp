#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <assay/stats/paired_samples.hpp>

namespace assay::stats {

/// Where a worker sleeps between its calls, and whoever judges sleeps during them, both wait for a processor when somebody
/// else uses the machine: in the time between the clocks nothing need be hidden. An accusation needs more than that. What is
/// explained by waiting is not believed either: it ends in no gain.

/// Nanoseconds that waking up alone explains on a machine that is not overloaded, even beside threads that spin.
inline constexpr double kWakingNs = 200e3;

/// How sure it must be, over all looks of a session, that waiting does not explain what a candidate is accused of
/// (PairedRule::waiting_level), on a device of this name. An accusation is no session's statistic, of which a few may be
/// wrong. 0 on a GPU, where judge and worker wait without sleeping.
[[nodiscard]] double waiting_level_on(std::string_view device);

/// Whether waiting may explain that a second clock contradicts the gain that the first one claims (hear_witness): unless
/// the excess of what lies between the clocks on the candidate's calls over that on the incumbent's is surely more than
/// kWakingNs beyond half of the claim. Of each cell the lower quartiles are taken, because a machine delays some calls and
/// hidden work all; in nanoseconds, and the workloads weigh as the incumbent's times on them, because in the longest
/// waiting is least; Student's t over pairs, one-sided at `level` in (0, 0.5). Assumes pairs that scatter nearly normally, which
/// delays by whole slices of time do not: so fewer than 4 pairs accuse nobody. A missing cell accuses nobody either.
[[nodiscard]] bool waiting_explains(std::span<const PairedSample> samples, int pairs, int workloads, double level);

/// The chance that all `accused` calls are among the delayed ones if it hit them and the `known` calls alike, of which
/// `known_delayed` were: Fisher's exact test (1935), one-sided, with calls for units. What the known kernel went through
/// says how busy the machine was. Counts are not negative, and `known_delayed` is at most `known`.
[[nodiscard]] double chance_of_all_delayed(std::int64_t accused, std::int64_t known, std::int64_t known_delayed);

}  // namespace assay::stats
