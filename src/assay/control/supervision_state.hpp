#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/control/supervision_events.hpp>

namespace assay::control {

struct CampaignState;

/// One thing that the supervisor found.
struct FindingState {
  SupervisorFound found;
  std::size_t promotions = 0;  ///< There were so many.
};

/// One thing that a person is or was asked.
struct DecisionState {
  DecisionAsked asked;
  std::size_t promotions = 0;  ///< There were so many.
  std::optional<DecisionAnswered> answered;
  std::optional<DecisionClosed> closed;

  [[nodiscard]] bool open() const { return !answered && !closed; }
  /// What was chosen, by a person or because nobody answered; absent: nothing (yet).
  [[nodiscard]] std::optional<Option> chosen() const;
};

struct SteerState {
  PersonSteered steered;
  int candidates = 0;          ///< There were so many.
  std::size_t promotions = 0;  ///< Likewise.
};

/// What became of supervision, as the journal tells it.
struct SupervisionState {
  std::vector<FindingState> findings;
  std::vector<DecisionState> decisions;  ///< By number.
  std::vector<SteerState> steers;
  int repeats_factor = 1;              ///< Gates may take so many times the policy's process pairs.
  std::optional<std::string> stopped;  ///< Why no more is proposed; absent: it is.
  std::optional<std::string> model;    ///< That a person chose; absent: the configuration's.
  std::optional<int> parent;           ///< The candidate that whoever proposes starts from; absent: the fastest.

  [[nodiscard]] const DecisionState* open_decision(DecisionKind kind) const;
  /// The decision about a candidate's sweep; nullptr: nobody was asked.
  [[nodiscard]] const DecisionState* about_sweep(int candidate) const;
};

/// Gates take at most so many times the policy's pairs.
inline constexpr int kMostRepeats = 4;

/// Apply an event to a state, or say why it does not fit. Part of the fold.
[[nodiscard]] base::Result<void> take(const SupervisorFound& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const DecisionAsked& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const DecisionAnswered& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const DecisionClosed& entry, CampaignState& state);
[[nodiscard]] base::Result<void> take(const PersonSteered& entry, CampaignState& state);

}  // namespace assay::control
