#include <assay/evaluate/bundle_writer.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/base/digest.hpp>
#include <assay/base/json.hpp>
#include <assay/task/bundle.hpp>

namespace assay::evaluate {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

base::Result<void> write_files(const os::Path& bundle, const Files& files) {
  std::error_code ignored;
  if (std::filesystem::exists(bundle, ignored)) {
    return base::input_error("bundle.exists",
                             fmt::format("{} exists: remove it or name another bundle", bundle.string()));
  }
  const os::Path parent = bundle.has_parent_path() ? bundle.parent_path() : os::Path(".");
  ASSAY_TRY(os::create_directories(parent));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory draft, os::TemporaryDirectory::create(parent, "bundle-"));
  const os::Path inner = draft.path() / "bundle";
  ASSAY_TRY(os::create_directories(inner));
  base::Json manifest;
  manifest["version"] = task::kBundleVersion;
  manifest["files"] = base::Json::object();
  for (const auto& [name, content] : files) {
    ASSAY_TRY(os::write_file_atomic(inner / name, content, os::Durability::power));
    manifest["files"][name] = {{"sha256", base::sha256(content).hex()}, {"bytes", content.size()}};
  }
  ASSAY_TRY(os::write_file_atomic(inner / task::kManifestFile, base::dump_pretty(manifest), os::Durability::power));
  ASSAY_TRY(os::sync_path(inner));
  ASSAY_TRY(os::rename_path(inner, bundle));
  return os::sync_path(parent);
}

std::string file(const base::Json& json) { return base::dump_pretty(json) + "\n"; }

}  // namespace

base::Result<void> write_bundle(const os::Path& bundle, const task::EvaluationRequest& request, const Judged& judged) {
  Files files = {{std::string(task::kRequestFile), file(task::encode(request))},
                 {std::string(task::kEvaluationFile), file(task::encode(judged.evaluation))},
                 {std::string(task::kSamplesFile), base::dump_compact(task::encode(judged.samples)) + "\n"}};
  files.insert(files.end(), judged.logs.begin(), judged.logs.end());
  return write_files(bundle, files);
}

base::Result<void> write_error_bundle(const os::Path& bundle, const task::EvaluationRequest& request,
                                      const base::Error& error) {
  base::Json json;
  json["version"] = task::kBundleVersion;
  json["owner"] = base::to_string(error.owner);
  json["code"] = error.code;
  json["message"] = error.message;
  json["context"] = error.context;
  return write_files(bundle, {{std::string(task::kRequestFile), file(task::encode(request))},
                              {std::string(task::kErrorFile), file(json)}});
}

}  // namespace assay::evaluate
