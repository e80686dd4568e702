#include <assay/foreign/noise.hpp>

#include <cmath>
#include <map>
#include <numbers>

namespace assay::foreign {
namespace {

double log_latency(const Evaluation& evaluation) { return std::log(*evaluation.latency_ms); }

std::vector<std::vector<double>> log_latencies(const TraceArchive& archive, const std::string& trace) {
  std::vector<std::vector<double>> values;
  for (const std::vector<std::size_t>& group : same_code_groups(archive, trace)) {
    std::vector<double>& logs = values.emplace_back();
    for (const std::size_t i : group) {
      logs.push_back(log_latency(archive.evaluations[i]));
    }
  }
  return values;
}

std::vector<double> stored_pairs(const TraceArchive& archive, const std::string& trace) {
  std::vector<double> ratios;
  for (const std::vector<std::size_t>& group : same_code_groups(archive, trace)) {
    std::vector<double> stored;
    for (const std::size_t i : group) {
      if (archive.evaluations[i].stored()) {
        stored.push_back(log_latency(archive.evaluations[i]));
      }
    }
    for (std::size_t a = 0; a < stored.size(); ++a) {
      for (std::size_t b = a + 1; b < stored.size(); ++b) {
        ratios.push_back(stored[b] - stored[a]);
      }
    }
  }
  return ratios;
}

}  // namespace

bool same_environment(const Evaluation& one, const Evaluation& other) {
  const double ratio = *one.reference_latency_ms / *other.reference_latency_ms;
  return ratio <= kEnvironmentFactor && ratio >= 1 / kEnvironmentFactor;
}

std::vector<std::vector<std::size_t>> same_code_groups(const TraceArchive& archive, const std::string& trace) {
  std::vector<std::vector<std::size_t>> groups;
  std::multimap<base::Digest, std::size_t> of_code;  // to groups
  for (const std::size_t i : archive.of_trace(trace)) {
    const Evaluation& evaluation = archive.evaluations[i];
    if (!evaluation.succeeded()) {
      continue;
    }
    const auto [begin, end] = of_code.equal_range(evaluation.normalised);
    auto place = begin;
    while (place != end && !same_environment(archive.evaluations[groups[place->second].front()], evaluation)) {
      ++place;
    }
    if (place == end) {
      of_code.emplace(evaluation.normalised, groups.size());
      groups.push_back({i});
    } else {
      groups[place->second].push_back(i);
    }
  }
  return groups;
}

stats::RepeatNoise trace_noise(const TraceArchive& archive, const std::string& trace) {
  return stats::pooled_noise(log_latencies(archive, trace));
}

ComparisonNoise comparison_noise(const TraceArchive& archive) {
  std::vector<double> pairs;
  std::vector<std::vector<double>> repeats;
  for (const std::string& trace : archive.traces()) {
    const std::vector<double> more = stored_pairs(archive, trace);
    pairs.insert(pairs.end(), more.begin(), more.end());
    for (std::vector<double>& group : log_latencies(archive, trace)) {
      repeats.push_back(std::move(group));
    }
  }
  ComparisonNoise noise;
  const stats::RepeatNoise pooled = stats::pooled_noise(repeats);
  if (pairs.size() >= kFewestPairs) {
    noise.source = ComparisonNoise::Source::stored_pairs;
    noise.pairs = static_cast<int>(pairs.size());
    noise.rms = stats::root_mean_square(pairs);
  } else if (pooled.degrees > 0) {
    noise.source = ComparisonNoise::Source::all_repeats;
    noise.pairs = pooled.degrees;
    noise.rms = std::numbers::sqrt2 * pooled.sigma;
  } else {
    return noise;
  }
  const stats::NoiseInterval rms = stats::sigma_interval(noise.rms, noise.pairs, 0.05);
  noise.band = stats::kTwoSided95 * noise.rms;
  noise.band_interval = {stats::kTwoSided95 * rms.lower, stats::kTwoSided95 * rms.upper};
  return noise;
}

}  // namespace assay::foreign
