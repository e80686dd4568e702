#include <assay/evaluate/pair_evidence.hpp>

#include <algorithm>

#include <assay/evaluate/session_flags.hpp>
#include <assay/evaluate/suspicion.hpp>
#include <assay/measure/summary.hpp>
#include <assay/stats/quantile.hpp>

namespace assay::evaluate {

namespace {

template <class Key, class Values>
void append(std::map<Key, Values>& all, const std::map<Key, Values>& more) {
  for (const auto& [key, values] : more) {
    all[key].insert(all[key].end(), values.begin(), values.end());
  }
}

const std::vector<double>& of_side(const std::map<task::Side, std::vector<double>>& values, task::Side side) {
  static const std::vector<double> none;
  const auto at = values.find(side);
  return at == values.end() ? none : at->second;
}

}  // namespace

void PairEvidence::add(const PairResult& pair) {
  floors_ns_.insert(floors_ns_.end(), pair.floors_ns.begin(), pair.floors_ns.end());
  interference_.insert(interference_.end(), pair.interference.begin(), pair.interference.end());
  flags_.insert(flags_.end(), pair.flags.begin(), pair.flags.end());
  append(outlived_ns_, pair.outlived_ns);
  append(idle_shares_, pair.idle_shares);
  largest_errors_.resize(std::max(largest_errors_.size(), pair.largest_errors.size()));
  for (std::size_t w = 0; w < pair.largest_errors.size(); ++w) {
    if (const auto& errors = pair.largest_errors[w]) {
      largest_errors_[w] = largest_errors_[w].value_or(tensor::LargestErrors{});
      largest_errors_[w]->add(*errors);
    }
  }
  if (first_) {
    bytes_per_ns_ = pair.bytes_per_ns;
    least_work_ = pair.least_work;
    first_ = false;
  }
}

double PairEvidence::timer_floor_ns() const { return floors_ns_.empty() ? 0 : stats::median(floors_ns_); }

void PairEvidence::add_errors_to(std::vector<task::WorkloadTiming>& timings) const {
  for (std::size_t w = 0; w < std::min(timings.size(), largest_errors_.size()); ++w) {
    if (largest_errors_[w]) {
      timings[w].largest_absolute_error = largest_errors_[w]->absolute;
      timings[w].largest_relative_error = largest_errors_[w]->relative;
    }
  }
}

MeasuredLimits PairEvidence::limits(const std::optional<device::DevicePeaks>& peaks) const {
  // A memory is as fast as it ever was: now, or when it was measured once for all.
  const device::DevicePeaks kept = peaks.value_or(device::DevicePeaks{});
  return {bytes_per_ns_ > 0 ? std::max(bytes_per_ns_, kept.bytes_per_ns) : 0, kept.operations_bound()};
}

void PairEvidence::add_floors_to(std::vector<task::WorkloadTiming>& timings,
                                 const std::optional<device::DevicePeaks>& peaks) const {
  const MeasuredLimits measured = limits(peaks);
  for (std::size_t w = 0; w < std::min(timings.size(), least_work_.size()); ++w) {
    const double moving_ns = measured.bytes_per_ns > 0 ? least_work_[w].bytes / measured.bytes_per_ns : 0;
    const double computing_ns =
        measured.operations_per_ns > 0 ? least_work_[w].operations / measured.operations_per_ns : 0;
    if (std::max(moving_ns, computing_ns) > 0) {
      timings[w].floor_ns = std::max(moving_ns, computing_ns);
      timings[w].floor_limit = moving_ns >= computing_ns ? "memory" : "arithmetic";
    }
  }
}

std::optional<task::Finding> PairEvidence::doubts(const task::EvaluationRequest& request,
                                                  const std::vector<task::Sample>& samples,
                                                  const std::vector<task::WorkloadTiming>& timings,
                                                  const std::optional<device::DevicePeaks>& peaks) const {
  const bool reconciles = request.probes(task::Probe::reconcile);
  std::optional<task::Finding> doubt;
  if (request.probes(task::Probe::interference)) {
    doubt = doubt_interference(interference_);
  }
  if (!doubt && reconciles) {
    doubt = doubt_outliving_work(of_side(outlived_ns_, task::Side::candidate),
                                 of_side(outlived_ns_, task::Side::incumbent));
  }
  if (!doubt && request.probes(task::Probe::roofline_floor)) {
    doubt = doubt_too_fast(timings, least_work_, limits(peaks));
  }
  if (!doubt && reconciles) {
    if (std::optional<std::string> sentence = measure::reconcile(samples)) {
      doubt = irreconcilable_time(std::move(*sentence));
    }
  }
  return doubt;
}

std::vector<task::Finding> PairEvidence::flags() const {
  std::vector<task::Finding> flags = flag_host_bound(idle_shares_);
  flags.insert(flags.end(), flags_.begin(), flags_.end());
  return flags;
}

task::Finding irreconcilable_time(std::string sentence) {
  task::Finding finding;
  finding.kind = "irreconcilable_time";
  finding.message = std::move(sentence);
  return finding;
}

}  // namespace assay::evaluate
