#include <assay/control/routing_codec.hpp>

#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>

namespace assay::control {

base::Json body_of(const ArmChosen& entry) {
  return {{"number", entry.number}, {"arm", entry.arm}, {"why", entry.why}};
}

void read_body(task::Fields& fields, ArmChosen& entry) {
  entry.number = read_int(fields.required("number"), 1);
  entry.arm = read_name(fields.required("arm"));
  entry.why = fields.required("why").text();
}

}  // namespace assay::control
