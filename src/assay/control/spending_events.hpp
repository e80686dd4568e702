#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <assay/control/ledger.hpp>

/// The events of spending that is nobody's run: a person's time, limits that were raised, and what the budget did not hold. Kinds of events of a
/// journal, under the rules of events.hpp. What runs of agents cost stands in events.hpp, what evaluations cost in the events
/// that end them.
namespace assay::control {

/// A person gave this much attention to the campaign. May come at any time, after the end too.
struct PersonTimeBooked {
  static constexpr std::string_view kKind = "person_time_booked";
  std::string person;
  std::string what;  ///< What it was for: "approve", "refuse", "steer", …
  std::int64_t seconds = 0;
};

/// A person raised limits of a campaign that has some. May come at any time; one that a limit had ended goes on from there.
struct BudgetRaised {
  static constexpr std::string_view kKind = "budget_raised";
  std::string by;
  Budget limits;  ///< Those that are larger now; absent: as it was.
};

/// An evaluation was not made, because the budget does not hold it.
struct EvaluationUnaffordable {
  static constexpr std::string_view kKind = "evaluation_unaffordable";
  std::string evaluation;  ///< The id that it would have had.
  bool of_search = true;   ///< The search ends, and what it found may still be confirmed; false: all stops here.
  std::string why;
};

}  // namespace assay::control
