#include <assay/control/memory_codec.hpp>

#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>

namespace assay::control {

base::Json body_of(const HypothesisStated& entry) {
  return {{"number", entry.number}, {"by", entry.by}, {"hypothesis", task::encode(entry.hypothesis)}};
}

void read_body(task::Fields& fields, HypothesisStated& entry) {
  entry.number = read_int(fields.required("number"), 1);
  entry.by = read_name(fields.required("by"));
  entry.hypothesis = task::read_stated_hypothesis(fields.required("hypothesis"));
}

base::Json body_of(const HypothesisTested& entry) {
  return {{"hypothesis", entry.hypothesis}, {"candidate", entry.candidate}, {"test", task::encode(entry.test)}};
}

void read_body(task::Fields& fields, HypothesisTested& entry) {
  entry.hypothesis = read_int(fields.required("hypothesis"), 1);
  entry.candidate = read_int(fields.required("candidate"), 1);
  entry.test = task::read_hypothesis_test(fields.required("test"));
}

base::Json body_of(const EvidenceRecorded& entry) { return {{"evidence", task::encode(entry.evidence)}}; }

void read_body(task::Fields& fields, EvidenceRecorded& entry) {
  entry.evidence = task::read_evidence(fields.required("evidence"));
}

}  // namespace assay::control
