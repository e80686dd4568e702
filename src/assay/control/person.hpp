#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>

/// What a person says to a campaign, held against what it asks, before it is written down.
namespace assay::control {

/// A person's choice, as they give it.
struct PersonAnswer {
  std::string option;
  std::string value;
  std::string by;
  std::int64_t seconds = 0;
  std::string why;
};

/// Makes the entry of an answer to a decision. What does not fit is an input error that says what would: a decision that is not
/// open, an option that is none of its, a value that is missing or no candidate, a blank name, an option that is told to whoever
/// proposes without a reason.
[[nodiscard]] base::Result<Entry> answer_entry(const CampaignConfiguration& configuration, const CampaignState& state,
                                               int decision, const PersonAnswer& answer);

/// Makes the entry of a steer, with a key of its own. A blank text or name, and a campaign that has ended, are input errors.
[[nodiscard]] base::Result<Entry> steer_entry(const CampaignConfiguration& configuration, const CampaignState& state,
                                              const std::string& by, std::int64_t seconds, const std::string& text);

/// Raises the limits of a campaign to those that are given here; absent ones stay. Nothing: they are as high already. A lower
/// one, one where there was none, and a campaign that no limit ended, are input errors.
[[nodiscard]] base::Result<std::optional<Entry>> raise_entry(const CampaignConfiguration& configuration,
                                                             const CampaignState& state, const Budget& wanted,
                                                             const std::string& by);

}  // namespace assay::control
