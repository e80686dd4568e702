#include <assay/build/cache_entry.hpp>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/task/record_codec.hpp>

namespace assay::build {

namespace {

// A cache entry's files; the format is private to this file, and an entry of another version is built again.
constexpr int kEntryVersion = 4;
constexpr const char* kRecordFile = "record.json";
constexpr const char* kObjectFile = "object.so";  // A cubin too.
constexpr const char* kLogFile = "build.log";

base::Result<std::vector<task::KernelResources>> read_kernels(const base::Json& json) {
  const auto read = [](const task::Node& node) {
    std::vector<task::KernelResources> kernels;
    for (const task::Node& kernel : node.items()) {
      kernels.push_back(task::read_kernel(kernel));
    }
    return kernels;
  };
  return task::as_result(task::decode_whole(json, task::Coercion::strict, read), kRecordFile);
}

}  // namespace

std::optional<BuildResult> load_entry(const os::Path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kRecordFile, ignored)) {
    return std::nullopt;
  }
  const base::Result<std::string> text = os::read_file(folder / kRecordFile);
  base::Result<std::string> log = os::read_file(folder / kLogFile);
  if (!text || !log) {
    return std::nullopt;
  }
  const base::Result<base::Json> json = base::parse_json(*text, kRecordFile);
  if (!json || !json->is_object() || json->value("version", 0) != kEntryVersion) {
    return std::nullopt;
  }
  BuildResult result;
  try {
    result.record.built = json->at("built").get<bool>();
    result.record.toolchain = json->at("toolchain").get<std::string>();
    result.record.command = json->at("command").get<std::vector<std::string>>();
    result.record.object_sha256 = json->at("object_sha256").get<std::string>();
    base::Result<std::vector<task::KernelResources>> kernels = read_kernels(json->at("kernels"));
    if (!kernels) {
      return std::nullopt;
    }
    result.record.kernels = std::move(*kernels);
    result.record.log_bytes_cut = json->at("log_bytes_cut").get<std::uint64_t>();
    const base::Json& code = json->at("code");
    result.record.code = {code.at("ptx").get<std::string>(), code.at("sass").get<std::string>(),
                          code.at("machine_code").get<std::string>()};
  } catch (const base::Json::exception&) {
    return std::nullopt;
  }
  result.record.from_cache = true;
  result.log = std::move(*log);
  if (result.record.built) {
    base::Result<std::string> object = os::read_file(folder / kObjectFile);
    if (!object || base::sha256(*object).hex() != result.record.object_sha256) {
      return std::nullopt;
    }
    result.object = std::move(*object);
  }
  return result;
}

base::Result<void> store_entry(const os::Path& folder, const BuildResult& result) {
  base::Json json;
  json["version"] = kEntryVersion;
  json["built"] = result.record.built;
  json["toolchain"] = result.record.toolchain;
  json["command"] = result.record.command;
  json["object_sha256"] = result.record.object_sha256;
  json["log_bytes_cut"] = result.record.log_bytes_cut;
  json["kernels"] = base::Json::array();
  for (const task::KernelResources& kernel : result.record.kernels) {
    json["kernels"].push_back(task::encode_kernel(kernel));
  }

  const task::BuiltCode& code = result.record.code;
  json["code"] = {{"ptx", code.ptx}, {"sass", code.sass}, {"machine_code", code.machine_code}};

  ASSAY_TRY(os::create_directories(folder.parent_path()));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory draft, os::TemporaryDirectory::create(folder.parent_path(), "draft-"));
  const os::Path inner = draft.path() / "entry";
  ASSAY_TRY(os::create_directories(inner));
  ASSAY_TRY(os::write_file_atomic(inner / kLogFile, result.log));
  if (result.record.built) {
    ASSAY_TRY(os::write_file_atomic(inner / kObjectFile, result.object));
  }
  ASSAY_TRY(os::write_file_atomic(inner / kRecordFile, base::dump_pretty(json)));
  if (!load_entry(folder)) {
    ASSAY_TRY(os::remove_tree(folder));
    if (const base::Result<void> renamed = os::rename_path(inner, folder); !renamed && !load_entry(folder)) {
      return renamed;
    }
  }
  return {};
}

}  // namespace assay::build
