#include <assay/foreign/trace_archive.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include <assay/base/text.hpp>
#include <assay/foreign/record_reader.hpp>

namespace assay::foreign {
namespace {

constexpr std::string_view kEvaluations = "evaluations.jsonl";
constexpr std::string_view kExtra = "evaluations_extra.jsonl";
constexpr std::string_view kPromotions = "promotions.jsonl";
constexpr std::string_view kUnfinished = "unfinished.jsonl";

// Names an evaluation within an archive.
using Key = std::pair<std::string, std::string>;

struct Side {
  std::string evaluation;
  std::optional<base::Digest> source;
  std::optional<double> latency_ms;
  std::optional<double> reference_latency_ms;
};

struct PromotionRecord {
  Promotion promotion;
  Side before;
  Side after;
};

Side read_side(const task::Node& node) {
  task::Fields fields(node);
  Side side;
  side.evaluation = fields.required("evaluation").text(task::TextRule::non_empty);
  const task::Node source = fields.optional("source_sha256");
  if (source.has_value()) {
    side.source = read_digest(source);
  }
  side.latency_ms = read_positive(fields.optional("mean_latency_ms"));
  side.reference_latency_ms = read_positive(fields.optional("mean_reference_latency_ms"));
  return side;
}

PromotionRecord read_promotion(const task::Node& node) {
  task::Fields fields(node);
  PromotionRecord record;
  record.promotion.id = fields.required("id").text(task::TextRule::non_empty);
  record.promotion.trace = fields.required("trace").text(task::TextRule::non_empty);
  record.promotion.number = fields.required("promotion").integer({.minimum = 1});
  record.before = read_side(fields.required("old"));
  record.after = read_side(fields.required("new"));
  return record;
}

// Finds the evaluation that a promotion names, and refuses copies of its numbers that differ from it.
base::Result<std::size_t> resolve(const Side& side, std::string_view role, const std::string& trace,
                                  const std::map<Key, std::size_t>& known, const std::vector<Evaluation>& evaluations,
                                  const std::string& place) {
  const auto found = known.find({trace, side.evaluation});
  if (found == known.end()) {
    return base::input_error("foreign.no_evaluation",
                             fmt::format("{}: /{}/evaluation: no file has an evaluation \"{}\" of this trace: add "
                                         "the file that holds it",
                                         place, role, base::printable(side.evaluation)));
  }
  const Evaluation& evaluation = evaluations[found->second];
  const char* differs = nullptr;
  if (!evaluation.succeeded()) {
    return base::input_error("foreign.promoted_failure",
                             fmt::format("{}: /{}/evaluation: {} names an evaluation that failed, which has no latency "
                                         "to judge: correct one of the two",
                                         place, role, evaluation.place));
  }
  if (side.source && *side.source != evaluation.source) {
    differs = "source_sha256";
  } else if (side.latency_ms && side.latency_ms != evaluation.latency_ms) {
    differs = "mean_latency_ms";
  } else if (side.reference_latency_ms && side.reference_latency_ms != evaluation.reference_latency_ms) {
    differs = "mean_reference_latency_ms";
  }
  if (differs != nullptr) {
    return base::input_error("foreign.contradiction",
                             fmt::format("{}: /{}/{}: is not what {} says of this evaluation: correct one of the two",
                                         place, role, differs, evaluation.place));
  }
  return found->second;
}

base::Result<std::map<Key, std::size_t>> index_evaluations(const std::vector<Evaluation>& evaluations) {
  std::map<Key, std::size_t> known;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const auto [earlier, added] = known.emplace(Key(evaluations[i].trace, evaluations[i].id), i);
    if (!added) {
      return base::input_error(
          "foreign.duplicate",
          fmt::format("{}: /evaluation: \"{}\" is that of {} too: remove one of them", evaluations[i].place,
                      base::printable(evaluations[i].id), evaluations[earlier->second].place));
    }
  }
  return known;
}

// Reads a file that need not be there; nothing is not the same as empty.
base::Result<std::optional<std::string>> read_optional(const os::Path& folder, std::string_view name,
                                                       TraceArchive& archive) {
  std::error_code error;
  if (!std::filesystem::exists(folder / name, error)) {
    return std::optional<std::string>();
  }
  ASSAY_TRY_ASSIGN(std::string text, os::read_file(folder / name));
  archive.files.emplace_back(std::string(name), base::sha256(text));
  return std::optional(std::move(text));
}

// The rule of the controller is replayed even where its decisions were recorded: a difference is worth knowing.
void compare_with_replay(TraceArchive& archive) {
  std::set<std::pair<std::size_t, std::size_t>> recorded;
  for (const Promotion& promotion : archive.promotions) {
    recorded.emplace(promotion.before, promotion.after);
  }
  std::set<std::pair<std::size_t, std::size_t>> replayed;
  for (const Promotion& promotion : replay_promotions(archive)) {
    replayed.emplace(promotion.before, promotion.after);
  }
  if (recorded != replayed) {
    archive.notes.push_back(
        fmt::format("A running maximum of the score over the stored candidates gives {} promotions; recorded are {}, "
                    "and they are not the same. The recorded ones are judged.",
                    replayed.size(), recorded.size()));
  }
}

}  // namespace

std::vector<std::string> TraceArchive::traces() const {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Evaluation& evaluation : evaluations) {
    if (seen.insert(evaluation.trace).second) {
      names.push_back(evaluation.trace);
    }
  }
  return names;
}

std::vector<std::size_t> TraceArchive::of_trace(const std::string& name) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].trace == name) {
      indices.push_back(i);
    }
  }
  return indices;
}

base::Result<std::vector<Evaluation>> parse_evaluations(std::string_view text, std::string_view source, bool archived) {
  std::vector<Evaluation> evaluations;
  ASSAY_TRY(for_each_record(text, source, [&](const base::Json& json, const std::string& place) -> base::Result<void> {
    auto decoded = task::as_result(task::decode_whole(json, task::Coercion::strict, read_evaluation), place);
    if (!decoded) {
      return tl::unexpected(std::move(decoded.error()));
    }
    decoded->place = place;
    decoded->archived = archived;
    evaluations.push_back(std::move(*decoded));
    return {};
  }));
  return evaluations;
}

base::Result<std::vector<Promotion>> parse_promotions(std::string_view text, std::string_view source,
                                                      const std::vector<Evaluation>& evaluations) {
  ASSAY_TRY_ASSIGN(const auto known, index_evaluations(evaluations));
  std::vector<Promotion> promotions;
  std::set<std::string> ids;
  ASSAY_TRY(for_each_record(text, source, [&](const base::Json& json, const std::string& place) -> base::Result<void> {
    auto record = task::as_result(task::decode_whole(json, task::Coercion::strict, read_promotion), place);
    if (!record) {
      return tl::unexpected(std::move(record.error()));
    }
    Promotion& promotion = record->promotion;
    ASSAY_TRY_ASSIGN(promotion.before, resolve(record->before, "old", promotion.trace, known, evaluations, place));
    ASSAY_TRY_ASSIGN(promotion.after, resolve(record->after, "new", promotion.trace, known, evaluations, place));
    if (!ids.insert(promotion.id).second) {
      return base::input_error("foreign.duplicate", fmt::format("{}: /id: \"{}\" is there twice: remove one line",
                                                                place, base::printable(promotion.id)));
    }
    promotions.push_back(std::move(promotion));
    return {};
  }));
  return promotions;
}

std::vector<Promotion> replay_promotions(const TraceArchive& archive) {
  std::vector<Promotion> promotions;
  for (const std::string& trace : archive.traces()) {
    std::vector<std::size_t> stored;
    for (const std::size_t i : archive.of_trace(trace)) {
      const Evaluation& evaluation = archive.evaluations[i];
      if (evaluation.stored() && evaluation.succeeded() && evaluation.score) {
        stored.push_back(i);
      }
    }
    std::stable_sort(stored.begin(), stored.end(), [&](std::size_t a, std::size_t b) {
      return *archive.evaluations[a].time < *archive.evaluations[b].time;
    });
    std::optional<std::size_t> best;
    std::int64_t number = 0;
    for (const std::size_t i : stored) {
      if (best && *archive.evaluations[i].score <= *archive.evaluations[*best].score) {
        continue;
      }
      if (best) {
        ++number;
        promotions.push_back({fmt::format("{}#{}", trace, number), trace, number, *best, i});
      }
      best = i;
    }
  }
  return promotions;
}

base::Result<TraceArchive> read_trace_archive(const os::Path& folder) {
  TraceArchive archive;
  const auto source = [&](std::string_view name) { return (folder / name).string(); };
  ASSAY_TRY_ASSIGN(const auto evaluations, read_optional(folder, kEvaluations, archive));
  if (!evaluations) {
    return base::input_error(
        "foreign.not_an_archive",
        fmt::format("{} holds no {}: name a folder of archived optimisation traces", folder.string(), kEvaluations));
  }
  ASSAY_TRY_ASSIGN(archive.evaluations, parse_evaluations(*evaluations, source(kEvaluations), true));
  ASSAY_TRY_ASSIGN(const auto extra, read_optional(folder, kExtra, archive));
  if (extra) {
    ASSAY_TRY_ASSIGN(auto more, parse_evaluations(*extra, source(kExtra), false));
    std::move(more.begin(), more.end(), std::back_inserter(archive.evaluations));
  }
  ASSAY_TRY(index_evaluations(archive.evaluations));
  if (archive.evaluations.empty()) {
    return base::input_error("foreign.empty",
                             fmt::format("{} holds no evaluation: there is nothing to audit", source(kEvaluations)));
  }
  ASSAY_TRY_ASSIGN(const auto promotions, read_optional(folder, kPromotions, archive));
  archive.promotions_recorded = promotions.has_value();
  if (promotions) {
    ASSAY_TRY_ASSIGN(archive.promotions, parse_promotions(*promotions, source(kPromotions), archive.evaluations));
    compare_with_replay(archive);
  } else {
    archive.promotions = replay_promotions(archive);
    archive.notes.push_back(fmt::format(
        "There is no {}: the promotions are those of a controller that keeps the highest score of the stored "
        "candidates.",
        kPromotions));
  }
  ASSAY_TRY_ASSIGN(const auto unfinished, read_optional(folder, kUnfinished, archive));
  if (unfinished) {
    ASSAY_TRY(for_each_record(*unfinished, source(kUnfinished),
                              [&](const base::Json& /*json*/, const std::string& /*place*/) -> base::Result<void> {
                                ++archive.unfinished;
                                return {};
                              }));
  }
  return archive;
}

}  // namespace assay::foreign
