#include <assay/service/import.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/foreign/failure.hpp>
#include <assay/foreign/flashinfer_traces.hpp>
#include <assay/foreign/trace_archive.hpp>

namespace assay::service {
namespace {

// "." and a trailing slash name a folder too.
std::string name_of(const os::Path& path) {
  std::error_code error;
  const os::Path whole = std::filesystem::absolute(path, error).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

base::Result<archive::NewImport> from_optimisation_traces(const os::Path& folder) {
  ASSAY_TRY_ASSIGN(const foreign::TraceArchive traces, foreign::read_trace_archive(folder));
  archive::NewImport import;
  import.kind = "optimisation_traces";
  for (const auto& [name, digest] : traces.files) {
    ASSAY_TRY_ASSIGN(std::string content, os::read_file(folder / name));
    if (base::sha256(content) != digest) {
      return base::environment_error("import.changed",
                                     (folder / name).string() + " changed while it was read: try again");
    }
    import.files.emplace_back(name, std::move(content));
  }
  for (const foreign::Evaluation& evaluation : traces.evaluations) {
    archive::ForeignResult result;
    result.id = evaluation.id + "@" + evaluation.trace;  // Ids are unique within a trace.
    result.definition = evaluation.trace;
    result.solution = evaluation.solution.value_or("");
    result.source = evaluation.source;
    const foreign::Failure failure = foreign::failure_of(evaluation);
    result.outcome = failure == foreign::Failure::none ? "measured" : foreign::to_string(failure);
    result.latency_ms = evaluation.latency_ms;
    result.reference_latency_ms = evaluation.reference_latency_ms;
    result.time = evaluation.time.value_or("");
    import.results.push_back(std::move(result));
  }
  return import;
}

// "PASSED" is a measurement; the other words of the schema are kept in lower case.
std::string outcome_of(task::TraceStatus status) {
  return status == task::TraceStatus::passed ? "measured" : base::lower(task::to_string(status));
}

base::Result<archive::NewImport> from_flashinfer(const os::Path& path) {
  ASSAY_TRY_ASSIGN(foreign::FlashinferResults found, foreign::read_flashinfer_results(path));
  archive::NewImport import;
  import.kind = "flashinfer_traces";
  std::map<std::pair<std::string, std::string>, base::Digest> candidates;
  for (const task::Solution& solution : found.solutions) {
    candidates.emplace(std::pair(solution.definition, solution.name), task::identify(solution).content);
  }
  std::map<std::string, int> repeats;
  for (const task::Trace& trace : found.traces) {
    archive::ForeignResult result;
    result.definition = trace.definition;
    result.solution = *trace.solution;
    result.workload = trace.workload.uuid;
    result.id = result.solution + "/" + result.workload + "@" + trace.definition;
    if (const int repeat = ++repeats[result.id]; repeat > 1) {  // The same solution and workload, measured again.
      result.id += "/" + std::to_string(repeat);
    }
    const auto candidate = candidates.find({trace.definition, result.solution});
    if (candidate != candidates.end()) {
      result.candidate = candidate->second;
    }
    result.outcome = outcome_of(trace.evaluation->status);
    if (trace.evaluation->performance) {
      result.latency_ms = trace.evaluation->performance->latency_ms;
      result.reference_latency_ms = trace.evaluation->performance->reference_latency_ms;
    }
    result.time = trace.evaluation->timestamp;
    import.results.push_back(std::move(result));
  }
  for (foreign::SourceText& file : found.files) {
    import.files.emplace_back(std::move(file.name), std::move(file.content));
  }
  import.solutions = std::move(found.solutions);
  return import;
}

}  // namespace

base::Result<archive::Import> import_results(const Context& context, const os::Path& path) {
  std::error_code error;
  const bool traces = std::filesystem::exists(path / "evaluations.jsonl", error);
  ASSAY_TRY_ASSIGN(archive::NewImport import, traces ? from_optimisation_traces(path) : from_flashinfer(path));
  import.name = name_of(path);
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  return archive.record_import(import);
}

base::Json encode(const archive::Import& import) {
  return {{"import", import.digest.hex()}, {"kind", import.kind},       {"name", import.name},
          {"imported", import.imported},   {"results", import.results}, {"candidates", import.candidates},
          {"fresh", import.fresh}};
}

base::Result<std::vector<archive::ForeignResult>> imported_results(const Context& context, const std::string& prefix) {
  ASSAY_TRY_ASSIGN(const archive::Archive archive, archive::Archive::open_reader(context.places.archive));
  return archive.foreign_results(prefix);
}

base::Json encode(const std::vector<archive::ForeignResult>& results) {
  const auto number = [](const std::optional<double>& value) { return value ? base::Json(*value) : base::Json(); };
  const auto digest = [](const std::optional<base::Digest>& value) {
    return value ? base::Json(value->hex()) : base::Json();
  };
  base::Json json = base::Json::array();
  for (const archive::ForeignResult& result : results) {
    json.push_back({{"id", result.id},
                    {"import", result.origin},
                    {"definition", result.definition},
                    {"solution", result.solution},
                    {"candidate", digest(result.candidate)},
                    {"source", digest(result.source)},
                    {"outcome", result.outcome},
                    {"latency_ms", number(result.latency_ms)},
                    {"reference_latency_ms", number(result.reference_latency_ms)},
                    {"workload", result.workload.empty() ? base::Json() : base::Json(result.workload)},
                    {"time", result.time.empty() ? base::Json() : base::Json(result.time)}});
  }
  return json;
}

}  // namespace assay::service
