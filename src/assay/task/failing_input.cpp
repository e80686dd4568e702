#include <assay/task/failing_input.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

constexpr std::size_t kShownDigits = 8;

FailingInput read_fields(Fields& fields) {
  FailingInput input;
  input.workload = read_carried_workload(fields.required("workload"));
  if (const Node kind = fields.optional("stress_kind"); kind.present()) {
    input.stress_kind = kind.text(TextRule::non_empty);
  }
  input.seed = fields.required("seed").unsigned_integer();
  input.contents = fields.required("contents").unsigned_integer();
  if (const Node perturbed = fields.optional("perturbed"); perturbed.present()) {
    input.perturbed = perturbed.unsigned_integer();
  }
  if (const Node varied = fields.optional("varied"); varied.present()) {
    input.varied = varied.boolean();
  }
  return input;
}

}  // namespace

std::string describe(const FailingInput& input) {
  std::string axes;
  for (const auto& [name, value] : input.workload.axes) {
    axes += fmt::format("{} {}, ", name, value);
  }
  const std::string where = input.stress_kind ? fmt::format("difficult input \"{}\"", *input.stress_kind)
                                              : "workload " + input.workload.uuid.substr(0, kShownDigits);
  return fmt::format("{}: {}seed {}", where, axes, input.seed);
}

base::Json encode(const FailingInput& input) {
  base::Json json;
  json["workload"] = encode_carried(input.workload);
  if (input.stress_kind) {
    json["stress_kind"] = *input.stress_kind;
  }
  json["seed"] = input.seed;
  json["contents"] = input.contents;
  if (input.perturbed) {
    json["perturbed"] = *input.perturbed;
  }
  if (input.varied) {
    json["varied"] = *input.varied;
  }
  return json;
}

FailingInput read_failing_input(const Node& node) {
  Fields fields(node);
  FailingInput input = read_fields(fields);
  fields.refuse_others();
  return input;
}

base::Json encode(const KeptInput& kept) {
  base::Json json = encode(kept.input);
  json["caught"] = kept.caught;
  json["evaluation"] = kept.evaluation;
  return json;
}

KeptInput read_kept_input(const Node& node) {
  Fields fields(node);
  KeptInput kept;
  kept.input = read_fields(fields);
  kept.caught = fields.required("caught").text(TextRule::non_empty);
  kept.evaluation = fields.required("evaluation").text(TextRule::non_empty);
  fields.refuse_others();
  return kept;
}

}  // namespace assay::task
