#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/promote/decision.hpp>
#include <assay/task/decoder.hpp>

namespace assay::promote {
namespace {

using base::Json;

constexpr std::array<std::string_view, 2> kVerdicts = {"promote", "keep_incumbent"};
constexpr std::int64_t kMost = 1'000'000'000;

Decision read_decision(const task::Node& node) {
  Decision decision;
  task::Fields fields(node);
  decision.verdict =
      fields.required("verdict").word(kVerdicts) == 0 ? Decision::Verdict::promote : Decision::Verdict::keep_incumbent;
  decision.speedup = fields.required("speedup").number();
  decision.speedup_lower = fields.required("speedup_lower").number();
  decision.speedup_upper = fields.required("speedup_upper").number();
  decision.mean_latency_ratio = fields.required("mean_latency_ratio").number();
  decision.contest_score = fields.required("contest_score").number();
  decision.p95_ratio = fields.required("p95_ratio").number();
  decision.workloads = static_cast<int>(fields.required("workloads").integer({0, kMost}));
  decision.pairs = static_cast<int>(fields.required("pairs").integer({0, kMost}));
  decision.reasons = fields.required("reasons").texts(task::TextRule::non_empty, 1);
  if (const task::Node correctness = fields.optional("correctness"); correctness.present()) {
    decision.correctness = correctness.text(task::TextRule::non_empty);
  }
  fields.refuse_others();
  return decision;
}

}  // namespace

Json encode(const Decision& decision) {
  Json json = {{"verdict", std::string(to_string(decision.verdict))},
               {"speedup", task::encode_number(decision.speedup)},
               {"speedup_lower", task::encode_number(decision.speedup_lower)},
               {"speedup_upper", task::encode_number(decision.speedup_upper)},
               {"mean_latency_ratio", task::encode_number(decision.mean_latency_ratio)},
               {"contest_score", task::encode_number(decision.contest_score)},
               {"p95_ratio", task::encode_number(decision.p95_ratio)},
               {"workloads", decision.workloads},
               {"pairs", decision.pairs},
               {"reasons", decision.reasons}};
  if (!decision.correctness.empty()) {
    json["correctness"] = decision.correctness;
  }
  return json;
}

base::Result<Decision> decode_decision(const Json& json, std::string_view source) {
  return task::as_result(task::decode_whole(json, task::Coercion::strict, read_decision), source);
}

}  // namespace assay::promote
