#include <assay/dataset/workload_file.hpp>

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>

namespace assay::dataset {
namespace {

base::Result<task::Workload> read_line(const std::string& line, const std::string& source,
                                       const task::Definition& definition) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(line, source));
  task::Decoded<task::Trace> decoded = task::decode_trace(json);
  if (!decoded.value) {
    return tl::unexpected(task::problems_error(source, decoded.problems));
  }
  task::Trace& trace = *decoded.value;
  if (trace.definition != definition.name) {
    return base::input_error(
        "dataset.name", fmt::format("{}: /definition: is \"{}\", but the file's place says \"{}\": make them equal",
                                    source, base::printable(trace.definition), definition.name));
  }
  if (trace.solution || trace.evaluation) {
    return base::input_error("dataset.not_a_workload",
                             fmt::format("{}: {}: is the trace of a result: keep it under traces/", source,
                                         trace.solution ? "/solution" : "/evaluation"));
  }
  ASSAY_TRY(base::with_context(task::check_workload(definition, trace.workload), "in " + source));
  return std::move(trace.workload);
}

}  // namespace

base::Result<WorkloadFile> read_workload_file(const os::Path& path, const task::Definition& definition) {
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(path));
  WorkloadFile file;
  std::map<std::string, std::size_t> lines;
  std::size_t number = 0;
  for (const std::string& line : base::split(text, '\n')) {
    ++number;
    if (base::trim(line).empty()) {
      continue;
    }
    base::Result<task::Workload> workload = read_line(line, fmt::format("{}:{}", path.string(), number), definition);
    if (!workload) {
      file.problems.push_back(std::move(workload.error()));
      continue;
    }
    const auto [earlier, added] = lines.emplace(workload->uuid, number);
    if (!added) {
      file.problems.push_back({base::Owner::input,
                               "dataset.duplicate",
                               fmt::format("{0}:{1}: /workload/uuid: \"{2}\" is that of {0}:{3} too: remove one line",
                                           path.string(), number, base::printable(workload->uuid), earlier->second),
                               {}});
      continue;
    }
    file.workloads.push_back({std::move(*workload), number, LengthsSource::none});
  }
  if (file.workloads.empty() && file.problems.empty()) {
    file.problems.push_back({base::Owner::input,
                             "dataset.no_workloads",
                             fmt::format("{} holds no workloads: add one a line", path.string()),
                             {}});
  }
  return file;
}

}  // namespace assay::dataset
