#include <assay/stats/simulated_session.hpp>

#include <array>
#include <cmath>

#include <assay/base/error.hpp>

namespace assay::stats {
namespace {

double draw_exponential(base::Philox& random) { return -std::log(1 - random.next_uniform()); }

double draw_t3(base::Philox& random) {
  const double normal = random.next_normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double part = random.next_normal();
    squares += part * part;
  }
  return normal / std::sqrt(squares / 3);
}

}  // namespace

SimulatedSession::SimulatedSession(const TimingNoise& noise, double log_ratio, int workloads, int samples_per_pair,
                                   std::uint64_t seed)
    : noise_(noise),
      log_ratio_(log_ratio),
      workloads_(workloads),
      samples_(samples_per_pair),
      random_(seed, base::stream_id("stats.simulated_session")),
      session_(noise.session * random_.next_normal()),
      drift_(noise.drift * random_.next_normal()) {
  ASSAY_CHECK(workloads > 0 && samples_per_pair > 0);
  ASSAY_CHECK(noise.drift_memory >= 0 && noise.drift_memory < 1);
}

std::vector<PairedSample> SimulatedSession::next_pair() {
  std::vector<std::array<double, 2>> placement(static_cast<std::size_t>(workloads_));  // By workload and side.
  for (const std::size_t side : {0U, 1U}) {
    double process = noise_.process * random_.next_normal();
    if (random_.next_uniform() < noise_.misplaced) {
      process += noise_.misplacement * draw_exponential(random_);
    }
    for (auto& of_workload : placement) {
      of_workload[side] = process + noise_.placement * random_.next_normal();
    }
  }
  const double innovation = noise_.drift * std::sqrt(1 - noise_.drift_memory * noise_.drift_memory);
  std::vector<PairedSample> samples;
  samples.reserve(2 * static_cast<std::size_t>(workloads_) * static_cast<std::size_t>(samples_));
  for (int round = 0; round < samples_; ++round) {
    for (int workload = 0; workload < workloads_; ++workload) {
      const std::size_t first = random_.next_below(2);
      for (const std::size_t side : {first, 1 - first}) {
        drift_ = noise_.drift_memory * drift_ + innovation * random_.next_normal();
        double log_time = std::log(1e4 * (workload + 1)) + session_ + drift_ + (side == 0 ? log_ratio_ : 0) +
                          placement[static_cast<std::size_t>(workload)][side] + noise_.call * draw_t3(random_);
        if (random_.next_uniform() < noise_.spikes) {
          log_time += draw_exponential(random_);
        }
        samples.push_back({pairs_, workload, side == 0, std::exp(log_time)});
      }
    }
  }
  ++pairs_;
  return samples;
}

}  // namespace assay::stats
