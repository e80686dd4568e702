#include <assay/evaluate/bundle_writer.hpp>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/evaluate/bundle_draft.hpp>
#include <assay/task/bundle.hpp>

namespace assay::evaluate {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

base::Result<void> write_files(const os::Path& bundle, const Files& files) {
  ASSAY_TRY_ASSIGN(BundleDraft draft, BundleDraft::create(bundle));
  for (const auto& [name, content] : files) {
    ASSAY_TRY(draft.add(name, content));
  }
  return draft.finish();
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
