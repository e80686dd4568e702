#include <assay/measure/schedule.hpp>

#include <algorithm>
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
  // In which rounds a call is perturbed, and of which workload: -1 is none. It comes first in its round and its workload
  // last in the round before, so that what the candidate remembers, if only of its last call, is what it meets again.
  std::vector<std::int32_t> perturbed(static_cast<std::size_t>(options.timed_repetitions) + 2, -1);
  std::vector<std::int32_t> rounds(static_cast<std::size_t>(options.timed_repetitions));
  std::iota(rounds.begin(), rounds.end(), 1);
  shuffle(rounds, random);
  rounds.resize(std::min(rounds.size(), static_cast<std::size_t>(options.perturbed_calls)));
  std::sort(rounds.begin(), rounds.end());
  for (const std::int32_t round : rounds) {
    std::int32_t& workload = perturbed[static_cast<std::size_t>(round)];
    do {  // One that is first and last in the same round would have to be there twice.
      workload = some_workload();
    } while (options.workloads > 1 && workload == perturbed[static_cast<std::size_t>(round) - 1]);
  }
  std::uint64_t which =
      static_cast<std::uint64_t>(options.pair) * static_cast<std::uint64_t>(std::max(options.perturbed_calls, 0));
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
    const std::int32_t first = perturbed[static_cast<std::size_t>(repetition)];
    const std::int32_t last = perturbed[static_cast<std::size_t>(repetition) + 1];
    if (first >= 0) {
      std::iter_swap(order.begin(), std::find(order.begin(), order.end(), first));
    }
    if (last >= 0) {
      std::iter_swap(order.end() - 1, std::find(order.begin(), order.end(), last));
    }
    for (const std::int32_t workload : order) {
      if (!options.calls_on.empty() && repetition >= options.calls_on[static_cast<std::size_t>(workload)]) {
        continue;
      }
      ScheduledCall call;
      call.workload = workload;
      call.repetition = repetition;
      if (workload == first) {
        call.perturbed = which++;
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
