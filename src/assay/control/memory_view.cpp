#include <assay/control/memory_view.hpp>

#include <nlohmann/json.hpp>

namespace assay::control {

base::Json view(const Memory& memory, int incumbent) {
  base::Json hypotheses = base::Json::array();
  for (const HypothesisState& state : memory.hypotheses) {
    base::Json json = {{"number", state.number}, {"by", state.by}, {"stated", task::encode(state.stated)}};
    json["candidate"] = state.candidate ? base::Json(*state.candidate) : base::Json();
    json["status"] = std::string(task::to_string(state.status()));
    json["refused"] = state.refused.empty() ? base::Json() : base::Json(state.refused);
    json["test"] = state.tests.empty() ? base::Json() : task::encode(state.tests.back());
    hypotheses.push_back(std::move(json));
  }
  base::Json routes = base::Json::array();
  for (const Route& route : failed_routes(memory, incumbent)) {
    routes.push_back({{"hypothesis", route.hypothesis},
                      {"candidate", route.candidate},
                      {"regime", route.stated.regime},
                      {"mechanism", route.stated.mechanism},
                      {"standing", std::string(to_string(route.standing))},
                      {"measured", route.test.why.empty() ? base::Json() : base::Json(route.test.why)},
                      {"closed_by", route.closed_by.empty() ? base::Json() : base::Json(route.closed_by)},
                      {"why", route.closed_by.empty() ? base::Json() : base::Json(route.closed_why)},
                      {"again", retry_conditions(route)}});
  }
  base::Json evidence = base::Json::array();
  for (const task::Evidence& one : memory.evidence) {
    base::Json json = task::encode(one);
    json["holds"] = task::holds_in(one, memory.environment);
    evidence.push_back(std::move(json));
  }
  return {{"hypotheses", std::move(hypotheses)}, {"routes", std::move(routes)}, {"evidence", std::move(evidence)}};
}

}  // namespace assay::control
