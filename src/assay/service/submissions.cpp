#include <assay/service/submissions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include <assay/base/json.hpp>
#include <assay/task/decoder.hpp>

namespace assay::service {
namespace {

constexpr std::string_view kJob = "job";
constexpr std::string_view kHypothesis = "hypothesis";
constexpr std::string_view kSuffix = ".json";
constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 20U;  // JSON may escape each byte of a source as six.
constexpr int kLockAttempts = 100;
constexpr std::chrono::milliseconds kLockPause(20);

base::Json encode_claim(const agent::Hypothesis& hypothesis) {
  return {{"regime", hypothesis.regime},
          {"limiting_resource", hypothesis.limiting_resource},
          {"change", hypothesis.change},
          {"predicted_effect", hypothesis.predicted_effect}};
}

agent::Hypothesis read_claim_fields(task::Fields& fields) {
  return {fields.required("regime").text(), fields.required("limiting_resource").text(),
          fields.required("change").text(), fields.required("predicted_effect").text()};
}

agent::Hypothesis read_claim(const task::Node& node) {
  task::Fields fields(node);
  agent::Hypothesis hypothesis = read_claim_fields(fields);
  fields.refuse_others();
  return hypothesis;
}

// Left out where nothing is stated, as files of before have it.
void add_stated(const std::optional<task::Hypothesis>& stated, base::Json& json) {
  if (stated) {
    json["stated"] = task::encode(*stated);
  }
}

std::optional<task::Hypothesis> read_stated(task::Fields& fields) {
  const task::Node stated = fields.optional("stated");
  return stated.has_value() ? std::optional(task::read_stated_hypothesis(stated)) : std::nullopt;
}

base::Json encode_submission(const Submission& submission) {
  base::Json sources = base::Json::array();
  for (const task::SourceFile& source : submission.sources) {
    sources.push_back({{"path", source.path}, {"content", source.content}});
  }
  base::Json json = {{"job", submission.job},
                     {"by", submission.by},
                     {"sources", std::move(sources)},
                     {"hypothesis", encode_claim(submission.hypothesis)},
                     {"parent", submission.parent ? base::Json(*submission.parent) : base::Json()}};
  add_stated(submission.stated, json);
  return json;
}

StatedClaim read_stated_claim(const task::Node& node) {
  task::Fields fields(node);
  StatedClaim hypothesis{read_claim_fields(fields), read_stated(fields)};
  fields.refuse_others();
  return hypothesis;
}

Submission read_submission(const task::Node& node) {
  Submission submission;
  task::Fields fields(node);
  submission.job = fields.required("job").text();
  submission.by = fields.required("by").text();
  for (const task::Node& item : fields.required("sources").items(1)) {
    task::Fields source(item);
    submission.sources.push_back({source.required("path").text(), source.required("content").text()});
  }
  submission.hypothesis = read_claim(fields.required("hypothesis"));
  submission.stated = read_stated(fields);
  if (const task::Node parent = fields.required("parent"); parent.has_value()) {
    submission.parent = static_cast<int>(parent.integer({0, 1'000'000}));
  }
  fields.refuse_others();
  return submission;
}

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  int number = 0;
  if (!text.starts_with(prefix)) {
    return std::nullopt;
  }
  text.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number > 0;
  return whole && std::to_string(number) == text ? std::optional(number) : std::nullopt;
}

// Numbers are given out one process at a time; nobody holds this for longer than it takes to write a file.
base::Result<os::FileLock> lock_folder(const os::Path& folder) {
  ASSAY_TRY(os::create_directories(folder));
  auto lock = os::FileLock::try_acquire(folder / "lock");
  for (int attempt = 1; !lock && lock.error().code == "lock.held" && attempt < kLockAttempts; ++attempt) {
    std::this_thread::sleep_for(kLockPause);
    lock = os::FileLock::try_acquire(folder / "lock");
  }
  return lock;
}

}  // namespace

SubmissionStore::SubmissionStore(const os::Path& archive, std::string campaign)
    : folder_(archive / "submissions" / campaign), campaign_(std::move(campaign)) {}

base::Result<std::vector<int>> SubmissionStore::numbers(std::string_view kind) const {
  std::vector<int> found;
  std::error_code error;
  if (!std::filesystem::exists(folder_, error)) {
    return found;
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder_));
  for (const std::string& name : names) {
    if (name.ends_with(kSuffix)) {
      const auto number =
          number_after(std::string_view(name).substr(0, name.size() - kSuffix.size()), std::string(kind) + "-");
      if (number) {
        found.push_back(*number);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

base::Result<std::optional<std::string>> SubmissionStore::read(std::string_view kind, const std::string& id) const {
  const auto number = number_after(id, fmt::format("{}-{}-", campaign_, kind));
  const os::Path file = folder_ / fmt::format("{}-{}{}", kind, number.value_or(0), kSuffix);
  std::error_code error;
  if (!number || !std::filesystem::exists(file, error)) {
    return std::optional<std::string>();
  }
  return os::read_file(file, kMostFileBytes);
}

base::Result<std::string> SubmissionStore::add(const Submission& submission) const {
  ASSAY_TRY_ASSIGN(const os::FileLock lock, lock_folder(folder_));
  ASSAY_TRY_ASSIGN(const std::vector<int> known, numbers(kJob));
  const int number = known.empty() ? 1 : known.back() + 1;
  Submission named = submission;
  named.job = fmt::format("{}-{}-{}", campaign_, kJob, number);
  ASSAY_TRY(os::write_file_atomic(folder_ / fmt::format("{}-{}{}", kJob, number, kSuffix),
                                  base::dump_compact(encode_submission(named)), os::Durability::power));
  return named.job;
}

base::Result<std::vector<std::string>> SubmissionStore::jobs() const {
  ASSAY_TRY_ASSIGN(const std::vector<int> known, numbers(kJob));
  std::vector<std::string> jobs;
  for (const int number : known) {
    jobs.push_back(fmt::format("{}-{}-{}", campaign_, kJob, number));
  }
  return jobs;
}

base::Result<std::optional<Submission>> SubmissionStore::find(const std::string& job) const {
  ASSAY_TRY_ASSIGN(const auto text, read(kJob, job));
  if (!text) {
    return std::optional<Submission>();
  }
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(*text, job));
  ASSAY_TRY_ASSIGN(Submission submission,
                   task::as_result(task::decode_whole(json, task::Coercion::strict, read_submission), job));
  return std::optional(std::move(submission));
}

base::Result<std::string> SubmissionStore::add_hypothesis(const StatedClaim& hypothesis) const {
  ASSAY_TRY_ASSIGN(const os::FileLock lock, lock_folder(folder_));
  ASSAY_TRY_ASSIGN(const std::vector<int> known, numbers(kHypothesis));
  const int number = known.empty() ? 1 : known.back() + 1;
  base::Json json = encode_claim(hypothesis.claim);
  add_stated(hypothesis.stated, json);
  ASSAY_TRY(os::write_file_atomic(folder_ / fmt::format("{}-{}{}", kHypothesis, number, kSuffix),
                                  base::dump_compact(json), os::Durability::power));
  return fmt::format("{}-{}-{}", campaign_, kHypothesis, number);
}

base::Result<std::optional<StatedClaim>> SubmissionStore::find_hypothesis(const std::string& id) const {
  ASSAY_TRY_ASSIGN(const auto text, read(kHypothesis, id));
  if (!text) {
    return std::optional<StatedClaim>();
  }
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(*text, id));
  ASSAY_TRY_ASSIGN(StatedClaim hypothesis,
                   task::as_result(task::decode_whole(json, task::Coercion::strict, read_stated_claim), id));
  return std::optional(std::move(hypothesis));
}

}  // namespace assay::service
