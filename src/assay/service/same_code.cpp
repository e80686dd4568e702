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

SameLevel level_of(archive::CodeLevel level) {
  switch (level) {
    case archive::CodeLevel::ptx:
      return SameLevel::ptx;
    case archive::CodeLevel::sass:
      return SameLevel::sass;
    case archive::CodeLevel::machine_code:
      break;
  }
  return SameLevel::machine_code;
}

}  // namespace

std::string_view to_string(SameLevel level) {
  switch (level) {
    case SameLevel::normalised_source:
      return "normalised_source";
    case SameLevel::machine_code:
      return "machine_code";
    case SameLevel::sass:
      return "sass";
    case SameLevel::ptx:
      return "ptx";
    case SameLevel::object:
      break;
  }
  return "object";
}

base::Result<std::vector<SameCode>> same_code(const archive::Archive& archive,
                                              const archive::StoredCandidate& candidate) {
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(candidate.solution.definition));
  ASSAY_TRY_ASSIGN(auto objects, objects_of(archive, candidate.solution.definition));
  const std::set<Object> own = objects[candidate.identity.content];
  ASSAY_TRY_ASSIGN(const auto builds, archive.same_builds(candidate.solution.definition, candidate.identity.content));
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
    } else if (const auto build =
                   std::find_if(builds.begin(), builds.end(),
                                [&](const archive::SameBuild& one) { return one.candidate == other.identity.content; });
               build != builds.end()) {
      found.push_back({other.identity.content, other.solution.name, level_of(build->level)});
    }
  }
  return found;
}

}  // namespace assay::service
