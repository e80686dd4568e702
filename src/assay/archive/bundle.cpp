#include <assay/archive/bundle.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include <assay/base/json.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>

namespace assay::archive {
namespace {

using base::Json;

tl::unexpected<base::Error> damaged(std::string_view source, const std::string& what) {
  return base::environment_error(
      "bundle.damaged",
      fmt::format("{}: {}; the result is damaged: move the folder away and evaluate again", source, what));
}

bool stays_inside(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

base::Result<ManifestEntry> decode_entry(const std::string& name, const Json& json, std::string_view source) {
  const std::string pointer = "/files/" + base::pointer_token(name);
  if (!stays_inside(name) || name == task::kManifestFile) {
    return damaged(source, fmt::format("{}: \"{}\" cannot be the name of a bundle's file", pointer, name));
  }
  if (!json.is_object() || json.size() != 2 || !json.contains("sha256") || !json.contains("bytes") ||
      !json["sha256"].is_string() || !json["bytes"].is_number_unsigned()) {
    return damaged(source, pointer + ": must be {\"sha256\": text, \"bytes\": whole number}");
  }
  const auto digest = base::Digest::parse(json["sha256"].get<std::string>());
  if (!digest) {
    return damaged(source, pointer + "/sha256: " + digest.error().text());
  }
  return ManifestEntry{name, *digest, json["bytes"].get<std::uint64_t>()};
}

base::Result<std::string> read_regular(const os::Path& file, std::string_view source) {
  std::error_code error;
  if (std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::regular) {
    return damaged(source, file.filename().string() + " is not a regular file");
  }
  return os::read_file(file);
}

base::Result<Json> parse_file(const Bundle& bundle, std::string_view name) {
  const BundleFile* file = bundle.find(name);
  if (file == nullptr) {
    return damaged(bundle.source, fmt::format("{} is missing", name));
  }
  return base::parse_json(file->content, bundle.source + "/" + std::string(name));
}

// A bundle is written by one program that we trust: what contradicts itself is a bug, not bad input.
base::Result<void> agree(bool holds, const Bundle& bundle, const std::string& what) {
  if (holds) {
    return {};
  }
  return base::internal_error(
      "bundle.inconsistent",
      fmt::format("{}: evaluation.json does not answer request.json: {} differs; keep the folder and report this",
                  bundle.source, what));
}

}  // namespace

base::Result<std::vector<ManifestEntry>> decode_manifest(const std::string& text, std::string_view source) {
  const auto json = base::parse_json(text, source);
  if (!json) {
    return damaged(source, json.error().text());
  }
  if (!json->is_object() || !json->contains("version") || !(*json)["version"].is_number_integer()) {
    return damaged(source, "/version: must be a whole number");
  }
  const auto version = (*json)["version"].get<std::int64_t>();
  if (version != task::kBundleVersion) {
    return base::input_error("bundle.version",
                             fmt::format("{}: /version: the bundle is of version {}; this Assay knows {}: use an assay "
                                         "and an assay-judge of the same build",
                                         source, version, task::kBundleVersion));
  }
  if (json->size() != 2 || !json->contains("files") || !(*json)["files"].is_object()) {
    return damaged(source, "must have exactly the fields version and files");
  }
  std::vector<ManifestEntry> entries;
  for (const auto& [name, entry] : (*json)["files"].items()) {
    ASSAY_TRY_ASSIGN(entries.emplace_back(), decode_entry(name, entry, source));
  }
  return entries;
}

const BundleFile* Bundle::find(std::string_view name) const {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const BundleFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

base::Digest Bundle::digest() const {
  const BundleFile* manifest = find(task::kManifestFile);
  ASSAY_CHECK(manifest != nullptr);
  return manifest->digest;
}

base::Result<Bundle> read_bundle(const os::Path& folder) {
  Bundle bundle;
  bundle.source = folder.string();
  ASSAY_TRY_ASSIGN(const std::vector<std::string> present, os::list_directory(folder));
  std::set<std::string> unclaimed(present.begin(), present.end());
  const std::string manifest_name(task::kManifestFile);
  if (unclaimed.erase(manifest_name) == 0) {
    return damaged(bundle.source, "manifest.json is missing");
  }
  ASSAY_TRY_ASSIGN(std::string manifest, read_regular(folder / manifest_name, bundle.source));
  ASSAY_TRY_ASSIGN(const auto entries, decode_manifest(manifest, bundle.source + "/" + manifest_name));
  const base::Digest manifest_digest = base::sha256(manifest);
  bundle.files.push_back({manifest_name, std::move(manifest), manifest_digest});
  for (const ManifestEntry& entry : entries) {
    if (unclaimed.erase(entry.name) == 0) {
      return damaged(bundle.source, fmt::format("{} is named by the manifest and missing", entry.name));
    }
    ASSAY_TRY_ASSIGN(std::string content, read_regular(folder / entry.name, bundle.source));
    if (content.size() != entry.bytes) {
      return damaged(bundle.source,
                     fmt::format("{} has {} bytes and the manifest says {}", entry.name, content.size(), entry.bytes));
    }
    if (base::sha256(content) != entry.digest) {
      return damaged(bundle.source, fmt::format("{} does not have the sha256 that the manifest says", entry.name));
    }
    bundle.files.push_back({entry.name, std::move(content), entry.digest});
  }
  if (!unclaimed.empty()) {
    return damaged(bundle.source, fmt::format("{} is not named by the manifest", *unclaimed.begin()));
  }
  return bundle;
}

base::Result<BundleContents> decode_contents(const Bundle& bundle) {
  const auto source = [&](std::string_view name) { return bundle.source + "/" + std::string(name); };
  BundleContents contents;
  ASSAY_TRY_ASSIGN(const Json request, parse_file(bundle, task::kRequestFile));
  ASSAY_TRY_ASSIGN(contents.request, task::decode_request(request, source(task::kRequestFile)));
  ASSAY_TRY_ASSIGN(const Json evaluation, parse_file(bundle, task::kEvaluationFile));
  ASSAY_TRY_ASSIGN(contents.evaluation, task::decode_evaluation(evaluation, source(task::kEvaluationFile)));
  // Decoded only to refuse what could not be read back later.
  ASSAY_TRY_ASSIGN(const Json samples, parse_file(bundle, task::kSamplesFile));
  ASSAY_TRY(task::decode_samples(samples, source(task::kSamplesFile)));

  const task::EvaluationRequest& asked = contents.request;
  const task::Evaluation& answer = contents.evaluation;
  ASSAY_TRY(agree(asked.id == answer.id, bundle, "the id"));
  ASSAY_TRY(agree(asked.stage == answer.stage, bundle, "the stage"));
  ASSAY_TRY(agree(asked.device == answer.device, bundle, "the device"));
  ASSAY_TRY(agree(task::identify(asked.candidate) == answer.candidate, bundle, "the candidate's digest"));
  ASSAY_TRY(agree(asked.incumbent.has_value() == answer.incumbent.has_value(), bundle, "the incumbent's presence"));
  if (asked.incumbent) {
    ASSAY_TRY(agree(task::identify(*asked.incumbent) == *answer.incumbent, bundle, "the incumbent's digest"));
  }
  return contents;
}

base::Result<std::optional<base::Error>> judge_error(const Bundle& bundle) {
  const BundleFile* file = bundle.find(task::kErrorFile);
  if (file == nullptr) {
    return std::nullopt;
  }
  if (bundle.find(task::kEvaluationFile) != nullptr) {
    return damaged(bundle.source, "there are both error.json and evaluation.json");
  }
  const auto json = base::parse_json(file->content, bundle.source + "/error.json");
  if (!json) {
    return damaged(bundle.source, json.error().text());
  }
  base::Error error;
  const auto text = [&](const char* key, std::string& target) {
    const bool good = json->is_object() && json->contains(key) && (*json)[key].is_string();
    if (good) {
      target = (*json)[key].get<std::string>();
    }
    return good;
  };
  std::string owner;
  if (!text("owner", owner) || !text("code", error.code) || !text("message", error.message)) {
    return damaged(bundle.source, "error.json must have the texts owner, code and message");
  }
  const auto owners = {base::Owner::input, base::Owner::environment, base::Owner::internal};
  const auto* const found =
      std::find_if(owners.begin(), owners.end(), [&](base::Owner known) { return base::to_string(known) == owner; });
  if (found == owners.end()) {
    return damaged(bundle.source, fmt::format("error.json: /owner: \"{}\" is not known", owner));
  }
  error.owner = *found;
  for (const Json& line : json->value("context", Json::array())) {
    if (line.is_string()) {
      error.context.push_back(line.get<std::string>());
    }
  }
  return error;
}

base::Result<void> refuse_judge_error(const os::Path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / task::kErrorFile, ignored)) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const Bundle failed, read_bundle(folder));
  ASSAY_TRY_ASSIGN(auto error, judge_error(failed));
  ASSAY_CHECK(error.has_value());
  return tl::unexpected(std::move(*error));
}

}  // namespace assay::archive
