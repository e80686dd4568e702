#include <assay/measure/schedule.hpp>

#include <map>
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
  const auto some_workload = [&] {
    const std::size_t one = random.next_below(order.size());
    const std::size_t other = random.next_below(order.size());
    const bool cheaper = !options.costs.empty() && options.costs[other] < options.costs[one];
    return static_cast<std::int32_t>(cheaper ? other : one);
  };
  // Which cells are perturbed, and in which argument. Two draws may fall on one cell: it is perturbed once.
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> perturbed;
  for (int i = 0; i < options.perturbed_calls && options.timed_repetitions > 0; ++i) {
    const std::int32_t repetition =
        1 + static_cast<std::int32_t>(random.next_below(static_cast<std::uint64_t>(options.timed_repetitions)));
    perturbed.try_emplace({some_workload(), repetition}, static_cast<std::uint64_t>(options.pair) *
                                                                 static_cast<std::uint64_t>(options.perturbed_calls) +
                                                             static_cast<std::uint64_t>(i));
  }
  const std::int32_t repeated_workload = options.repeat && options.pair == 0 ? some_workload() : -1;
  const auto contents_of = [&](std::int32_t workload, std::int32_t repetition) {
    return base::mix(base::mix(static_cast<std::uint64_t>(options.pair), static_cast<std::uint64_t>(workload)),
                     static_cast<std::uint64_t>(repetition));
  };
  const auto add_block = [&](ScheduledCall call) {
    call.side = options.with_incumbent && random.next_below(2) == 1 ? task::Side::incumbent : task::Side::candidate;
    calls.push_back(call);
    if (options.with_incumbent) {
      call.side = call.side == task::Side::candidate ? task::Side::incumbent : task::Side::candidate;
      call.new_contents = false;
      calls.push_back(call);
    }
  };
  std::vector<std::uint64_t> latest_contents(order.size());
  for (std::int32_t repetition = 0; repetition <= options.timed_repetitions; ++repetition) {
    shuffle(order, random);
    for (const std::int32_t workload : order) {
      ScheduledCall call;
      call.workload = workload;
      call.repetition = repetition;
      if (const auto found = perturbed.find({workload, repetition}); found != perturbed.end()) {
        call.perturbed = found->second;
      }
      std::uint64_t& latest = latest_contents[static_cast<std::size_t>(workload)];
      latest = call.contents = call.perturbed ? latest : contents_of(workload, repetition);
      call.check = repetition == 0 || call.perturbed || random.next_uniform() < options.check_fraction;
      add_block(call);
      if (repetition == 0 && workload == repeated_workload) {
        call.repeats = true;
        add_block(call);
      }
    }
  }
  return calls;
}

}  // namespace assay::measure
