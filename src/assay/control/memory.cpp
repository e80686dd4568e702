#include <assay/control/memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <assay/base/text.hpp>

namespace assay::control {
namespace {

constexpr std::size_t kShownWords = 120;

base::Result<void> fits_memory(bool holds, const char* otherwise) {
  return holds ? base::Result<void>() : base::internal_error("journal.order", otherwise);
}

// Words of an agent inside a sentence of ours: on one line, without what could drive a terminal, and short.
std::string shown_words(const std::string& text) {
  std::string words = base::printable(text);
  for (char& c : words) {
    c = c == '\n' || c == '\t' || c == '"' ? ' ' : c;
  }
  std::size_t end = std::min(words.size(), kShownWords);
  while (end > 0 && end < words.size() && (static_cast<unsigned char>(words[end]) & 0xC0U) == 0x80U) {
    --end;  // Not in the middle of a character.
  }
  words.resize(end);
  return words;
}

RouteStanding standing_of(const task::HypothesisTest& test, const Memory& memory, int incumbent) {
  if (test.environment.empty() || test.environment != memory.environment) {
    return RouteStanding::other_environment;
  }
  return test.against == incumbent ? RouteStanding::closed : RouteStanding::other_incumbent;
}

bool said_before(const Memory& memory, const task::Hypothesis& hypothesis) {
  const std::string differs = task::route_key(hypothesis.differs);
  return std::any_of(memory.hypotheses.begin(), memory.hypotheses.end(), [&](const HypothesisState& other) {
    return task::same_route(other.stated, hypothesis) && other.refused.empty() && other.candidate.has_value() &&
           task::route_key(other.stated.differs) == differs;
  });
}

}  // namespace

const HypothesisState& Memory::hypothesis(int number) const {
  ASSAY_CHECK(number >= 1 && static_cast<std::size_t>(number) <= hypotheses.size());
  return hypotheses[static_cast<std::size_t>(number - 1)];
}

base::Result<void> follow(const HypothesisStated& entry, Memory& memory) {
  ASSAY_TRY(fits_memory(entry.number == static_cast<int>(memory.hypotheses.size()) + 1,
                        "a hypothesis' number is out of order"));
  HypothesisState& state = memory.hypotheses.emplace_back();
  state.number = entry.number;
  state.by = entry.by;
  state.stated = entry.hypothesis;
  return {};
}

base::Result<void> follow(const HypothesisTested& entry, const std::string& evaluation, Memory& memory) {
  ASSAY_TRY(fits_memory(entry.hypothesis >= 1 && static_cast<std::size_t>(entry.hypothesis) <= memory.hypotheses.size(),
                        "there is no such hypothesis"));
  HypothesisState& state = memory.hypotheses[static_cast<std::size_t>(entry.hypothesis - 1)];
  ASSAY_TRY(fits_memory(state.candidate == entry.candidate, "the candidate does not test the hypothesis"));
  ASSAY_TRY(fits_memory(entry.test.evaluation == evaluation, "it is not the candidate's newest evaluation"));
  // A status that the rule does not give was written by nobody that may: words do not become one on the way either.
  ASSAY_TRY(fits_memory(entry.test.status == task::judge_hypothesis(state.stated.predicted, entry.test.effect),
                        "the rule gives another status"));
  state.tests.push_back(entry.test);
  if (!entry.test.environment.empty()) {
    memory.environment = entry.test.environment;
  }
  return {};
}

base::Result<void> follow(const EvidenceRecorded& entry, Memory& memory) {
  memory.evidence.push_back(entry.evidence);
  if (!entry.evidence.environment.empty()) {
    memory.environment = entry.evidence.environment;
  }
  return {};
}

base::Result<void> close_route(int hypothesis, const std::string& by, const std::string& why, Memory& memory) {
  if (hypothesis < 1 || static_cast<std::size_t>(hypothesis) > memory.hypotheses.size()) {
    return base::input_error("memory.hypothesis",
                             fmt::format("there is no hypothesis {}: the campaign has {} (assay campaign status --json "
                                         "lists them as /memory/hypotheses)",
                                         hypothesis, memory.hypotheses.size()));
  }
  HypothesisState& state = memory.hypotheses[static_cast<std::size_t>(hypothesis - 1)];
  if (task::route_key(state.stated.mechanism).empty() || !state.candidate) {
    return base::input_error("memory.no_route",
                             fmt::format("hypothesis {} takes no route that could be closed: name one that has a "
                                         "mechanism and a candidate",
                                         hypothesis));
  }
  state.closed_by = by;
  state.closed_why = why;
  return {};
}

bool is_closed(RouteStanding standing) {
  return standing == RouteStanding::closed || standing == RouteStanding::closed_by_person;
}

std::string evidence_against(const Route& route) {
  if (route.closed_by.empty()) {
    return fmt::format("candidate {} {}", route.candidate, route.test.why);
  }
  const std::string why = shown_words(route.closed_why);
  return shown_words(route.closed_by) + " closed it" + (why.empty() ? "" : ": " + why);
}

std::string_view to_string(RouteStanding standing) {
  switch (standing) {
    case RouteStanding::closed:
      return "closed";
    case RouteStanding::closed_by_person:
      return "closed_by_person";
    case RouteStanding::other_environment:
      return "other_environment";
    case RouteStanding::other_incumbent:
      return "other_incumbent";
  }
  return "closed";
}

std::vector<Route> failed_routes(const Memory& memory, int incumbent) {
  std::vector<Route> routes;
  for (const HypothesisState& state : memory.hypotheses) {
    const bool by_person = !state.closed_by.empty();
    if (by_person || state.status() == task::HypothesisStatus::falsified) {
      const task::HypothesisTest test = state.tests.empty() ? task::HypothesisTest() : state.tests.back();
      routes.push_back({state.number, state.candidate.value_or(0), state.stated, test,
                        by_person ? RouteStanding::closed_by_person : standing_of(test, memory, incumbent),
                        state.closed_by, state.closed_why});
    }
  }
  return routes;
}

std::optional<Repeat> repeated_route(const Memory& memory, int incumbent, const task::Hypothesis& hypothesis) {
  const std::vector<Route> routes = failed_routes(memory, incumbent);
  const auto closed = std::find_if(routes.rbegin(), routes.rend(), [&](const Route& route) {
    return is_closed(route.standing) && task::same_route(route.stated, hypothesis);
  });
  if (closed == routes.rend()) {
    return std::nullopt;
  }
  const bool silent = task::route_key(hypothesis.differs).empty();
  if (!silent && !said_before(memory, hypothesis)) {
    return std::nullopt;
  }
  return Repeat{*closed, fmt::format("\"{}\" in {} is a closed route: {}; {}", shown_words(closed->stated.mechanism),
                                     shown_words(closed->stated.regime), evidence_against(*closed),
                                     silent ? "say in \"differs\" what is different now"
                                            : "what \"differs\" says was said of it before: say something new")};
}

std::string retry_conditions(const Route& route) {
  switch (route.standing) {
    case RouteStanding::closed:
      break;
    case RouteStanding::closed_by_person:
      return "again in another regime, or with what differs stated: a person closed it";
    case RouteStanding::other_environment:
      return "may be tried again: the environment is another one now";
    case RouteStanding::other_incumbent:
      return "may be tried again: the incumbent is another one now";
  }
  return fmt::format(
      "again in another environment, against another incumbent than {}, in another regime than {}, or "
      "with what differs stated",
      route.test.against == 0 ? "the baseline" : fmt::format("candidate {}", route.test.against),
      shown_words(route.stated.regime));
}

std::vector<HypothesisState> next_hypotheses(const Memory& memory) {
  std::vector<HypothesisState> next;
  std::copy_if(memory.hypotheses.begin(), memory.hypotheses.end(), std::back_inserter(next),
               [](const HypothesisState& state) { return !state.candidate.has_value(); });
  return next;
}

std::optional<task::Evidence> newest_evidence(const Memory& memory, task::EvidenceKind kind,
                                              const std::string& regime) {
  const auto found = std::find_if(memory.evidence.rbegin(), memory.evidence.rend(), [&](const task::Evidence& one) {
    return one.kind == kind && one.regime == regime && task::holds_in(one, memory.environment);
  });
  return found == memory.evidence.rend() ? std::nullopt : std::optional(*found);
}

}  // namespace assay::control
