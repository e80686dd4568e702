#include <assay/task/evidence.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>

namespace assay::task {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kEvidenceKinds = {"noise_floor", "headroom", "bottleneck"};

}  // namespace

std::string_view to_string(EvidenceKind kind) { return kEvidenceKinds[static_cast<std::size_t>(kind)]; }

bool holds_in(const Evidence& evidence, std::string_view environment) {
  return !environment.empty() && evidence.environment == environment;
}

std::string environment_digest(const Named<std::string>& fingerprint) {
  if (fingerprint.empty()) {
    return {};
  }
  Named<std::string> sorted = fingerprint;
  std::sort(sorted.begin(), sorted.end());
  base::Sha256 digest;
  for (const auto& [name, value] : sorted) {
    digest.update_framed(name);
    digest.update_framed(value);
  }
  return digest.finish().hex();
}

base::Json encode(const Evidence& evidence) {
  return {{"kind", std::string(to_string(evidence.kind))},
          {"regime", evidence.regime},
          {"value", encode_number(evidence.value)},
          {"word", evidence.word},
          {"evaluation", evidence.evaluation},
          {"environment", evidence.environment}};
}

Evidence read_evidence(const Node& node) {
  Evidence evidence;
  Fields fields(node);
  evidence.kind = static_cast<EvidenceKind>(fields.required("kind").word(kEvidenceKinds));
  evidence.regime = fields.required("regime").text(TextRule::non_empty);
  evidence.value = fields.required("value").number();
  evidence.word = fields.required("word").text();
  evidence.evaluation = fields.required("evaluation").text(TextRule::non_empty);
  evidence.environment = fields.required("environment").text();
  fields.refuse_others();
  return evidence;
}

}  // namespace assay::task
