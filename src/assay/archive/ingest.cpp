#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include <assay/archive/archive.hpp>
#include <assay/archive/built_code.hpp>
#include <assay/archive/bundle.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>
#include <assay/base/time.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/dialect.hpp>

namespace assay::archive {
namespace {

base::Result<std::optional<std::string>> stored_bundle(const Database& database, const std::string& id) {
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT bundle FROM evaluations WHERE id = ?", {id}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  return found ? std::optional(rows.text(0)) : std::nullopt;
}

// Sets a bundle that holds a judge's error aside, under the first free number, and returns the error.
base::Result<task::Evaluation> set_aside(const os::Path& folder, base::Error error) {
  std::error_code ignored;
  os::Path target;
  int number = 0;
  do {
    target = folder.parent_path() / fmt::format("failed-{}-{}", folder.filename().string(), ++number);
  } while (std::filesystem::exists(target, ignored));
  ASSAY_TRY(os::rename_path(folder, target));
  error.context.push_back("the judge's record is kept in " + target.string());
  return tl::unexpected(std::move(error));
}

base::Result<void> retire(const os::Path& folder) {
  const os::Path retired = retired_path(folder);
  ASSAY_TRY(os::remove_tree(retired));
  ASSAY_TRY(os::rename_path(folder, retired));
  return os::remove_tree(retired);
}

base::Result<std::int64_t> insert_evaluation(const Database& database, const task::Evaluation& evaluation,
                                             std::string_view campaign, std::int64_t candidate,
                                             std::optional<std::int64_t> incumbent, const Bundle& bundle) {
  const auto optional_text = [](std::string_view text) { return text.empty() ? Value() : Value(std::string(text)); };
  ASSAY_TRY(database.execute(
      "INSERT INTO evaluations (id, campaign, candidate, incumbent, stage, device, outcome, cause, started, "
      "wall_seconds, bundle) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {evaluation.id, optional_text(campaign), candidate, incumbent ? Value(*incumbent) : Value(),
       std::string(task::to_string(evaluation.stage)), evaluation.device,
       std::string(task::to_string(evaluation.outcome)), evaluation.cause, evaluation.started, evaluation.wall_seconds,
       bundle.digest().hex()}));
  const std::int64_t number = database.last_inserted();
  for (const BundleFile& file : bundle.files) {
    ASSAY_TRY(database.execute("INSERT INTO bundle_files (evaluation, name, blob, bytes) VALUES (?, ?, ?, ?)",
                               {number, file.name, file.digest.hex(), static_cast<std::int64_t>(file.content.size())}));
  }
  return number;
}

base::Result<void> insert_code(const Database& database, std::int64_t candidate, const task::BuiltCode& code) {
  for (const CodeLevel level : {CodeLevel::ptx, CodeLevel::sass, CodeLevel::machine_code}) {
    if (const std::string& digest = at_level(code, level); !digest.empty()) {
      ASSAY_TRY(
          database.execute("INSERT INTO built_code (candidate, level, digest) VALUES (?, ?, ?) "
                           "ON CONFLICT (candidate, level, digest) DO NOTHING",
                           {candidate, std::string(to_string(level)), digest}));
    }
  }
  return {};
}

}  // namespace

base::Result<PreparedCandidate> store_solution(blob::BlobStore& blobs, const task::Solution& solution) {
  const std::string text = base::dump_compact(task::encode(solution));
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, "solution " + solution.name));
  const auto decoded = task::decode_solution(json, task::detect_solution_dialect(json).dialect);
  const task::CandidateIdentity identity = task::identify(solution);
  if (!decoded.value || task::identify(*decoded.value) != identity) {
    return base::input_error(
        "solution.not_storable",
        fmt::format("solution \"{}\" cannot be stored and read back{}: are its sources UTF-8?", solution.name,
                    decoded.problems.empty()
                        ? std::string()
                        : " (" + decoded.problems.front().pointer + ": " + decoded.problems.front().message + ")"));
  }
  ASSAY_TRY_ASSIGN(const base::Digest blob, blobs.put(text, os::Durability::power));
  return PreparedCandidate{identity, solution.definition, blob};
}

base::Result<task::Solution> load_stored_solution(const blob::BlobStore& blobs, const base::Digest& blob) {
  ASSAY_TRY_ASSIGN(const std::string text, blobs.get(blob));
  return task::load_solution(text, "solution blob " + blob.brief());
}

base::Result<std::int64_t> insert_candidate(const Database& database, const PreparedCandidate& candidate) {
  const std::string content = candidate.identity.content.hex();
  ASSAY_TRY(database.execute(
      "INSERT INTO candidates (content, normalised, definition, solution_blob, first_seen) "
      "VALUES (?, ?, ?, ?, ?) ON CONFLICT (content, definition) DO NOTHING",
      {content, candidate.identity.normalised.hex(), candidate.definition, candidate.blob.hex(), base::utc_now()}));
  ASSAY_TRY_ASSIGN(Rows rows, database.query("SELECT number FROM candidates WHERE content = ? AND definition = ?",
                                             {content, candidate.definition}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  ASSAY_CHECK(found);
  return rows.integer(0);
}

base::Result<void> Archive::record_candidate(const task::Solution& solution) {
  ASSAY_TRY(implementation_->require_writer("record a candidate"));
  ASSAY_TRY_ASSIGN(const PreparedCandidate prepared, store_solution(implementation_->blobs, solution));
  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(implementation_->database, Transaction::Kind::write));
  ASSAY_TRY(insert_candidate(implementation_->database, prepared));
  return transaction.commit();
}

base::Result<task::Evaluation> Archive::ingest(const os::Path& bundle_folder, std::string_view campaign,
                                               const std::optional<Append>& append) {
  ASSAY_TRY(implementation_->require_writer("ingest a result"));
  const Database& database = implementation_->database;
  ASSAY_TRY_ASSIGN(const Bundle bundle, read_bundle(bundle_folder));
  ASSAY_TRY_ASSIGN(auto error, judge_error(bundle));
  if (error) {
    return set_aside(bundle_folder, std::move(*error));
  }
  ASSAY_TRY_ASSIGN(BundleContents contents, decode_contents(bundle));

  const std::string& id = contents.evaluation.id;
  ASSAY_TRY_ASSIGN(const auto stored, stored_bundle(database, id));
  if (stored) {
    if (*stored != bundle.digest().hex()) {
      return base::internal_error("archive.conflict",
                                  fmt::format("{}: evaluation {} is archived with manifest {} and this one has {}; one "
                                              "id must name one result: evaluate again under a new id",
                                              bundle.source, id, *stored, bundle.digest().hex()));
    }
    ASSAY_TRY(retire(bundle_folder));
    return std::move(contents.evaluation);
  }
  if (append) {
    ASSAY_TRY(check_events(*append));
  }
  ASSAY_TRY_ASSIGN(const bool known_campaign, has_campaign(database, campaign));
  if (!campaign.empty() && !known_campaign) {
    return no_campaign(database, campaign);
  }

  // Blobs first: named by their content, they harm nothing if the transaction fails, and rows never lack theirs, not
  // even after a power cut.
  for (const BundleFile& file : bundle.files) {
    ASSAY_TRY(implementation_->blobs.put(file.content, os::Durability::power));
  }
  ASSAY_TRY_ASSIGN(const PreparedCandidate candidate,
                   store_solution(implementation_->blobs, contents.request.candidate));
  std::optional<PreparedCandidate> incumbent;
  if (contents.request.incumbent) {
    ASSAY_TRY_ASSIGN(incumbent, store_solution(implementation_->blobs, *contents.request.incumbent));
  }

  ASSAY_TRY_ASSIGN(Transaction transaction, Transaction::begin(database, Transaction::Kind::write));
  std::optional<std::int64_t> incumbent_number;
  if (incumbent) {
    ASSAY_TRY_ASSIGN(incumbent_number, insert_candidate(database, *incumbent));
  }
  ASSAY_TRY_ASSIGN(const std::int64_t candidate_number, insert_candidate(database, candidate));
  ASSAY_TRY_ASSIGN(const std::int64_t number, insert_evaluation(database, contents.evaluation, campaign,
                                                                candidate_number, incumbent_number, bundle));
  ASSAY_TRY(insert_code(database, candidate_number, contents.evaluation.candidate_build.code));
  if (incumbent_number && contents.evaluation.incumbent_build) {
    ASSAY_TRY(insert_code(database, *incumbent_number, contents.evaluation.incumbent_build->code));
  }
  ASSAY_TRY(insert_failing_inputs(database, contents.evaluation, contents.request.definition.name, number));
  if (append) {
    ASSAY_TRY(insert_events(database, *append));
  }
  ASSAY_TRY(transaction.commit());

  ASSAY_TRY(base::with_context(retire(bundle_folder), "the evaluation is archived; only its folder is left"));
  return std::move(contents.evaluation);
}

}  // namespace assay::archive
