#include <assay/service/same_code.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace assay::service {
namespace {

// A toolchain and the digest of an object that it made.
using Object = std::pair<std::string, std::string>;

base::Result<std::map<base::Digest, std::set<Object>>> objects_of(const archive::Archive& archive,
                                                                  const std::string& definition) {
  std::map<base::Digest, std::set<Object>> objects;
  ASSAY_TRY_ASSIGN(const auto summaries, archive.evaluations("", ""));
  for (const archive::EvaluationSummary& summary : summaries) {
    if (summary.definition != definition) {
      continue;
    }
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(summary.id));
    const auto add = [&](const base::Digest& candidate, const task::BuildRecord& build) {
      if (!build.object_sha256.empty()) {
        objects[candidate].emplace(build.toolchain, build.object_sha256);
      }
    };
    add(summary.candidate, evaluation->candidate_build);
    if (summary.incumbent && evaluation->incumbent_build) {
      add(*summary.incumbent, *evaluation->incumbent_build);
    }
  }
  return objects;
}

}  // namespace

std::string_view to_string(SameLevel level) {
  return level == SameLevel::normalised_source ? "normalised_source" : "object";
}

base::Result<std::vector<SameCode>> same_code(const archive::Archive& archive,
                                              const archive::StoredCandidate& candidate) {
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(candidate.solution.definition));
  ASSAY_TRY_ASSIGN(auto objects, objects_of(archive, candidate.solution.definition));
  const std::set<Object> own = objects[candidate.identity.content];
  std::vector<SameCode> found;
  for (const archive::StoredCandidate& other : candidates) {
    if (other.identity.content == candidate.identity.content) {
      continue;
    }
    const std::set<Object>& theirs = objects[other.identity.content];
    if (other.identity.normalised == candidate.identity.normalised) {
      found.push_back({other.identity.content, other.solution.name, SameLevel::normalised_source});
    } else if (std::any_of(theirs.begin(), theirs.end(), [&](const Object& one) { return own.count(one) > 0; })) {
      found.push_back({other.identity.content, other.solution.name, SameLevel::object});
    }
  }
  return found;
}

}  // namespace assay::service
