#include <assay/task/admissibility.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/task/decoder.hpp>

namespace assay::task {

namespace {

using base::Json;

constexpr IntegerRange kCount = {.minimum = 0};

ImpostorResult read_impostor(const Node& node) {
  ImpostorResult result;
  Fields fields(node);
  result.output = fields.required("output").text(TextRule::non_empty);
  result.impostor = fields.required("impostor").text(TextRule::non_empty);
  result.trials = fields.required("trials").integer(kCount);
  result.rejected = fields.required("rejected").integer(kCount);
  result.officially_rejected = fields.required("officially_rejected").integer(kCount);
  fields.refuse_others();
  return result;
}

InputInfluence read_input_influence(const Node& node) {
  InputInfluence result;
  Fields fields(node);
  result.input = fields.required("input").text(TextRule::non_empty);
  result.trials = fields.required("trials").integer(kCount);
  result.seen = fields.required("seen").integer(kCount);
  fields.refuse_others();
  return result;
}

Admissibility read_admissibility(const Node& node) {
  Admissibility result;
  Fields fields(node);
  const Node version = fields.required("version");
  if (version.present() && version.integer() != kAdmissibilityVersion) {
    version.problem(fmt::format("is not {}, the only version that this program reads: use the program that wrote it",
                                kAdmissibilityVersion));
    return result;
  }
  result.definition = fields.required("definition").text(TextRule::non_empty);
  result.seed = fields.required("seed").unsigned_integer();
  result.honest_trials = fields.required("honest_trials").integer(kCount);
  result.honest_passed = fields.required("honest_passed").integer(kCount);
  result.honest_reason = fields.required("honest_reason").text();
  for (const Node& item : fields.required("impostors").items()) {
    result.impostors.push_back(read_impostor(item));
  }
  for (const Node& item : fields.required("inputs").items()) {
    result.inputs.push_back(read_input_influence(item));
  }
  fields.refuse_others();
  return result;
}

}  // namespace

bool Admissibility::proved() const {
  return honest_trials > 0 && honest_passed == honest_trials &&
         std::all_of(impostors.begin(), impostors.end(),
                     [](const ImpostorResult& row) { return row.rejected == row.trials; }) &&
         std::all_of(inputs.begin(), inputs.end(), [](const InputInfluence& row) { return row.seen == row.trials; });
}

Json encode(const Admissibility& admissibility) {
  Json impostors = Json::array();
  for (const ImpostorResult& row : admissibility.impostors) {
    impostors.push_back({{"output", row.output},
                         {"impostor", row.impostor},
                         {"trials", row.trials},
                         {"rejected", row.rejected},
                         {"officially_rejected", row.officially_rejected}});
  }
  Json inputs = Json::array();
  for (const InputInfluence& row : admissibility.inputs) {
    inputs.push_back({{"input", row.input}, {"trials", row.trials}, {"seen", row.seen}});
  }
  return {{"version", kAdmissibilityVersion},
          {"definition", admissibility.definition},
          {"seed", admissibility.seed},
          {"honest_trials", admissibility.honest_trials},
          {"honest_passed", admissibility.honest_passed},
          {"honest_reason", admissibility.honest_reason},
          {"impostors", std::move(impostors)},
          {"inputs", std::move(inputs)}};
}

base::Result<Admissibility> decode_admissibility(const Json& json, std::string_view source) {
  return as_result(decode_whole(json, Coercion::strict, read_admissibility), source);
}

}  // namespace assay::task
