#include <assay/mcp/routes.hpp>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include <assay/control/memory.hpp>
#include <assay/control/proposals.hpp>
#include <assay/mcp/told.hpp>

namespace assay::mcp {
namespace {

constexpr std::size_t kLongestReason = 600;

base::Json encode_measured(const std::optional<task::MeasuredEffect>& effect) {
  return effect ? encode_effect(std::exp(-effect->mean), std::exp(-effect->upper), std::exp(-effect->lower))
                : base::Json();
}

base::Json encode_route(const control::Route& route) {
  return {{"hypothesis", route.hypothesis},
          {"candidate", route.candidate},
          {"regime", safe_line(route.stated.regime)},
          {"mechanism", safe_line(route.stated.mechanism)},
          {"change", safe_line(route.stated.change)},
          {"predicted", task::predicted_text(route.stated.predicted)},
          {"measured", encode_measured(route.test.effect)},
          {"standing", control::to_string(route.standing)},
          {"why", safe_line(control::evidence_against(route))},
          {"again", safe_line(control::retry_conditions(route))}};
}

}  // namespace

base::Json failed_routes_of(const control::CampaignState& state, int limit) {
  const std::vector<control::Route> routes = control::failed_routes(state.memory, state.incumbent_number());
  base::Json told = base::Json::array();
  for (auto route = routes.rbegin(); route != routes.rend() && static_cast<int>(told.size()) < limit; ++route) {
    told.push_back(encode_route(*route));
  }
  return told;
}

base::Json repetition_of(const control::CampaignState& state, const std::optional<task::Hypothesis>& stated) {
  if (!stated) {
    return nullptr;
  }
  const auto repeat =
      control::repeated_route(state.memory, state.incumbent_number(), control::in_known_regime(state, *stated));
  return repeat ? base::Json(safe_line(repeat->why, kLongestReason)) : base::Json();
}

}  // namespace assay::mcp
