#include <assay/control/race.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <assay/base/text.hpp>

namespace assay::control {
namespace {

using Runners = std::vector<const CandidateState*>;

// The surest gain first.
bool is_ahead(const CandidateState* a, const CandidateState* b) {
  return std::tuple(a->gate_log_ratio->upper, a->gate_log_ratio->mean, a->number) <
         std::tuple(b->gate_log_ratio->upper, b->gate_log_ratio->mean, b->number);
}

// An earlier round is raced once more after its winner was demoted.
int open_round(const CampaignState& state) {
  const auto again = std::find_if(state.candidates.begin(), state.candidates.end(), [](const CandidateState& one) {
    return one.in_race_again && one.sweep_evaluation.empty();
  });
  return again == state.candidates.end() ? state.current_round() : again->round;
}

struct Field {
  Runners swept;  // Each ordered by the bounds.
  Runners left;
};

Field field_of(const CampaignState& state) {
  Field field;
  const int round = open_round(state);
  for (const CandidateState& one : state.candidates) {
    if (one.round != round || !one.gate_log_ratio || one.demotion) {
      continue;
    }
    if (!one.sweep_evaluation.empty()) {
      field.swept.push_back(&one);
    } else if (one.outcome == task::Outcome::better && (!one.outrun || one.in_race_again)) {
      field.left.push_back(&one);
    }
  }
  std::sort(field.swept.begin(), field.swept.end(), is_ahead);
  std::sort(field.left.begin(), field.left.end(), is_ahead);
  return field;
}

CandidateOutrun outrun_by_bounds(const CandidateState& slower, const CandidateState& winner) {
  return {
      slower.number, winner.number, OutrunGround::bounds,
      fmt::format("at the gate it is at most {:.3f}x as fast as the incumbent of that time, and candidate {}, which "
                  "won its sweep, at least {:.3f}x",
                  std::exp(-slower.gate_log_ratio->lower), winner.number, std::exp(-winner.gate_log_ratio->upper))};
}

CandidateOutrun outrun_by_cap(const CandidateState& one, const Runners& swept) {
  std::vector<std::string> numbers;
  for (const CandidateState* other : swept) {
    numbers.push_back(std::to_string(other->number));
  }
  return {
      one.number, swept.front()->number, OutrunGround::cap,
      fmt::format("the policy sweeps {} of a round, which went to candidate{} {}: {} surely gained more at the gate",
                  numbers.size(), numbers.size() == 1 ? "" : "s", base::join(numbers, ", "),
                  numbers.size() == 1 ? "it" : "they")};
}

}  // namespace

bool outruns(const LogRatio& faster, const LogRatio& slower) { return faster.upper < slower.lower; }

std::optional<RaceStep> race_step(const CampaignState& state, const promote::Policy& policy) {
  const Field field = field_of(state);
  if (field.left.empty()) {
    return std::nullopt;
  }
  for (const CandidateState* winner : field.swept) {
    for (const CandidateState* one : field.left) {
      if (winner->promoted && outruns(*winner->gate_log_ratio, *one->gate_log_ratio)) {
        return outrun_by_bounds(*one, *winner);
      }
    }
  }
  if (static_cast<int>(field.swept.size()) >= policy.sweeps_per_round) {
    return outrun_by_cap(*field.left.front(), field.swept);
  }
  return SweepNext{field.left.front()->number};
}

}  // namespace assay::control
