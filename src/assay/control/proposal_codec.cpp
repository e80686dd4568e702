#include <assay/control/proposal_codec.hpp>

#include <array>
#include <nlohmann/json.hpp>

#include <assay/control/event_fields.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::control {
namespace {

constexpr std::array<std::string_view, 4> kSamenesses = {"content", "normalised", "machine_code", "route"};

std::optional<int> read_optional_int(const task::Node& node, std::int64_t minimum) {
  return node.has_value() ? std::optional(read_int(node, minimum)) : std::nullopt;
}

base::Json encode_optional(const std::optional<int>& value) { return value ? base::Json(*value) : base::Json(); }

base::Json encode_candidate(const ProposedCandidate& candidate) {
  base::Json parameters = base::Json::object();
  for (const auto& [name, value] : candidate.parameters) {
    parameters[name] = value;
  }
  base::Json duplicate = candidate.duplicate ? encode_duplicate(*candidate.duplicate) : base::Json();
  base::Json json = {{"number", candidate.number},
                     {"name", candidate.name},
                     {"identity", task::encode_identity(candidate.identity)},
                     {"parameters", std::move(parameters)},
                     {"hypothesis",
                      {{"regime", candidate.hypothesis.regime},
                       {"limiting_resource", candidate.hypothesis.limiting_resource},
                       {"change", candidate.hypothesis.change},
                       {"predicted_effect", candidate.hypothesis.predicted_effect}}},
                     {"parent", encode_optional(candidate.parent)},
                     {"duplicate", std::move(duplicate)}};
  if (candidate.tests) {
    json["tests"] = *candidate.tests;
  }
  return json;
}

ProposedCandidate read_candidate(const task::Node& node) {
  ProposedCandidate candidate;
  task::Fields fields(node);
  candidate.number = read_int(fields.required("number"), 1);
  candidate.name = fields.required("name").text();
  candidate.identity = task::read_identity(fields.required("identity"));
  for (const auto& [name, value] : fields.required("parameters").entries()) {
    candidate.parameters.emplace_back(name, value.integer());
  }
  task::Fields hypothesis(fields.required("hypothesis"));
  candidate.hypothesis.regime = hypothesis.required("regime").text();
  candidate.hypothesis.limiting_resource = hypothesis.required("limiting_resource").text();
  candidate.hypothesis.change = hypothesis.required("change").text();
  candidate.hypothesis.predicted_effect = hypothesis.required("predicted_effect").text();
  hypothesis.refuse_others();
  candidate.parent = read_optional_int(fields.required("parent"), 1);
  const task::Node duplicate = fields.required("duplicate");
  if (duplicate.has_value()) {
    candidate.duplicate = read_duplicate(duplicate);
  }
  if (const task::Node tests = fields.optional("tests"); tests.present()) {
    candidate.tests = read_int(tests, 1);
  }
  fields.refuse_others();
  return candidate;
}

}  // namespace

std::string_view to_string(Sameness sameness) { return kSamenesses[static_cast<std::size_t>(sameness)]; }

base::Json encode_duplicate(const Duplicate& duplicate) {
  return {{"of", duplicate.of}, {"sameness", std::string(to_string(duplicate.sameness))}};
}

Duplicate read_duplicate(const task::Node& node) {
  Duplicate duplicate;
  task::Fields fields(node);
  duplicate.of = read_int(fields.required("of"));
  duplicate.sameness = static_cast<Sameness>(fields.required("sameness").word(kSamenesses));
  fields.refuse_others();
  return duplicate;
}

base::Json body_of(const CandidatesProposed& entry) {
  base::Json candidates = base::Json::array();
  for (const ProposedCandidate& candidate : entry.candidates) {
    candidates.push_back(encode_candidate(candidate));
  }
  return {{"round", entry.round}, {"proposer", entry.proposer}, {"candidates", std::move(candidates)}};
}

void read_body(task::Fields& fields, CandidatesProposed& entry) {
  entry.round = read_int(fields.required("round"));
  entry.proposer = read_name(fields.required("proposer"));
  for (const task::Node& item : fields.required("candidates").items()) {
    entry.candidates.push_back(read_candidate(item));
  }
}

}  // namespace assay::control
