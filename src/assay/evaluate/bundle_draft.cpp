#include <assay/evaluate/bundle_draft.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/task/bundle.hpp>

namespace assay::evaluate {

base::Result<BundleDraft> BundleDraft::create(const os::Path& bundle) {
  std::error_code ignored;
  if (std::filesystem::exists(bundle, ignored)) {
    return base::input_error("bundle.exists",
                             fmt::format("{} exists: remove it or name another bundle", bundle.string()));
  }
  const os::Path parent = bundle.has_parent_path() ? bundle.parent_path() : os::Path(".");
  ASSAY_TRY(os::create_directories(parent));
  ASSAY_TRY_ASSIGN(os::TemporaryDirectory draft, os::TemporaryDirectory::create(parent, "bundle-"));
  ASSAY_TRY(os::create_directories(draft.path() / "bundle"));
  return BundleDraft(bundle, parent, std::move(draft));
}

base::Result<void> BundleDraft::add(const std::string& name, std::string_view content) {
  ASSAY_TRY(os::write_file_atomic(path(name), content, os::Durability::power));
  record(name, base::sha256(content), content.size());
  return {};
}

void BundleDraft::record(const std::string& name, const base::Digest& digest, std::uint64_t bytes) {
  files_.emplace_back(name, Recorded{digest, bytes});
}

base::Result<void> BundleDraft::finish() {
  base::Json manifest;
  manifest["version"] = task::kBundleVersion;
  manifest["files"] = base::Json::object();
  for (const auto& [name, recorded] : files_) {
    manifest["files"][name] = {{"sha256", recorded.digest.hex()}, {"bytes", recorded.bytes}};
  }
  const os::Path inner = draft_.path() / "bundle";
  ASSAY_TRY(os::write_file_atomic(inner / task::kManifestFile, base::dump_pretty(manifest), os::Durability::power));
  ASSAY_TRY(os::sync_path(inner));
  ASSAY_TRY(os::rename_path(inner, bundle_));
  return os::sync_path(parent_);
}

}  // namespace assay::evaluate
