#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/archive/archive.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/bundle.hpp>

namespace assay::archive {
namespace {

constexpr std::size_t kShortestPrefix = 4;
constexpr std::size_t kMostListed = 8;

base::Result<base::Digest> stored_digest(const Rows& rows, int column, const Database& database) {
  auto digest = base::Digest::parse(rows.text(column));
  if (!digest) {
    return base::environment_error("archive.damaged",
                                   fmt::format("{}: a row holds \"{}\" where a digest must be: run `assay archive "
                                               "verify`",
                                               database.file(), base::printable(rows.text(column))));
  }
  return digest;
}

tl::unexpected<base::Error> ambiguous(std::string_view what, std::string_view prefix,
                                      std::vector<std::string> matches) {
  const std::size_t count = matches.size();
  matches.resize(std::min(count, kMostListed));
  return base::input_error("archive.ambiguous",
                           fmt::format("{} {} could be any of {}: {}{}; give more of it", what, prefix, count,
                                       base::join(matches, ", "), count > kMostListed ? ", …" : ""));
}

// Lists the distinct values that begin with the prefix; an exact match stands alone.
base::Result<std::vector<std::string>> matching(const Database& database, const std::string& sql,
                                                const std::string& prefix) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query(sql, {prefix}));
  std::vector<std::string> matches;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return matches;
    }
    matches.push_back(rows.text(0));
    if (matches.back() == prefix) {
      return std::vector<std::string>{prefix};
    }
  }
}

base::Result<void> check_digest_prefix(std::string_view prefix) {
  const bool hexadecimal = std::all_of(prefix.begin(), prefix.end(),
                                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (hexadecimal && prefix.size() >= kShortestPrefix && prefix.size() <= 2 * base::Digest::kSize) {
    return {};
  }
  return base::input_error(
      "candidate.prefix",
      fmt::format("\"{}\" cannot name a candidate: give {} to {} of the lowercase hexadecimal digits "
                  "of its digest",
                  base::printable(prefix), kShortestPrefix, 2 * base::Digest::kSize));
}

base::Result<std::vector<StoredCandidate>> read_candidates(const Database& database, const blob::BlobStore& blobs,
                                                           const std::string& condition,
                                                           const std::vector<Value>& values) {
  ASSAY_TRY_ASSIGN(Rows rows,
                   database.query("SELECT content, normalised, solution_blob, first_seen FROM candidates WHERE " +
                                      condition + " ORDER BY number",
                                  values));
  std::vector<StoredCandidate> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    StoredCandidate candidate;
    ASSAY_TRY_ASSIGN(candidate.identity.content, stored_digest(rows, 0, database));
    ASSAY_TRY_ASSIGN(candidate.identity.normalised, stored_digest(rows, 1, database));
    ASSAY_TRY_ASSIGN(const base::Digest blob, stored_digest(rows, 2, database));
    ASSAY_TRY_ASSIGN(candidate.solution,
                     base::with_context(load_stored_solution(blobs, blob),
                                        "while reading candidate " + candidate.identity.content.brief()));
    candidate.first_seen = rows.text(3);
    found.push_back(std::move(candidate));
  }
}

tl::unexpected<base::Error> no_evaluation(const Database& database, std::string_view id) {
  return base::input_error("evaluation.not_found",
                           fmt::format("there is no evaluation \"{}\" in {}: `assay candidates` lists what there is",
                                       base::printable(id), database.file()));
}

base::Result<std::string> read_bundle_file(const Database& database, const blob::BlobStore& blobs, std::string_view id,
                                           std::string_view name) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT f.blob FROM evaluations e LEFT JOIN bundle_files f "
                                             "ON f.evaluation = e.number AND f.name = ? WHERE e.id = ?",
                                             {std::string(name), std::string(id)}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  if (!found) {
    return no_evaluation(database, id);
  }
  if (rows.is_null(0)) {
    return base::input_error("bundle.no_file",
                             fmt::format("evaluation {} has no file \"{}\"", id, base::printable(name)));
  }
  ASSAY_TRY_ASSIGN(const base::Digest blob, stored_digest(rows, 0, database));
  return base::with_context(blobs.get(blob), fmt::format("while reading {} of evaluation {}", name, id));
}

base::Result<base::Json> read_bundle_json(const Database& database, const blob::BlobStore& blobs, std::string_view id,
                                          std::string_view name) {
  ASSAY_TRY_ASSIGN(const std::string text, read_bundle_file(database, blobs, id, name));
  return base::parse_json(text, fmt::format("{} of evaluation {}", name, id));
}

base::Result<EvaluationSummary> read_summary(const Rows& rows, const Database& database) {
  EvaluationSummary summary;
  summary.id = rows.text(0);
  summary.campaign = rows.is_null(1) ? std::string() : rows.text(1);
  ASSAY_TRY_ASSIGN(summary.candidate, stored_digest(rows, 2, database));
  if (!rows.is_null(3)) {
    ASSAY_TRY_ASSIGN(summary.incumbent, stored_digest(rows, 3, database));
  }
  summary.definition = rows.text(4);
  summary.device = rows.text(6);
  const auto stage = parse_stage(rows.text(5));
  const auto outcome = task::parse_outcome(rows.text(7));
  if (!stage || !outcome) {
    return base::environment_error(
        "archive.damaged",
        fmt::format("{}: evaluation {} has stage \"{}\" and outcome \"{}\", of which this "
                    "Assay knows not both: run `assay archive verify`",
                    database.file(), summary.id, base::printable(rows.text(5)), base::printable(rows.text(7))));
  }
  summary.stage = *stage;
  summary.outcome = *outcome;
  summary.cause = rows.text(8);
  summary.started = rows.text(9);
  summary.wall_seconds = rows.real(10);
  return summary;
}

}  // namespace

std::optional<task::Stage> parse_stage(std::string_view text) {
  for (const auto stage : {task::Stage::build, task::Stage::measure, task::Stage::gate, task::Stage::sweep}) {
    if (task::to_string(stage) == text) {
      return stage;
    }
  }
  return std::nullopt;
}

base::Result<std::optional<StoredCandidate>> Archive::candidate(std::string_view digest_or_prefix) const {
  ASSAY_TRY(check_digest_prefix(digest_or_prefix));
  ASSAY_TRY_ASSIGN(auto matches,
                   matching(implementation_->database,
                            "SELECT DISTINCT content FROM candidates WHERE substr(content, 1, length(?1)) = ?1",
                            std::string(digest_or_prefix)));
  if (matches.size() > 1) {
    return ambiguous("candidate", digest_or_prefix, std::move(matches));
  }
  if (matches.empty()) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(
      auto found, read_candidates(implementation_->database, implementation_->blobs, "content = ?", {matches.front()}));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

base::Result<std::vector<StoredCandidate>> Archive::candidates(std::string_view definition) const {
  return read_candidates(implementation_->database, implementation_->blobs, "(?1 = '' OR definition = ?1)",
                         {std::string(definition)});
}

base::Result<std::optional<StoredCandidate>> Archive::candidate_by_normalised(std::string_view definition,
                                                                              const base::Digest& normalised) const {
  ASSAY_TRY_ASSIGN(auto found, read_candidates(implementation_->database, implementation_->blobs,
                                               "number = (SELECT min(number) FROM candidates WHERE definition = ? AND "
                                               "normalised = ?)",
                                               {std::string(definition), normalised.hex()}));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

base::Result<std::optional<task::Evaluation>> Archive::evaluation(std::string_view id_or_prefix) const {
  if (id_or_prefix.empty()) {
    return base::input_error("evaluation.prefix",
                             "an evaluation is named by its id or the beginning of it; this is empty");
  }
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(auto matches,
                   matching(database, "SELECT id FROM evaluations WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id",
                            std::string(id_or_prefix)));
  if (matches.size() > 1) {
    return ambiguous("evaluation", base::printable(id_or_prefix), std::move(matches));
  }
  if (matches.empty()) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(const base::Json json,
                   read_bundle_json(database, implementation_->blobs, matches.front(), task::kEvaluationFile));
  return task::decode_evaluation(json, "evaluation " + matches.front());
}

base::Result<task::EvaluationRequest> Archive::request(std::string_view id) const {
  ASSAY_TRY_ASSIGN(const base::Json json,
                   read_bundle_json(implementation_->database, implementation_->blobs, id, task::kRequestFile));
  return task::decode_request(json, fmt::format("request of evaluation {}", id));
}

base::Result<std::vector<task::Sample>> Archive::samples(std::string_view id) const {
  ASSAY_TRY_ASSIGN(const base::Json json,
                   read_bundle_json(implementation_->database, implementation_->blobs, id, task::kSamplesFile));
  return task::decode_samples(json, fmt::format("samples of evaluation {}", id));
}

base::Result<std::vector<EvaluationSummary>> Archive::evaluations(std::string_view campaign,
                                                                  std::string_view candidate) const {
  if (!candidate.empty()) {
    ASSAY_TRY(check_digest_prefix(candidate));
  }
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(Rows rows,
                   database.query("SELECT e.id, e.campaign, c.content, i.content, c.definition, e.stage, e.device, "
                                  "e.outcome, e.cause, e.started, e.wall_seconds FROM evaluations e "
                                  "JOIN candidates c ON c.number = e.candidate "
                                  "LEFT JOIN candidates i ON i.number = e.incumbent "
                                  "WHERE (?1 = '' OR e.campaign = ?1) AND substr(c.content, 1, length(?2)) = ?2 "
                                  "ORDER BY e.number",
                                  {std::string(campaign), std::string(candidate)}));
  std::vector<EvaluationSummary> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    ASSAY_TRY_ASSIGN(found.emplace_back(), read_summary(rows, database));
  }
}

base::Result<std::vector<std::string>> Archive::bundle_files(std::string_view id) const {
  ASSAY_TRY_ASSIGN(Rows rows, implementation_->database.query(
                                  "SELECT f.name FROM evaluations e JOIN bundle_files f ON f.evaluation = e.number "
                                  "WHERE e.id = ? ORDER BY f.name",
                                  {std::string(id)}));
  std::vector<std::string> names;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      break;
    }
    names.push_back(rows.text(0));
  }
  if (names.empty()) {
    return no_evaluation(implementation_->database, id);
  }
  return names;
}

base::Result<std::string> Archive::bundle_file(std::string_view id, std::string_view name) const {
  return read_bundle_file(implementation_->database, implementation_->blobs, id, name);
}

}  // namespace assay::archive
