#include <assay/measure/schedule.hpp>

#include <numeric>
#include <utility>

namespace assay::measure {

namespace {

void shuffle(std::vector<std::int32_t>& values, base::Philox& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.next_below(i)]);
  }
}

}  // namespace

std::vector<ScheduledCall> make_schedule(const ScheduleOptions& options, base::Philox& random) {
  std::vector<ScheduledCall> calls;
  std::vector<std::int32_t> order(static_cast<std::size_t>(options.workloads));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t repetition = 0; repetition <= options.timed_repetitions; ++repetition) {
    shuffle(order, random);
    for (const std::int32_t workload : order) {
      ScheduledCall call;
      call.workload = workload;
      call.repetition = repetition;
      call.contents =
          base::mix(base::mix(static_cast<std::uint64_t>(options.pair), static_cast<std::uint64_t>(workload)),
                    static_cast<std::uint64_t>(repetition));
      call.check = repetition == 0 || random.next_uniform() < options.check_fraction;
      call.side = options.with_incumbent && random.next_below(2) == 1 ? task::Side::incumbent : task::Side::candidate;
      calls.push_back(call);
      if (options.with_incumbent) {
        call.side = call.side == task::Side::candidate ? task::Side::incumbent : task::Side::candidate;
        call.new_contents = false;
        calls.push_back(call);
      }
    }
  }
  return calls;
}

}  // namespace assay::measure
