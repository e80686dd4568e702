#include <assay/service/inspect.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/import.hpp>
#include <assay/service/judgement.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

base::Result<std::vector<CandidateLine>> lines_of_campaign(const Context& context, const std::string& name) {
  ASSAY_TRY_ASSIGN(const CampaignStatus status, campaign_status(context, name));
  std::vector<CandidateLine> lines;
  for (const control::CandidateState& candidate : status.state.candidates) {
    CandidateLine line;
    line.number = candidate.number;
    line.round = candidate.round;
    line.digest = candidate.identity.content.hex();
    line.name = candidate.name;
    line.definition = status.configuration.definition.name;
    line.outcome = candidate.outcome ? task::to_string(*candidate.outcome) : "not judged";
    line.cause = candidate.cause;
    if (candidate.log_ratio_to_baseline) {
      line.speedup = std::exp(-*candidate.log_ratio_to_baseline);
    }
    line.promoted = candidate.promoted && !candidate.demotion;
    line.cause = candidate.demotion.value_or(line.cause);
    line.evaluation = candidate.sweep_evaluation.empty() ? candidate.gate_evaluation : candidate.sweep_evaluation;
    lines.push_back(std::move(line));
  }
  return lines;
}

base::Result<std::vector<CandidateLine>> lines_of_archive(const archive::Archive& archive) {
  ASSAY_TRY_ASSIGN(const auto candidates, archive.candidates(""));
  ASSAY_TRY_ASSIGN(const auto evaluations, archive.evaluations("", ""));
  std::map<base::Digest, const archive::EvaluationSummary*> newest;
  for (const archive::EvaluationSummary& evaluation : evaluations) {
    newest[evaluation.candidate] = &evaluation;
  }
  ASSAY_TRY_ASSIGN(const auto foreign, archive.foreign_results(""));
  std::map<base::Digest, std::vector<const archive::ForeignResult*>> imported;
  for (const archive::ForeignResult& result : foreign) {
    if (result.candidate) {
      imported[*result.candidate].push_back(&result);
    }
  }
  std::vector<CandidateLine> lines;
  for (const archive::StoredCandidate& candidate : candidates) {
    CandidateLine line;
    line.digest = candidate.identity.content.hex();
    line.name = candidate.solution.name;
    line.author = candidate.solution.author;
    line.definition = candidate.solution.definition;
    line.outcome = "not judged";
    const auto found = newest.find(candidate.identity.content);
    if (found != newest.end()) {
      line.outcome = task::to_string(found->second->outcome);
      line.cause = found->second->cause;
      line.evaluation = found->second->id;
      ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(found->second->id));
      if (evaluation && evaluation->comparison) {
        line.speedup = std::exp(-evaluation->comparison->log_ratio);
      }
    } else if (const auto theirs = imported.find(candidate.identity.content); theirs != imported.end()) {
      line.outcome = "imported";
      line.cause = fmt::format("{} foreign result{} from {}; not judged here", theirs->second.size(),
                               theirs->second.size() == 1 ? "" : "s", theirs->second.front()->origin);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

bool could_be_digest(const std::string& id) {
  constexpr std::size_t kShortest = 4;
  return id.size() >= kShortest && id.size() <= 2 * base::Digest::kSize &&
         std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

tl::unexpected<base::Error> unknown_id(const std::string& id, const archive::Archive& archive) {
  return base::input_error(
      "show.unknown", fmt::format("\"{}\" is neither the digest of a candidate (at least 4 digits) nor an evaluation "
                                  "in {}; `assay candidates` lists what there is",
                                  base::printable(id), archive.root().string()));
}

// The evaluation that `id` names, or the newest one of the candidate that it names.
base::Result<std::string> evaluation_id(const archive::Archive& archive, const std::string& id) {
  if (could_be_digest(id)) {
    ASSAY_TRY_ASSIGN(const auto candidate, archive.candidate(id));
    if (candidate) {
      ASSAY_TRY_ASSIGN(const auto evaluations, archive.evaluations("", candidate->identity.content.hex()));
      if (evaluations.empty()) {
        return base::input_error("show.not_judged",
                                 fmt::format("candidate {} was never judged itself, so it has no logs",
                                             candidate->identity.content.brief()));
      }
      return evaluations.back().id;
    }
  }
  ASSAY_TRY_ASSIGN(const auto evaluation, archive.evaluation(id));
  if (!evaluation) {
    return unknown_id(id, archive);
  }
  return evaluation->id;
}

}  // namespace

base::Result<std::vector<CandidateLine>> list_candidates(const Context& context, const std::string& campaign) {
  if (!campaign.empty()) {
    return lines_of_campaign(context, campaign);
  }
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  return lines_of_archive(archive);
}

base::Json encode(const std::vector<CandidateLine>& candidates) {
  base::Json json = base::Json::array();
  for (const CandidateLine& line : candidates) {
    base::Json entry;
    if (line.number) {
      entry["number"] = *line.number;
      entry["round"] = line.round.value_or(0);
    }
    entry["digest"] = line.digest;
    entry["name"] = line.name;
    entry["definition"] = line.definition;
    entry["outcome"] = line.outcome;
    entry["cause"] = line.cause;
    entry["speedup"] = line.speedup ? base::Json(*line.speedup) : base::Json(nullptr);
    entry["promoted"] = line.promoted;
    entry["evaluation"] = line.evaluation.empty() ? base::Json(nullptr) : base::Json(line.evaluation);
    json.push_back(std::move(entry));
  }
  return json;
}

base::Result<Shown> show(const Context& context, const std::string& id) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  Shown shown;
  if (could_be_digest(id)) {
    ASSAY_TRY_ASSIGN(shown.candidate, archive.candidate(id));
    if (shown.candidate) {
      ASSAY_TRY_ASSIGN(shown.evaluations, archive.evaluations("", shown.candidate->identity.content.hex()));
      ASSAY_TRY_ASSIGN(shown.foreign, archive.foreign_results(shown.candidate->identity.content.hex()));
      ASSAY_TRY_ASSIGN(shown.same, same_code(archive, *shown.candidate));
      return shown;
    }
  }
  ASSAY_TRY_ASSIGN(auto evaluation, archive.evaluation(id));
  if (!evaluation) {
    ASSAY_TRY_ASSIGN(shown.foreign, archive.foreign_results(id));
    return shown.foreign.empty() ? base::Result<Shown>(unknown_id(id, archive)) : shown;
  }
  ASSAY_TRY_ASSIGN(shown.files, archive.bundle_files(evaluation->id));
  ASSAY_TRY_ASSIGN(shown.evaluation, report_on(archive, std::move(*evaluation), nullptr));
  shown.evaluation->origin = Origin::stored;
  return shown;
}

base::Json encode(const Shown& shown) {
  base::Json json;
  if (shown.candidate) {
    json["candidate"] = {{"digest", shown.candidate->identity.content.hex()},
                         {"normalised", shown.candidate->identity.normalised.hex()},
                         {"first_seen", shown.candidate->first_seen},
                         {"solution", task::encode(shown.candidate->solution)}};
    json["same_code"] = base::Json::array();
    for (const SameCode& same : shown.same) {
      json["same_code"].push_back(
          {{"digest", same.candidate.hex()}, {"name", same.name}, {"level", to_string(same.level)}});
    }
    json["evaluations"] = base::Json::array();
    for (const archive::EvaluationSummary& summary : shown.evaluations) {
      json["evaluations"].push_back(
          {{"id", summary.id},
           {"campaign", summary.campaign.empty() ? base::Json(nullptr) : base::Json(summary.campaign)},
           {"stage", task::to_string(summary.stage)},
           {"device", summary.device},
           {"outcome", task::to_string(summary.outcome)},
           {"cause", summary.cause},
           {"started", summary.started},
           {"wall_seconds", summary.wall_seconds}});
    }
  }
  if (!shown.foreign.empty()) {
    json["foreign"] = encode(shown.foreign);
  }
  if (shown.evaluation) {
    json["report"] = encode(*shown.evaluation);
    json["files"] = shown.files;
  }
  return json;
}

base::Result<std::string> show_file(const Context& context, const std::string& id, const std::string& name) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  ASSAY_TRY_ASSIGN(const std::string evaluation, evaluation_id(archive, id));
  ASSAY_TRY_ASSIGN(const std::vector<std::string> files, archive.bundle_files(evaluation));
  if (std::find(files.begin(), files.end(), name) == files.end()) {
    return base::input_error("show.no_file", fmt::format("evaluation {} has no \"{}\"; it has {}", evaluation,
                                                         base::printable(name), base::join(files, ", ")));
  }
  return archive.bundle_file(evaluation, name);
}

}  // namespace assay::service
