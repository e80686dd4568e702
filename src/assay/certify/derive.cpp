#include <assay/certify/derive.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/certify/session.hpp>
#include <assay/promote/policy.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/readers.hpp>

namespace assay::certify {
namespace {

using base::Json;
using task::encode_number;

Json digest_of(const Json& document) { return base::sha256(base::dump_compact(document)).hex(); }

Json workloads_of_campaign(const control::CampaignConfiguration& configuration) {
  Json workloads = Json::array();
  for (const task::Workload& workload : configuration.workloads) {
    workloads.push_back({{"uuid", workload.uuid}, {"sha256", digest_of(task::encode_carried(workload))}});
  }
  return workloads;
}

Json solution_json(int number, const task::Solution& solution, const task::CandidateIdentity& identity) {
  Json sources = Json::array();
  for (const task::SourceFile& source : solution.sources) {
    sources.push_back(
        {{"path", source.path}, {"sha256", base::sha256(source.content).hex()}, {"bytes", source.content.size()}});
  }
  Json parameters = Json::object();
  for (const auto& [name, value] : solution.parameters) {
    parameters[name] = value;
  }
  return {{"number", number},
          {"name", solution.name},
          {"author", solution.author},
          {"language", task::to_string(solution.spec.language)},
          {"entry_point", solution.spec.entry_point},
          {"content", identity.content.hex()},
          {"normalised", identity.normalised.hex()},
          {"parameters", std::move(parameters)},
          {"sources", std::move(sources)}};
}

// Who is compared: by the documents that the judge was given.
Json side_json(const Session& session, task::Side side) {
  const bool candidate = side == task::Side::candidate;
  const task::Solution& solution =
      candidate || !session.request.incumbent ? session.request.candidate : *session.request.incumbent;
  return solution_json(
      candidate ? session.intended.candidate : session.intended.incumbent, solution,
      candidate ? session.evaluation.candidate : session.evaluation.incumbent.value_or(task::CandidateIdentity()));
}

Json proposal_json(const control::CandidateState& candidate) {
  return {{"round", candidate.round},
          {"parent", candidate.parent ? Json(*candidate.parent) : Json()},
          {"regime", candidate.hypothesis.regime},
          {"limiting_resource", candidate.hypothesis.limiting_resource},
          {"change", candidate.hypothesis.change},
          {"predicted_effect", candidate.hypothesis.predicted_effect}};
}

// All sweeps of the campaign up to here: what the error is spent on.
Json hypotheses_json(const Evidence& evidence) {
  const task::SessionPlan& sweep = evidence.configuration.policy.sweep;
  Json tested = Json::array();
  for (std::size_t i = 0; i < evidence.tested.size(); ++i) {
    const Tested& one = evidence.tested[i];
    tested.push_back({{"number", i + 1},
                      {"entry", one.sequence},
                      {"candidate", one.candidate},
                      {"evaluation", one.evaluation},
                      {"level", encode_number(one.level)},
                      {"verdict", std::string(promote::to_string(one.decision.verdict))},
                      {"speedup", encode_number(one.decision.speedup)},
                      {"speedup_lower", encode_number(one.decision.speedup_lower)},
                      {"speedup_upper", encode_number(one.decision.speedup_upper)}});
  }
  return {{"alpha", encode_number(sweep.alpha)},
          {"shared_by", sweep.test == task::PairedTest::evidence ? "e-LOND" : "nothing: each has all of it"},
          {"tested", std::move(tested)}};
}

Json promotion_json(const Evidence& evidence) {
  const auto entry = static_cast<std::size_t>(evidence.promotion_sequence) - 1;
  return {{"by", evidence.promotion.by},
          {"why", evidence.promotion.why},
          {"at", evidence.events[entry].at},
          {"approval", std::string(promote::to_string(evidence.configuration.policy.approval))}};
}

std::string status_of(const Evidence& evidence) {
  if (!evidence.confirmation) {
    return "unconfirmed";
  }
  return evidence.confirmation->journalled.verdict == promote::Decision::Verdict::promote ? "confirmed"
                                                                                          : "not_confirmed";
}

Json artefacts_json(const Files& files) {
  Json artefacts = Json::array();
  for (const auto& [path, content] : files) {
    if (path != kCertificateFile && path != kPageFile) {
      artefacts.push_back({{"path", path}, {"sha256", base::sha256(content).hex()}, {"bytes", content.size()}});
    }
  }
  return artefacts;
}

}  // namespace

base::Result<Json> derive(const Evidence& evidence, const Files& files, const std::vector<Link>& links, int version) {
  const control::CampaignConfiguration& configuration = evidence.configuration;
  Json json;
  json["version"] = version;
  json["campaign"] = configuration.name;
  json["device"] = configuration.device;
  json["status"] = status_of(evidence);
  json["promotion"] = promotion_json(evidence);
  json["candidate"] = side_json(evidence.sweep, task::Side::candidate);
  json["incumbent"] = side_json(evidence.sweep, task::Side::incumbent);
  json["baseline"] = solution_json(0, configuration.baseline, task::identify(configuration.baseline));
  json["proposal"] = proposal_json(evidence.state.candidate(evidence.promotion.candidate));
  json["definition"] = {{"name", configuration.definition.name},
                        {"sha256", digest_of(task::encode(configuration.definition))}};
  json["workloads"] = workloads_of_campaign(configuration);
  const Json contract = promote::encode(configuration.policy);
  json["policy"] = {{"name", configuration.policy.name}, {"sha256", digest_of(contract)}, {"contract", contract}};
  json["hypotheses"] = hypotheses_json(evidence);
  ASSAY_TRY_ASSIGN(json["sweep"], describe_session(evidence.sweep, configuration.policy, version));
  json["confirmation"] = Json();
  if (evidence.confirmation) {
    ASSAY_TRY_ASSIGN(json["confirmation"], describe_session(*evidence.confirmation, configuration.policy, version));
  }
  json["chain"] = derive_chain(links, evidence);
  json["artefacts"] = artefacts_json(files);
  return json;
}

}  // namespace assay::certify
