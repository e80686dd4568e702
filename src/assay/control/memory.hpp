#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/control/memory_events.hpp>
#include <assay/task/evidence.hpp>
#include <assay/task/hypothesis.hpp>

namespace assay::control {

/// One hypothesis of a campaign, as its journal tells it.
struct HypothesisState {
  int number = 0;  ///< From 1.
  std::string by;
  task::Hypothesis stated;
  std::optional<int> candidate;             ///< That tests it; absent: nobody has tried it yet.
  std::string refused;                      ///< Why its candidate was not tried; empty: it was, or there is none.
  std::vector<task::HypothesisTest> tests;  ///< In their order; the last one counts.
  std::string closed_by;                    ///< The person who closed its route; empty: nobody.
  std::string closed_why;                   ///< In their words.

  [[nodiscard]] task::HypothesisStatus status() const {
    return tests.empty() ? task::HypothesisStatus::open : tests.back().status;
  }
};

/// What a campaign has learned: folded from its journal, as all of its state.
struct Memory {
  std::vector<HypothesisState> hypotheses;  ///< By number.
  std::vector<task::Evidence> evidence;     ///< In the order in which it was measured.
  std::string environment;                  ///< Of the newest measurement that told it; empty: none has.

  [[nodiscard]] const HypothesisState& hypothesis(int number) const;
};

/// Follow one event each; what does not fit the memory is an internal error with the reason. `evaluation` is the newest of
/// the candidate that tests the hypothesis.
[[nodiscard]] base::Result<void> follow(const HypothesisStated& entry, Memory& memory);
[[nodiscard]] base::Result<void> follow(const HypothesisTested& entry, const std::string& evaluation, Memory& memory);
[[nodiscard]] base::Result<void> follow(const EvidenceRecorded& entry, Memory& memory);

/// A person closes the route of a hypothesis, whatever it measured. Input errors say what is wrong with the number.
[[nodiscard]] base::Result<void> close_route(int hypothesis, const std::string& by, const std::string& why,
                                             Memory& memory);

/// Whether a hypothesis whose route failed, or was closed by a person, bars it now. Persisted nowhere: it follows from what the campaign is about now.
enum class RouteStanding : std::uint8_t {
  closed,
  closed_by_person,   ///< In every environment, and against every incumbent.
  other_environment,  ///< Open again: it was measured in another environment.
  other_incumbent,    ///< Open again: it was measured against another incumbent.
};
[[nodiscard]] std::string_view to_string(RouteStanding standing);

/// Whether it bars a proposal.
[[nodiscard]] bool is_closed(RouteStanding standing);

/// A route that failed, or that a person closed: what was tried, what it measured, and when it may be tried again.
struct Route {
  int hypothesis = 0;
  int candidate = 0;
  task::Hypothesis stated;
  task::HypothesisTest test;  ///< The last one; of what a person closed there may be none.
  RouteStanding standing = RouteStanding::closed;
  std::string closed_by;  ///< A person; empty: the measurement.
  std::string closed_why;
};

/// What speaks against a route in words: what it measured, or who closed it and why.
[[nodiscard]] std::string evidence_against(const Route& route);

/// Every falsified hypothesis and every one whose route a person closed, in their order, as it stands for a campaign with this incumbent (0: the baseline).
[[nodiscard]] std::vector<Route> failed_routes(const Memory& memory, int incumbent);

/// A hypothesis takes a closed route again, and may not.
struct Repeat {
  Route route;
  std::string why;  ///< Which route, what it measured there, and what the author has to say.
};

/// Returns the closed route that a hypothesis repeats: the same mechanism in the same regime, by their keys, and `differs`
/// is empty or was said of that route before. Nothing: it may be tried. The newest closed route is named.
[[nodiscard]] std::optional<Repeat> repeated_route(const Memory& memory, int incumbent,
                                                   const task::Hypothesis& hypothesis);

/// Says of a falsified hypothesis under what conditions it may be tried again.
[[nodiscard]] std::string retry_conditions(const Route& route);

/// Stated, and no candidate of it yet: what comes next.
[[nodiscard]] std::vector<HypothesisState> next_hypotheses(const Memory& memory);

/// The newest evidence of a kind about a regime (or "all") that still holds; nothing: none was measured here.
[[nodiscard]] std::optional<task::Evidence> newest_evidence(const Memory& memory, task::EvidenceKind kind,
                                                            const std::string& regime);

}  // namespace assay::control
