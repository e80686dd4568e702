#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/supervise/supervisor.hpp>

/// The events of supervision: what the supervisor found, what a person is asked, and what people said. Kinds of events of a
/// journal, under the rules of events.hpp. A person's answer or steer may come at any time before the campaign has ended;
/// their time is booked in the ledger with it.
namespace assay::control {

/// What the supervisor found after a round. What follows from it (repeats, notes for whoever proposes, the end) follows from
/// this event alone.
struct SupervisorFound {
  static constexpr std::string_view kKind = "supervisor_found";
  int round = 0;
  supervise::Condition condition = supervise::Condition::plateau;
  supervise::Cause cause = supervise::Cause::none;
  supervise::Recovery recovery = supervise::Recovery::ask_person;
  int since = 0;  ///< Numbers of candidates.
  int at = 0;
  std::string evidence;
};

/// What a decision is about. Persisted as text.
enum class DecisionKind : std::uint8_t {
  search,  ///< The supervisor is at its wits' end.
  spend,   ///< A sweep costs more than may be spent unasked.
};
inline constexpr std::array<std::string_view, 2> kDecisionKinds = {"search", "spend"};
[[nodiscard]] std::string_view to_string(DecisionKind kind);

/// What a person can choose. Persisted as text.
enum class Option : std::uint8_t {
  go_on,
  stop,
  switch_model,
  change_language,
  give_reference,
  second_opinion,
  restart_from,
  sweep,
  skip,
  close_route,
};
inline constexpr std::array<std::string_view, 10> kOptions = {
    "go_on",        "stop",  "switch_model", "change_language", "give_reference", "second_opinion",
    "restart_from", "sweep", "skip",         "close_route"};
[[nodiscard]] std::string_view to_string(Option option);
/// Says what choosing it does.
[[nodiscard]] std::string_view in_words(Option option);

/// A person is asked. The campaign goes on meanwhile if it is about the search, and stands still if it is about spending.
struct DecisionAsked {
  static constexpr std::string_view kKind = "decision_asked";
  int number = 0;  ///< From 1, in the campaign.
  DecisionKind kind = DecisionKind::search;
  int round = 0;      ///< After which it is asked.
  int candidate = 0;  ///< Whose sweep it is about; 0: nobody's.
  std::string question;
  std::vector<Option> options;
  Option otherwise = Option::stop;  ///< What is done if nobody answers; one of the options.
  /// The round after whose end that is; null: when the campaign is continued without an answer. In rounds, so that a resumed
  /// or simulated campaign comes to the same.
  std::optional<int> deadline;
};

struct DecisionAnswered {
  static constexpr std::string_view kKind = "decision_answered";
  int decision = 0;
  Option option = Option::go_on;
  std::string value;  ///< The model's name, the candidate's or hypothesis' number; empty where the option has none.
  std::string by;
  std::int64_t seconds = 0;  ///< Of their attention.
  std::string why;
};

/// Why a decision needs no answer any more. Persisted as text.
enum class Closing : std::uint8_t {
  deadline,   ///< Nobody answered: what was to be done otherwise is done.
  overtaken,  ///< An improvement came first: nothing is done.
};
inline constexpr std::array<std::string_view, 2> kClosings = {"deadline", "overtaken"};
[[nodiscard]] std::string_view to_string(Closing closing);

struct DecisionClosed {
  static constexpr std::string_view kKind = "decision_closed";
  int decision = 0;
  Closing closing = Closing::deadline;
};

/// A person said something to whoever proposes.
struct PersonSteered {
  static constexpr std::string_view kKind = "person_steered";
  std::string key;  ///< No other steer of the campaign has it, so that none is taken twice.
  std::string by;
  std::int64_t seconds = 0;  ///< Of their attention.
  std::string text;
};

}  // namespace assay::control
