#include <assay/foreign/flashinfer_traces.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <assay/base/text.hpp>
#include <assay/foreign/record_reader.hpp>
#include <assay/task/codec.hpp>

namespace assay::foreign {
namespace {

// Regular files below a folder, sorted; none if there is no such folder. Links are not followed.
base::Result<std::vector<os::Path>> files_below(const os::Path& folder, std::string_view extension) {
  std::vector<os::Path> found;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return found;
  }
  std::filesystem::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::recursive_directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored) && entries->path().extension() == extension) {
      found.push_back(entries->path());
    }
  }
  if (error) {
    return base::system_error("foreign.folder", folder.string(), error.value());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

base::Result<void> parse_flashinfer_traces(std::string_view text, const std::string& source, FlashinferResults& into) {
  return for_each_record(text, source, [&](const base::Json& json, const std::string& place) -> base::Result<void> {
    // FlashInfer's own dialect differs in what a workload may say; a trace that neither reads is refused in words of the
    // first.
    task::Decoded<task::Trace> decoded = task::decode_trace(json);
    if (!decoded.value) {
      task::Decoded<task::Trace> other = task::decode_trace(json, task::Dialect::flashinfer);
      if (!other.value) {
        return tl::unexpected(task::problems_error(place, decoded.problems));
      }
      decoded = std::move(other);
    }
    if (decoded.value->evaluation && decoded.value->solution) {
      into.traces.push_back(*std::move(decoded.value));
      into.places.push_back(place);
    }
    return {};
  });
}

base::Result<FlashinferResults> read_flashinfer_results(const os::Path& path) {
  FlashinferResults results;
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  std::vector<os::Path> trace_files = {path};
  std::vector<os::Path> solution_files;
  if (folder) {
    ASSAY_TRY_ASSIGN(trace_files, files_below(path / "traces", ".jsonl"));
    ASSAY_TRY_ASSIGN(solution_files, files_below(path / "solutions", ".json"));
  }
  const auto name_of = [&](const os::Path& file) {
    return folder ? file.lexically_relative(path).generic_string() : file.filename().string();
  };
  for (const os::Path& file : trace_files) {
    ASSAY_TRY_ASSIGN(std::string text, os::read_file(file));
    ASSAY_TRY(parse_flashinfer_traces(text, file.string(), results));
    results.files.push_back({name_of(file), std::move(text)});
  }
  std::set<std::pair<std::string, std::string>> names;
  for (const os::Path& file : solution_files) {
    ASSAY_TRY_ASSIGN(std::string text, os::read_file(file));
    ASSAY_TRY_ASSIGN(task::Solution solution, task::load_solution(text, file.string()));
    if (!names.emplace(solution.definition, solution.name).second) {
      return base::input_error("foreign.duplicate",
                               fmt::format("{}: /name: there is another solution \"{}\" for this definition: remove "
                                           "one of them",
                                           file.string(), base::printable(solution.name)));
    }
    results.solutions.push_back(std::move(solution));
    results.files.push_back({name_of(file), std::move(text)});
  }
  if (results.traces.empty()) {
    return base::input_error("foreign.empty",
                             fmt::format("{}: no trace with an evaluation was found: name a trace file, or a folder "
                                         "with traces/",
                                         path.string()));
  }
  return results;
}

}  // namespace assay::foreign
