#include <assay/control/recorded_evaluator.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/task/bundle.hpp>

namespace assay::control {

base::Result<os::Path> RecordedEvaluator::evaluate(const task::EvaluationRequest& request) {
  const auto end = recorded_.ends.find(request.id);
  if (end == recorded_.ends.end()) {
    return base::input_error(
        kBeyondTheRecord, fmt::format("evaluation {} would be made now, and the journal has no end of it", request.id));
  }
  // Between an intent and its end there may be what came from outside, when the controller was not there.
  const auto is_first = [&](std::int64_t from) {
    const auto& entries = recorded_.entries;
    const auto begin =
        entries.begin() + static_cast<std::ptrdiff_t>(std::min(static_cast<std::size_t>(from), entries.size()));
    const auto next = std::find_if(begin, entries.end(), [](const std::optional<Entry>& one) {
      return !one || !std::holds_alternative<EvaluationIntended>(*one);
    });
    return next == entries.end() || !*next || !is_from_outside(**next, false);
  };
  if (!is_first(sequence_)) {
    return base::input_error(kOutsideFirst, "something from outside was written first");
  }
  const RecordedEnd& recorded = end->second;
  if (!recorded.has_result()) {  // How an attempt fails, the machine decides.
    return base::input_error(kOutsideFirst, "the attempt failed");
  }
  lap_ = recorded.spent && !simulated_seed(recorded_.configuration.device)
             ? std::optional<std::chrono::nanoseconds>(std::chrono::milliseconds((*recorded.spent)[Resource::wall_ms]))
             : std::nullopt;
  if (request.seed) {  // Only on a simulated device; else the judge drew it.
    ASSAY_TRY_ASSIGN(const task::EvaluationRequest asked, archive_.request(request.id));
    if (asked.seed != request.seed) {
      return base::internal_error("replay.seed", fmt::format("evaluation {} was asked for with the seed {}, and its "
                                                             "campaign's is {}",
                                                             request.id, asked.seed.value_or(0), *request.seed));
    }
  }
  auto folder = put_bundle(archive_, request.id, spool_);
  // Damage is no failure of an attempt, which would be tried again.
  return folder ? std::move(folder) : base::input_error("replay.evidence", folder.error().text());
}

base::Result<os::Path> put_bundle(const archive::Archive& archive, const std::string& id, const os::Path& spool) {
  const os::Path folder = spool / id;
  ASSAY_TRY(os::create_directories(folder));
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, archive.bundle_files(id));
  for (const std::string& name : names) {
    ASSAY_TRY_ASSIGN(const std::string content, archive.bundle_file(id, name));
    ASSAY_TRY(os::write_file_atomic(folder / name, content));
  }
  return folder;
}

base::Result<void> put_files(const os::Path& folder, const std::vector<std::pair<std::string, std::string>>& files) {
  ASSAY_TRY(os::create_directories(folder));
  base::Json manifest = {{"version", task::kBundleVersion}, {"files", base::Json::object()}};
  for (const auto& [name, content] : files) {
    ASSAY_TRY(os::write_file_atomic(folder / name, content));
    manifest["files"][name] = {{"sha256", base::sha256(content).hex()}, {"bytes", content.size()}};
  }
  return os::write_file_atomic(folder / task::kManifestFile, base::dump_pretty(manifest) + "\n");
}

}  // namespace assay::control
