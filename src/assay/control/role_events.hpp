#pragma once

#include <string_view>

#include <assay/agent/claims.hpp>
#include <assay/agent/round_plan.hpp>

/// The events of a campaign with three roles (agent/full_agent.hpp). Kinds of events of a journal, under the rules of
/// events.hpp.
namespace assay::control {

/// What a round is to try, before anybody tries it; also that no planner's answer could be used. The runs have events of
/// their own.
struct RoundPlanned {
  static constexpr std::string_view kKind = "round_planned";
  agent::RoundPlan plan;
};

/// What a summariser said about candidates, each claim with what became of it when it was checked. No claim is evidence, and
/// none changes what is known of a candidate.
struct CandidatesSummarised {
  static constexpr std::string_view kKind = "candidates_summarised";
  agent::Summary summary;
};

}  // namespace assay::control
