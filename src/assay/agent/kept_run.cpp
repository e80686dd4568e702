#include <assay/agent/kept_run.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>

namespace assay::agent {
namespace {

constexpr const char* kBegunFile = "begun";
constexpr const char* kEndingFile = "run.json";
constexpr int kKeptVersion = 1;

bool is_there(const os::Path& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

base::Json encode_ending(const RunEnding& ending) {
  return {{"version", kKeptVersion},
          {"run", ending.id},
          {"outcome", std::string(to_string(ending.outcome))},
          {"cause", ending.cause},
          {"session", ending.session},
          {"model", ending.model},
          {"certainty", std::string(to_string(ending.spend.certainty))},
          {"tokens",
           {{"input", ending.spend.usage.tokens.input},
            {"cached_input", ending.spend.usage.tokens.cached_input},
            {"cache_write", ending.spend.usage.tokens.cache_write},
            {"output", ending.spend.usage.tokens.output},
            {"reasoning", ending.spend.usage.tokens.reasoning}}},
          {"dollars", ending.spend.usage.dollars ? base::Json(*ending.spend.usage.dollars) : base::Json()},
          {"wall_ns", ending.wall.count()}};
}

Tokens read_tokens(const task::Node& node) {
  Tokens tokens;
  task::Fields fields(node);
  tokens.input = fields.required("input").integer();
  tokens.cached_input = fields.required("cached_input").integer();
  tokens.cache_write = fields.required("cache_write").integer();
  tokens.output = fields.required("output").integer();
  tokens.reasoning = fields.required("reasoning").integer();
  fields.refuse_others();
  return tokens;
}

RunEnding read_ending(const task::Node& node) {
  RunEnding ending;
  task::Fields fields(node);
  const task::Node version = fields.required("version");
  if (version.present() && version.integer() != kKeptVersion) {
    version.problem("is another version's: resume with the Assay that began the run");
  }
  ending.id = fields.required("run").text(task::TextRule::non_empty);
  ending.outcome = static_cast<RunOutcome>(fields.required("outcome").word(kRunOutcomes));
  ending.cause = fields.required("cause").text();
  ending.session = fields.required("session").text();
  ending.model = fields.required("model").text();
  ending.spend.certainty = static_cast<Certainty>(fields.required("certainty").word(kCertainties));
  ending.spend.usage.tokens = read_tokens(fields.required("tokens"));
  if (const task::Node dollars = fields.required("dollars"); dollars.has_value()) {
    ending.spend.usage.dollars = dollars.number();
  }
  ending.wall = std::chrono::nanoseconds(fields.required("wall_ns").integer({.minimum = 0}));
  fields.refuse_others();
  return ending;
}

// Splits "<stem><number>"; nothing where there is no number.
std::optional<std::pair<std::string_view, int>> split_id(std::string_view id) {
  const std::size_t digits = id.find_last_not_of("0123456789") + 1;
  int number = 0;
  const auto [end, error] = std::from_chars(id.data() + digits, id.data() + id.size(), number);
  if (digits == id.size() || error != std::errc() || end != id.data() + id.size()) {
    return std::nullopt;
  }
  return std::pair(id.substr(0, digits), number);
}

}  // namespace

base::Result<void> KeptRun::create() const {
  ASSAY_TRY(os::remove_tree(folder_));
  ASSAY_TRY(os::create_directories(folder_));
  std::error_code error;
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  if (error) {
    return base::system_error("agent.folder", "cannot close " + folder_.string() + " to others", error.value());
  }
  return os::create_directories(work());
}

base::Result<void> KeptRun::begin() const {
  return os::write_file_atomic(folder_ / kBegunFile, "", os::Durability::power);
}

bool KeptRun::begun() const { return is_there(folder_ / kBegunFile); }

base::Result<void> KeptRun::keep(const RunEnding& ending) const {
  return os::write_file_atomic(folder_ / kEndingFile, base::dump_pretty(encode_ending(ending)) + "\n",
                               os::Durability::power);
}

base::Result<std::optional<RunEnding>> KeptRun::ending() const {
  const os::Path file = folder_ / kEndingFile;
  if (!is_there(file)) {
    return std::optional<RunEnding>();
  }
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file));
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, file.string()));
  ASSAY_TRY_ASSIGN(RunEnding ending,
                   task::as_result(task::decode_whole(json, task::Coercion::strict, read_ending), file.string()));
  if (ending.id != id_) {
    return base::environment_error(
        "agent.kept_run", file.string() + " is about run " + ending.id + ": move the folder away, then resume");
  }
  return std::optional(std::move(ending));
}

base::Result<void> remove_kept_before(const os::Path& folders, const std::string& id,
                                      const std::vector<EarlierRun>& but) {
  const auto own = split_id(id);
  if (!own || !is_there(folders)) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folders));
  for (const std::string& name : names) {
    const auto other = split_id(name);
    const bool earlier = other && other->first == own->first && other->second < own->second;
    const bool kept = std::any_of(but.begin(), but.end(), [&](const EarlierRun& one) { return one.id == name; });
    if (earlier && !kept) {
      ASSAY_TRY(os::remove_tree(folders / name));
    }
  }
  return {};
}

}  // namespace assay::agent
