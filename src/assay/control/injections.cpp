#include <assay/control/injections.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <assay/base/random.hpp>

namespace assay::control {
namespace {

constexpr std::array<std::string_view, 9> kTakeComments = {".c",   ".cc", ".cpp", ".cxx", ".cu",
                                                           ".cuh", ".h",  ".hh",  ".hpp"};

struct Draw {
  bool made = false;
  bool sweeps = false;
};

// Depends on nothing but the campaign's seed, the round and the kind.
Draw draw(const CampaignConfiguration& configuration, int round, InjectionKind kind) {
  base::Philox random(base::mix(configuration.tuner_seed, base::stream_id("injections")),
                      base::mix(static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(kind)));
  const promote::Injections& rates = configuration.policy.injections;
  const bool made = random.next_uniform() < (kind == InjectionKind::null ? rates.null_rate : rates.slower_rate);
  const bool sweeps = random.next_uniform() < rates.null_sweep_share;
  return {made, made && sweeps && kind == InjectionKind::null};
}

bool has_candidates(const CampaignState& state, int round) {
  return std::any_of(state.candidates.begin(), state.candidates.end(),
                     [round](const CandidateState& one) { return one.round == round; });
}

bool was_made(const CampaignState& state, int round, InjectionKind kind) {
  return std::any_of(state.injections.begin(), state.injections.end(),
                     [&](const InjectionState& one) { return one.made.round == round && one.made.kind == kind; });
}

// The file that is compiled; beside a launch plan, the first that looks like C.
task::SourceFile* commented_source(task::Solution& solution) {
  const bool has_plan = task::tier_of(solution) == task::Tier::device_only;
  const std::string entry = solution.entry_file();
  const auto source = std::find_if(solution.sources.begin(), solution.sources.end(), [&](const task::SourceFile& one) {
    return has_plan ? std::any_of(kTakeComments.begin(), kTakeComments.end(),
                                  [&](std::string_view ending) { return one.path.ends_with(ending); })
                    : one.path == entry;
  });
  return source == solution.sources.end() ? nullptr : &*source;
}

std::string whom(const InjectionState& injection) {
  return injection.made.of == 0 ? std::string("the baseline") : fmt::format("candidate {}", injection.made.of);
}

}  // namespace

double sure_speedup(const CampaignState& state) {
  double product = 1;
  for (const int number : state.reign) {
    const auto& decision = state.candidate(number).decision;
    product *= decision ? decision->speedup_lower : 1;
  }
  return product;
}

std::optional<InjectionMade> due_injection(const CampaignState& state, const CampaignConfiguration& configuration) {
  const int round = state.current_round();
  if (!has_candidates(state, round)) {
    return std::nullopt;
  }
  for (const InjectionKind kind : {InjectionKind::null, InjectionKind::slower}) {
    const Draw drawn = draw(configuration, round, kind);
    const bool possible = kind == InjectionKind::null || (state.incumbent && sure_speedup(state) >= kKnownSlower);
    if (drawn.made && possible && !was_made(state, round, kind)) {
      InjectionMade made;
      made.number = static_cast<int>(state.injections.size()) + 1;
      made.kind = kind;
      made.round = round;
      made.of = kind == InjectionKind::null ? state.incumbent_number() : 0;
      made.sweeps = drawn.sweeps;
      return made;  // Name and identity are the solution's, which whoever has the archive makes.
    }
  }
  return std::nullopt;
}

base::Result<task::Solution> inject(InjectionKind kind, int number, const task::Solution& original) {
  task::Solution solution = original;
  solution.name = fmt::format("{} ({} injection {})", original.name, to_string(kind), number);
  if (kind == InjectionKind::slower) {
    return solution;
  }
  task::SourceFile* source = commented_source(solution);
  if (source == nullptr) {
    return base::internal_error(
        "injection.no_comment",
        fmt::format("solution {} has no source of C, C++ or CUDA, in which a copy could differ", original.name));
  }
  // At the end, so that no line moves; after an empty line, should the last one end in a backslash.
  source->content +=
      fmt::format("\n\n// Null injection {}: the same code, built and measured as a candidate.\n", number);
  return solution;
}

bool to_be_swept(const InjectionState& injection) {
  return injection.made.kind == InjectionKind::null && injection.outcome && task::is_correct(*injection.outcome) &&
         injection.sweep_evaluation.empty() && (injection.made.sweeps || injection.passed_gate);
}

std::optional<NullPromoted> due_alarm(const InjectionState& injection, const promote::Policy& policy) {
  if (!injection.decision || injection.decision->verdict != promote::Decision::Verdict::promote ||
      !injection.alarm.empty()) {
    return std::nullopt;
  }
  return NullPromoted{
      injection.made.number,
      fmt::format(
          "injection {}, a copy of {} that differs in a comment, would have been promoted ({}; policy {} allows "
          "itself an error of {:g} %): either that was chance, or this machine does not tell candidates apart, and "
          "then no promotion of this campaign is worth anything",
          injection.made.number, whom(injection), injection.decision->reasons.front(), policy.name,
          100 * policy.sweep.alpha / 2)};
}

std::optional<InjectionWarned> due_warning(const InjectionState& injection) {
  if (!injection.outcome || !injection.warning.empty()) {
    return std::nullopt;
  }
  if (!task::is_correct(*injection.outcome)) {
    return InjectionWarned{injection.made.number,
                           fmt::format("injection {}, which runs the code of {}, is {}: {}", injection.made.number,
                                       whom(injection), task::to_string(*injection.outcome), injection.cause)};
  }
  if (injection.made.kind == InjectionKind::slower && *injection.outcome != task::Outcome::not_better) {
    return InjectionWarned{
        injection.made.number,
        fmt::format(
            "injection {}, the baseline, which the incumbent beat by at least {:.0f} % in its sweeps, was {} at "
            "the gate: the gate does not see a known loser ({})",
            injection.made.number, 100 * (kKnownSlower - 1), task::to_string(*injection.outcome), injection.cause)};
  }
  return std::nullopt;
}

}  // namespace assay::control
