#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/archive/archive.hpp>
#include <assay/archive/store.hpp>
#include <assay/base/json.hpp>

namespace assay::archive {
namespace {

base::Result<StoredFailingInput> read_kept_row(const Rows& rows) {
  StoredFailingInput stored;
  const std::string source = fmt::format("failing input {}", rows.integer(0));
  stored.definition = rows.text(1);
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(rows.text(2), source));
  ASSAY_TRY_ASSIGN(stored.input,
                   task::as_result(task::decode_whole(json, task::Coercion::strict, task::read_failing_input), source));
  ASSAY_TRY_ASSIGN(stored.candidate, base::Digest::parse(rows.text(3)));
  stored.evaluation = rows.text(4);
  stored.when = rows.text(5);
  stored.failures = rows.integer(6);
  return stored;
}

}  // namespace

base::Result<void> insert_failing_inputs(const Database& database, const task::Evaluation& evaluation,
                                         std::string_view definition, std::int64_t evaluation_number) {
  for (const task::FailingInput& input : evaluation.failing_inputs) {
    const std::string text = base::dump_compact(task::encode(input));
    ASSAY_TRY(database.execute(
        "INSERT INTO failing_inputs (definition, input) VALUES (?1, ?2) ON CONFLICT (definition, input) DO NOTHING",
        {std::string(definition), text}));
    ASSAY_TRY(database.execute(
        "INSERT OR IGNORE INTO input_failures (input, evaluation) SELECT number, ?3 FROM failing_inputs "
        "WHERE definition = ?1 AND input = ?2",
        {std::string(definition), text, evaluation_number}));
  }
  return {};
}

base::Result<std::vector<StoredFailingInput>> Archive::failing_inputs(std::string_view definition,
                                                                      std::int64_t most) const {
  ASSAY_TRY_ASSIGN(
      Rows rows,
      implementation_->database.query(
          "SELECT k.number, k.definition, k.input, c.content, e.id, e.started, "
          "(SELECT count(*) FROM input_failures WHERE input = k.number) FROM failing_inputs k "
          "JOIN evaluations e ON e.number = (SELECT min(evaluation) FROM input_failures WHERE input = k.number) "
          "JOIN candidates c ON c.number = e.candidate WHERE ?1 = '' OR k.definition = ?1 "
          "ORDER BY k.number DESC LIMIT ?2",
          {std::string(definition), most}));
  std::vector<StoredFailingInput> found;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool more, rows.next());
    if (!more) {
      return found;
    }
    ASSAY_TRY_ASSIGN(found.emplace_back(), read_kept_row(rows));
  }
}

base::Result<std::int64_t> Archive::count_failing_inputs(std::string_view definition) const {
  ASSAY_TRY_ASSIGN(
      Rows rows, implementation_->database.query("SELECT count(*) FROM failing_inputs WHERE ?1 = '' OR definition = ?1",
                                                 {std::string(definition)}));
  ASSAY_TRY_ASSIGN(const bool found, rows.next());
  return found ? rows.integer(0) : 0;
}

}  // namespace assay::archive
