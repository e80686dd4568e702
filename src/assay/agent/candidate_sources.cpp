#include <assay/agent/candidate_sources.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/agent/working_folder.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/source_kind.hpp>
#include <assay/task/source_path.hpp>

namespace assay::agent {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) ||
         std::string_view("_.-+/").find(c) != std::string_view::npos;
}

// What is written as JSON and read back is the same only if it is UTF-8; journals, requests and the archive need that.
bool is_utf8(const std::string& text) {
  const auto read = base::parse_json(base::dump_compact(base::Json(text)), "source");
  return read && read->is_string() && read->get_ref<const std::string&>() == text;
}

// A cubin has no linker behind it: a device-only candidate is one source, all of it for the device.
std::string device_only_fault(const std::vector<task::SourceFile>& sources, const task::Solution& origin) {
  if (task::tier_of(origin) != task::Tier::device_only) {
    return {};
  }
  int translated = 0;
  bool all_cuda = true;
  for (const task::SourceFile& source : sources) {
    const auto kind = task::source_kind(source.path, origin.spec.language);
    if (kind && *kind != task::SourceKind::header) {
      ++translated;
      all_cuda = all_cuda && *kind == task::SourceKind::cuda;
    }
  }
  return translated == 1 && all_cuda
             ? std::string()
             : std::string("a device-only candidate has one source to translate, a .cu file, and headers");
}

}  // namespace

bool is_candidate_source(std::string_view path, const task::Solution& origin) {
  const bool is_origins = std::any_of(origin.sources.begin(), origin.sources.end(),
                                      [&](const task::SourceFile& one) { return one.path == path; });
  if (is_origins || path == origin.entry_file()) {
    return true;
  }
  return !path.starts_with('-') && std::all_of(path.begin(), path.end(), is_plain) &&
         task::source_kind(path, origin.spec.language).has_value();
}

std::string candidate_fault(const std::vector<task::SourceFile>& sources, const task::Solution& origin) {
  const std::string entry = origin.entry_file();
  std::uint64_t bytes = 0;
  std::set<std::string> paths;
  for (const task::SourceFile& source : sources) {
    const std::string shown = base::printable(source.path);
    if (const auto fault = task::source_path_fault(source.path)) {
      return fmt::format("\"{}\": {}", shown, *fault);
    }
    const std::string path = task::normalise_source_path(source.path);
    if (!paths.insert(path).second) {
      return fmt::format("\"{}\" is there twice: give each file once", shown);
    }
    if (!is_candidate_source(path, origin)) {
      return fmt::format("\"{}\": a source is named by letters, digits and _ . - + / and ends in one of {}", shown,
                         task::source_endings(origin.spec.language));
    }
    if (!is_utf8(source.content)) {
      return fmt::format("\"{}\" is not UTF-8: write it as text", shown);
    }
    bytes += source.content.size();
  }
  if (sources.size() > kMostSources || bytes > kMostSourceBytes) {
    return fmt::format("more than {} files or {}: a candidate must be smaller", kMostSources,
                       base::human_bytes(kMostSourceBytes));
  }
  if (!paths.contains(entry)) {
    return fmt::format("there is no file \"{}\", which holds the entry point: give it that path",
                       base::printable(entry));
  }
  return device_only_fault(sources, origin);
}

}  // namespace assay::agent
