#include <assay/control/agent_run_codec.hpp>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>
#include <assay/control/spending_codec.hpp>

namespace assay::control {
namespace {

constexpr std::array<std::string_view, 3> kActualCertainties = {"exact", "at_least", "unknown"};

base::Json encode_actuals(const Actuals& actuals) {
  base::Json json = base::Json::object();
  for (std::size_t i = 0; i < kResources; ++i) {
    json[std::string(kResourceNames[i])] = {
        {"certainty", std::string(kActualCertainties[static_cast<std::size_t>(actuals[i].certainty)])},
        {"amount", actuals[i].amount}};
  }
  return json;
}

Actuals read_actuals(const task::Node& node) {
  Actuals actuals;
  task::Fields fields(node);
  for (std::size_t i = 0; i < kResources; ++i) {
    task::Fields inner(fields.required(kResourceNames[i]));
    actuals[i].certainty = static_cast<Actual::Certainty>(inner.required("certainty").word(kActualCertainties));
    actuals[i].amount = inner.required("amount").integer({0, kLargestAmount});
    inner.refuse_others();
  }
  fields.refuse_others();
  return actuals;
}

}  // namespace

base::Json body_of(const AgentRunIntended& entry) {
  return {{"run", entry.run}, {"agent", entry.agent}, {"most", encode(entry.most)}};
}

void read_body(task::Fields& fields, AgentRunIntended& entry) {
  entry.run = read_name(fields.required("run"));
  entry.agent = read_name(fields.required("agent"));
  entry.most = read_amounts(fields.required("most"));
}

base::Json body_of(const AgentRunEnded& entry) {
  return {{"run", entry.run},     {"outcome", std::string(agent::to_string(entry.outcome))},
          {"cause", entry.cause}, {"session", entry.session},
          {"model", entry.model}, {"actuals", encode_actuals(entry.actuals)}};
}

void read_body(task::Fields& fields, AgentRunEnded& entry) {
  entry.run = read_name(fields.required("run"));
  entry.outcome = static_cast<agent::RunOutcome>(fields.required("outcome").word(agent::kRunOutcomes));
  entry.cause = fields.required("cause").text();
  entry.session = fields.required("session").text();
  entry.model = fields.required("model").text();
  entry.actuals = read_actuals(fields.required("actuals"));
}

base::Json body_of(const BudgetReached& entry) { return {{"agent", entry.agent}, {"why", entry.why}}; }

void read_body(task::Fields& fields, BudgetReached& entry) {
  entry.agent = read_name(fields.required("agent"));
  entry.why = fields.required("why").text();
}

}  // namespace assay::control
