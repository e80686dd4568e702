#include <assay/mcp/history.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/archive/archive.hpp>
#include <assay/mcp/measured.hpp>
#include <assay/mcp/profile.hpp>
#include <assay/mcp/told.hpp>

namespace assay::mcp {
namespace {

using base::Json;

// Candidates by a test, the newest first.
template <class Matches>
Json chosen(const service::CampaignStatus& status, int limit, const Matches& matches) {
  Json found = Json::array();
  int more = 0;
  const auto& candidates = status.state.candidates;
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    if (!matches(*candidate)) {
      continue;
    }
    if (static_cast<int>(found.size()) == limit) {
      ++more;
    } else {
      found.push_back(encode_candidate(*candidate, status.configuration.definition, nullptr));
    }
  }
  return {{"candidates", std::move(found)}, {"more", more}};
}

bool says(std::string_view text, std::string_view words) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), words.begin(), words.end(), same) != text.end();
}

}  // namespace

base::Result<const control::CandidateState*> numbered(const control::CampaignState& state, int number) {
  if (number > static_cast<int>(state.candidates.size())) {
    return base::input_error(
        "mcp.candidate", fmt::format("there is no candidate {}; the campaign has {}", number, state.candidates.size()));
  }
  return number == 0 ? nullptr : &state.candidate(number);
}

Json failed_candidates(const service::CampaignStatus& status, int limit) {
  return chosen(status, limit, [](const control::CandidateState& candidate) {
    return candidate.outcome && (!candidate.promoted || candidate.demotion);
  });
}

Json candidates_with(const service::CampaignStatus& status, std::string_view words, int limit) {
  return chosen(status, limit, [&](const control::CandidateState& candidate) {
    const std::string outcome = candidate.outcome ? std::string(task::to_string(*candidate.outcome)) : "";
    return says(candidate.name, words) || says(candidate.hypothesis.change, words) ||
           says(candidate.hypothesis.regime, words) || says(outcome, words);
  });
}

Json candidates_like(const service::CampaignStatus& status, const std::string& change, int limit) {
  return chosen(status, limit, [&](const control::CandidateState& candidate) {
    return says(candidate.hypothesis.change, change) || says(change, candidate.hypothesis.change);
  });
}

base::Result<Json> profile_answer(const service::Context& context, const service::CampaignStatus& status, int number) {
  ASSAY_TRY_ASSIGN(const control::CandidateState* candidate, numbered(status.state, number));
  Json regimes = Json::array();
  Json profile;
  const std::string last = candidate == nullptr                   ? status.state.baseline_evaluation
                           : !candidate->sweep_evaluation.empty() ? candidate->sweep_evaluation
                                                                  : candidate->gate_evaluation;
  if (!last.empty()) {
    ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
    ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(last));
    if (evaluation) {
      regimes = regimes_of(*evaluation, status.configuration, status.state);
      profile = profile_of(*evaluation, status.configuration, status.state);
    }
  }
  const std::string note = profile.is_null() || profile["workloads"].empty() ? "it was not timed"
                           : candidate == nullptr ? "the baseline: nothing it is held against"
                                                  : "speed against the incumbent of its time; latencies are medians";
  return Json{{"candidate", number}, {"regimes", std::move(regimes)}, {"profile", std::move(profile)}, {"note", note}};
}

}  // namespace assay::mcp
