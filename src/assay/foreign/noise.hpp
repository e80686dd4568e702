#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/foreign/evaluation.hpp>
#include <assay/stats/repeat_noise.hpp>

namespace assay::foreign {

/// The reference implementation is the same code on the same workloads whatever the candidate: if its mean latency
/// differs by more than this factor, two evaluations were not made in the same environment.
inline constexpr double kEnvironmentFactor = 2;

/// Fewer pairs than this say too little about the noise of a promotion.
inline constexpr std::size_t kFewestPairs = 3;

/// Tells whether two successes may be compared: their references agree within kEnvironmentFactor.
[[nodiscard]] bool same_environment(const Evaluation& one, const Evaluation& other);

/// Returns the successes of one trace by normalised source and environment, each group in the order of the archive; groups
/// of one too.
[[nodiscard]] std::vector<std::vector<std::size_t>> same_code_groups(const TraceArchive& archive,
                                                                     const std::string& trace);

/// Returns the scatter of the logarithm of one latency in one trace, over all repeats of the same code.
[[nodiscard]] stats::RepeatNoise trace_noise(const TraceArchive& archive, const std::string& trace);

/// How far apart two latencies of the same code lie, by logarithm.
struct ComparisonNoise {
  enum class Source : std::uint8_t {
    stored_pairs,  ///< Pairs of which the controller stored both, as it stored what it compared.
    all_repeats,   ///< There were too few of those: all repeats, most of them made within minutes.
    none,          ///< No code was measured twice.
  };
  Source source = Source::none;
  int pairs = 0;    ///< Or degrees of freedom, of all repeats.
  double rms = 0;   ///< Of the log-ratio of a pair.
  double band = 0;  ///< A log-ratio nearer to 0 than this is what the same code gives in 95 of 100 comparisons.
  stats::NoiseInterval band_interval;  ///< In which the band lies with 95 % confidence: few pairs, wide interval.
};

/// Estimates it from the archive's own repeats, over all traces. What a promotion compares are stored evaluations that
/// lie hours apart, often on other machines; pairs of such are its noise, and repeats of the same minute are not.
[[nodiscard]] ComparisonNoise comparison_noise(const TraceArchive& archive);

}  // namespace assay::foreign
