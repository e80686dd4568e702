#pragma once

#include <string>
#include <string_view>

/// Which agent has the next run: a kind of event of a journal, under the rules of events.hpp.
namespace assay::control {

/// An arm has the next run. Written before it; a resumed campaign keeps to it.
struct ArmChosen {
  static constexpr std::string_view kKind = "arm_chosen";
  int number = 0;   ///< From 1, of choices.
  std::string arm;  ///< As AgentRunIntended names its agent.
  std::string why;
};

}  // namespace assay::control
