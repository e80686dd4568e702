#include <assay/evaluate/suspicion.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <assay/base/parallel.hpp>
#include <assay/base/text.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::evaluate {

namespace {

constexpr double kMostInterference = 0.10;
// Other access patterns may be faster than the judge's plain loop or copy, and a device's cache may keep what is written
// beyond the end of a call, but not twice.
constexpr double kFloorMargin = 2;
// Nanoseconds: a wait for a context that has nothing left to do takes a few microseconds, which differ by less.
constexpr double kMostOutliving = 5000;
// The same where there is no incumbent to compare with; 5 to 6 us were seen on an H200.
constexpr double kUsualOutliving = 8000;
// In GB/s. A busy machine measures too little, and the floor must err downwards: what is below a real floor but above
// this one is left to the judge's own clock.
constexpr double kLeastBandwidth = 50;

std::uint64_t sum_words(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + sizeof sum <= bytes.size(); at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  return sum;
}

task::Finding finding(const char* kind, std::string message) {
  task::Finding found;
  found.kind = kind;
  found.message = std::move(message);
  return found;
}

std::string human_ns(double ns) { return base::human(std::chrono::nanoseconds(std::llround(ns))); }

}  // namespace

std::optional<task::Finding> doubt_interference(const std::vector<double>& ratios) {
  if (ratios.empty() || !(stats::median(ratios) > kMostInterference)) {
    return std::nullopt;
  }
  return finding(
      "interference",
      fmt::format("while the incumbent was timed, the candidate's process used {:.0f} % of that time on a CPU "
                  "(median of {} calls): let its threads sleep, or end, before a call returns",
                  100 * stats::median(ratios), ratios.size()));
}

std::optional<task::Finding> doubt_outliving_work(const std::vector<double>& of_candidate,
                                                  const std::vector<double>& of_incumbent) {
  if (of_candidate.empty()) {
    return std::nullopt;
  }
  const double usual = of_incumbent.empty() ? kUsualOutliving : stats::median(of_incumbent);
  const double candidate = stats::median(of_candidate);
  if (candidate <= usual + kMostOutliving) {
    return std::nullopt;
  }
  return finding(
      "outliving_work",
      fmt::format("{} after the end of its stream's work the device was still busy with its other work "
                  "(median of {} calls; {} is usual): put all work on assay_stream(call), or have that stream "
                  "wait for it",
                  human_ns(candidate), of_candidate.size(), human_ns(usual)));
}

std::optional<task::Finding> doubt_too_fast(const std::vector<task::WorkloadTiming>& timings,
                                            const std::vector<operators::Work>& least_work,
                                            const MeasuredLimits& limits) {
  const double fastest = kFloorMargin * std::max(limits.bytes_per_ns, kLeastBandwidth);
  const double most = kFloorMargin * limits.operations_per_ns;
  for (std::size_t w = 0; w < std::min(timings.size(), least_work.size()); ++w) {
    const double moving_ns = limits.bytes_per_ns > 0 ? least_work[w].bytes / fastest : 0;
    const double computing_ns = limits.operations_per_ns > 0 ? least_work[w].operations / most : 0;
    if (!timings[w].candidate_ns || *timings[w].candidate_ns >= std::max(moving_ns, computing_ns)) {
      continue;
    }
    const std::string why =
        moving_ns >= computing_ns
            ? fmt::format(
                  "the {} that moving the {} of its inputs and outputs would take at {:.0f} GB/s, more than this "
                  "memory gives ({:.1f} GB/s were measured)",
                  human_ns(moving_ns), base::human_bytes(static_cast<std::uint64_t>(least_work[w].bytes)), fastest,
                  limits.bytes_per_ns)
            : fmt::format(
                  "the {} that its {:.3g} operations would take at {:.0f} a nanosecond, more than this device "
                  "does in any format ({:.0f} were measured)",
                  human_ns(computing_ns), least_work[w].operations, most, limits.operations_per_ns);
    task::Finding found =
        finding("below_the_floor", fmt::format("{} is less than {}: it cannot be the time of the whole work",
                                               human_ns(*timings[w].candidate_ns), why));
    found.workload = static_cast<std::int32_t>(w);
    return found;
  }
  return std::nullopt;
}

double cold_read_bandwidth(const device::Device& device, std::span<const std::byte> bytes) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  constexpr std::size_t kMost = std::size_t{16} << 20U;  // Enough to be bound by the memory, and soon done.
  const auto part = bytes.first(std::min(bytes.size(), kMost));
  double best = 0;
  std::vector<std::uint64_t> sums((part.size() + kPiece - 1) / kPiece);
  for (int pass = 0; pass < 3; ++pass) {
    device.evict(part);
    const auto start = std::chrono::steady_clock::now();
    base::parallel_for(sums.size(), [&](std::size_t piece) {
      sums[piece] = sum_words(part.subspan(piece * kPiece, std::min(kPiece, part.size() - piece * kPiece)));
    });
    const auto end = std::chrono::steady_clock::now();
    for (std::uint64_t& sum : sums) {
      asm volatile("" : "+r"(sum));  // The reads must happen.
    }
    best = std::max(best, static_cast<double>(part.size()) /
                              std::max(1.0, static_cast<double>(std::chrono::nanoseconds(end - start).count())));
  }
  return best;
}

}  // namespace assay::evaluate
