#include <assay/control/spending_codec.hpp>

#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>

namespace assay::control {

base::Json body_of(const PersonTimeBooked& entry) {
  return {{"person", entry.person}, {"what", entry.what}, {"seconds", entry.seconds}};
}

void read_body(task::Fields& fields, PersonTimeBooked& entry) {
  entry.person = read_name(fields.required("person"));
  entry.what = read_name(fields.required("what"));
  entry.seconds = fields.required("seconds").integer({0, kLargestAmount});
}

base::Json body_of(const BudgetRaised& entry) { return {{"by", entry.by}, {"limits", encode(entry.limits)}}; }

void read_body(task::Fields& fields, BudgetRaised& entry) {
  entry.by = read_name(fields.required("by"));
  entry.limits = read_budget(fields.required("limits"));
}

base::Json body_of(const EvaluationUnaffordable& entry) {
  return {{"evaluation", entry.evaluation}, {"of_search", entry.of_search}, {"why", entry.why}};
}

void read_body(task::Fields& fields, EvaluationUnaffordable& entry) {
  entry.evaluation = read_name(fields.required("evaluation"));
  entry.of_search = fields.required("of_search").boolean();
  entry.why = read_name(fields.required("why"));
}

Budget read_budget(const task::Node& node) {
  Budget budget;
  task::Fields fields(node);
  for (std::size_t i = 0; i < kResources; ++i) {
    if (const task::Node limit = fields.required(kResourceNames[i]); limit.has_value()) {
      budget.limits[i] = limit.integer({0, kLargestAmount});
    }
  }
  fields.refuse_others();
  return budget;
}

Amounts read_amounts(const task::Node& node) {
  Amounts amounts;
  task::Fields fields(node);
  for (std::size_t i = 0; i < kResources; ++i) {
    amounts.values[i] = fields.required(kResourceNames[i]).integer({0, kLargestAmount});
  }
  fields.refuse_others();
  return amounts;
}

}  // namespace assay::control
