#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <assay/control/state.hpp>
#include <assay/control/supervision_state.hpp>

namespace assay::control {
namespace {

base::Result<void> fits(bool holds, const char* otherwise) {
  return holds ? base::Result<void>{} : base::internal_error("journal.order", otherwise);
}

bool has_ended(const CampaignState& state) { return state.phase == Phase::finished || state.phase == Phase::failed; }

// The one place where a person's attention to supervision is booked.
void book_attention(std::int64_t seconds, CampaignState& state) {
  Amounts amounts;
  amounts[Resource::human_seconds] = seconds;
  state.ledger.book(amounts);
}

base::Result<void> follow_option(const DecisionState& decision, Option option, const std::string& value,
                                 CampaignState& state) {
  SupervisionState& supervision = state.supervision;
  switch (option) {
    case Option::stop:
      supervision.stopped = decision.answered
                                ? fmt::format("{} chose it ({})", decision.answered->by, decision.asked.question)
                                : fmt::format("nobody answered ({})", decision.asked.question);
      return {};
    case Option::switch_model:
      supervision.model = value;
      return fits(!value.empty(), "a model has no name");
    case Option::restart_from: {
      int number = 0;
      const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
      supervision.parent = number;
      return fits(read.ec == std::errc() && number >= 1 && static_cast<std::size_t>(number) <= state.candidates.size(),
                  "no such candidate can be a parent");
    }
    case Option::skip:
      state.candidates[static_cast<std::size_t>(decision.asked.candidate - 1)].outrun = Outrun{
          0, OutrunGround::cap,
          decision.answered
              ? fmt::format("{} did not want to pay for its sweep: {}", decision.answered->by, decision.answered->why)
              : "its sweep costs more than may be spent unasked, and nobody answered"};
      return {};
    case Option::close_route: {
      int number = 0;
      const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
      return fits(decision.answered && read.ec == std::errc() &&
                      close_route(number, decision.answered->by, decision.answered->why, state.memory).has_value(),
                  "no such route can be closed");
    }
    case Option::go_on:
    case Option::change_language:
    case Option::give_reference:
    case Option::second_opinion:
    case Option::sweep:
      return {};
  }
  return {};
}

}  // namespace

std::optional<Option> DecisionState::chosen() const {
  if (answered) {
    return answered->option;
  }
  return closed && closed->closing == Closing::deadline ? std::optional(asked.otherwise) : std::nullopt;
}

const DecisionState* SupervisionState::open_decision(DecisionKind kind) const {
  const auto found = std::find_if(decisions.begin(), decisions.end(),
                                  [kind](const DecisionState& one) { return one.open() && one.asked.kind == kind; });
  return found == decisions.end() ? nullptr : &*found;
}

const DecisionState* SupervisionState::about_sweep(int candidate) const {
  const auto found = std::find_if(decisions.begin(), decisions.end(), [candidate](const DecisionState& one) {
    return one.asked.kind == DecisionKind::spend && one.asked.candidate == candidate;
  });
  return found == decisions.end() ? nullptr : &*found;
}

base::Result<void> take(const SupervisorFound& entry, CampaignState& state) {
  const auto known = static_cast<int>(state.candidates.size());
  ASSAY_TRY(fits(state.phase == Phase::searching && !state.pending && entry.round == state.current_round(),
                 "nothing is supervised now"));
  ASSAY_TRY(fits(entry.since <= entry.at && entry.at <= known, "it is about candidates that nobody proposed"));
  SupervisionState& supervision = state.supervision;
  supervision.findings.push_back({entry, state.reign.size()});
  if (entry.recovery == supervise::Recovery::buy_repeats) {
    supervision.repeats_factor = std::min(2 * supervision.repeats_factor, kMostRepeats);
  }
  if (entry.recovery == supervise::Recovery::stop) {
    supervision.stopped = entry.evidence;
  }
  return {};
}

base::Result<void> take(const DecisionAsked& entry, CampaignState& state) {
  SupervisionState& supervision = state.supervision;
  ASSAY_TRY(fits(state.phase == Phase::searching && !state.pending, "nobody is asked now"));
  ASSAY_TRY(fits(entry.number == static_cast<int>(supervision.decisions.size()) + 1, "its number is out of order"));
  ASSAY_TRY(fits(supervision.open_decision(entry.kind) == nullptr, "another decision of its kind is open"));
  ASSAY_TRY(fits(std::find(entry.options.begin(), entry.options.end(), entry.otherwise) != entry.options.end(),
                 "what is done otherwise is no option"));
  const bool of_candidate = entry.kind == DecisionKind::spend;
  ASSAY_TRY(fits(of_candidate == (entry.candidate > 0) && entry.candidate <= static_cast<int>(state.candidates.size()),
                 "it is about no candidate"));
  supervision.decisions.push_back({entry, state.reign.size(), std::nullopt, std::nullopt});
  return {};
}

base::Result<void> take(const DecisionAnswered& entry, CampaignState& state) {
  auto& decisions = state.supervision.decisions;
  ASSAY_TRY(fits(!has_ended(state), "the campaign has ended"));
  ASSAY_TRY(fits(static_cast<std::size_t>(entry.decision) <= decisions.size(), "nobody asked"));
  DecisionState& decision = decisions[static_cast<std::size_t>(entry.decision - 1)];
  const auto& options = decision.asked.options;
  ASSAY_TRY(fits(decision.open(), "it was answered or closed"));
  ASSAY_TRY(fits(std::find(options.begin(), options.end(), entry.option) != options.end(), "it is no option"));
  decision.answered = entry;
  book_attention(entry.seconds, state);
  return follow_option(decision, entry.option, entry.value, state);
}

base::Result<void> take(const DecisionClosed& entry, CampaignState& state) {
  auto& decisions = state.supervision.decisions;
  ASSAY_TRY(fits(!has_ended(state), "the campaign has ended"));
  ASSAY_TRY(fits(static_cast<std::size_t>(entry.decision) <= decisions.size(), "nobody asked"));
  DecisionState& decision = decisions[static_cast<std::size_t>(entry.decision - 1)];
  ASSAY_TRY(fits(decision.open(), "it was answered or closed"));
  decision.closed = entry;
  return entry.closing == Closing::overtaken ? base::Result<void>{}
                                             : follow_option(decision, decision.asked.otherwise, "", state);
}

base::Result<void> take(const PersonSteered& entry, CampaignState& state) {
  auto& steers = state.supervision.steers;
  ASSAY_TRY(fits(!has_ended(state), "the campaign has ended"));
  ASSAY_TRY(fits(
      std::none_of(steers.begin(), steers.end(), [&](const SteerState& one) { return one.steered.key == entry.key; }),
      "it was taken before"));
  steers.push_back({entry, static_cast<int>(state.candidates.size()), state.reign.size()});
  book_attention(entry.seconds, state);
  return {};
}

}  // namespace assay::control
