#include <assay/control/role_codec.hpp>

#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>

namespace assay::control {
namespace {

agent::ParentOffer read_offer(const task::Node& node) {
  agent::ParentOffer offer;
  task::Fields fields(node);
  offer.parent = read_int(fields.required("parent"));
  offer.island = read_int(fields.required("island"));
  offer.cell = fields.required("cell").text();
  fields.refuse_others();
  return offer;
}

agent::PlannedHypothesis read_planned(const task::Node& node) {
  agent::PlannedHypothesis one;
  task::Fields fields(node);
  one.parent = read_int(fields.required("parent"));
  one.regime = fields.required("regime").text();
  one.limiting_resource = fields.required("limiting_resource").text();
  one.mechanism = fields.required("mechanism").text();
  one.change = fields.required("change").text();
  one.predicted_speedup = fields.required("predicted_speedup").number();
  if (const task::Node differs = fields.optional("differs"); differs.present()) {
    one.differs = differs.text();
  }
  fields.refuse_others();
  return one;
}

agent::JudgedClaim read_judged(const task::Node& node) {
  agent::JudgedClaim one;
  task::Fields fields(node);
  one.claim.candidate = read_int(fields.required("candidate"), 1);
  one.claim.kind = static_cast<agent::ClaimKind>(fields.required("kind").word(agent::kClaimKinds));
  one.claim.file = fields.required("file").text();
  one.claim.text = fields.required("text").text();
  one.claim.against = static_cast<agent::ClaimAgainst>(fields.required("against").word(agent::kClaimAgainst));
  one.claim.value = fields.required("value").number();
  one.status = static_cast<agent::ClaimStatus>(fields.required("status").word(agent::kClaimStatuses));
  one.why = fields.required("why").text();
  fields.refuse_others();
  return one;
}

}  // namespace

base::Json body_of(const RoundPlanned& entry) { return agent::encode(entry.plan); }

void read_body(task::Fields& fields, RoundPlanned& entry) {
  entry.plan.round = read_int(fields.required("round"), 1);
  entry.plan.run = fields.required("run").text();
  for (const task::Node& item : fields.required("offers").items()) {
    entry.plan.offers.push_back(read_offer(item));
  }
  for (const task::Node& item : fields.required("hypotheses").items()) {
    entry.plan.hypotheses.push_back(read_planned(item));
  }
  entry.plan.faults = fields.required("faults").texts();
}

base::Json body_of(const CandidatesSummarised& entry) { return agent::encode(entry.summary); }

void read_body(task::Fields& fields, CandidatesSummarised& entry) {
  entry.summary.run = fields.required("run").text();
  entry.summary.up_to = read_int(fields.required("up_to"), 1);
  for (const task::Node& item : fields.required("claims").items()) {
    entry.summary.claims.push_back(read_judged(item));
  }
  entry.summary.faults = fields.required("faults").texts();
}

}  // namespace assay::control
