#include <assay/dataset/dataset.hpp>

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/codec.hpp>

namespace assay::dataset {

namespace {

using os::Path;

// Lists what lies in a folder, or nothing if there is no such folder.
base::Result<std::vector<Path>> children(const Path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return std::vector<Path>{};
  }
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(folder));
  std::vector<Path> paths;
  for (const std::string& name : names) {
    if (!name.starts_with('.')) {
      paths.push_back(folder / name);
    }
  }
  return paths;
}

// Lists the files with an extension that lie exactly `levels` folders below `folder`.
base::Result<std::vector<Path>> files_below(const Path& folder, int levels, std::string_view extension) {
  std::vector<Path> files;
  ASSAY_TRY_ASSIGN(const std::vector<Path> paths, children(folder));
  for (const Path& path : paths) {
    if (levels > 0) {
      ASSAY_TRY_ASSIGN(const std::vector<Path> deeper, files_below(path, levels - 1, extension));
      files.insert(files.end(), deeper.begin(), deeper.end());
    } else if (path.extension() == extension) {
      files.push_back(path);
    }
  }
  return files;
}

tl::unexpected<base::Error> claimed_twice(std::string_view what, const std::string& name, const Path& first,
                                          const Path& second) {
  return base::input_error("dataset.duplicate",
                           fmt::format("{} \"{}\" is in two files, {} and {}: rename or remove one", what, name,
                                       first.string(), second.string()));
}

template <class Files>
std::vector<std::string> keys(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [name, file] : files) {
    names.push_back(name);
  }
  return names;
}

// `have` tells where the thing belongs, if nothing has a name near the one that was asked for.
template <class Files>
tl::unexpected<base::Error> unknown(std::string_view what, std::string_view name, const Files& files, const Path& root,
                                    const std::string& place) {
  const std::string near = base::nearest(name, keys(files));
  const std::string remedy = near.empty() ? fmt::format("add {}", place) : fmt::format("did you mean \"{}\"?", near);
  return base::input_error("dataset.unknown",
                           fmt::format("{} has no {} \"{}\": {}", root.string(), what, name, remedy));
}

tl::unexpected<base::Error> wrong_name(const Path& path, std::string_view pointer, const std::string& given,
                                       std::string_view wanted) {
  return base::input_error(
      "dataset.name", fmt::format("{}: {}: is \"{}\", but the file's place says \"{}\": make them equal", path.string(),
                                  pointer, given, wanted));
}

// Reads one line of a workloads file.
base::Result<task::Workload> read_workload(const std::string& line, const std::string& source,
                                           const task::Definition& definition) {
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(line, source));
  task::Decoded<task::Trace> decoded = task::decode_trace(json);
  if (!decoded.value) {
    return tl::unexpected(task::problems_error(source, decoded.problems));
  }
  task::Trace& trace = *decoded.value;
  if (trace.definition != definition.name) {
    return wrong_name(source, "/definition", trace.definition, definition.name);
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

base::Result<Dataset> Dataset::open(const Path& root) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(root, ignored)) {
    return base::input_error("dataset.not_found",
                             fmt::format("{} is no dataset folder: give the folder that holds definitions/, workloads/ "
                                         "and solutions/",
                                         root.string()));
  }
  Dataset dataset(root);
  ASSAY_TRY(dataset.index_definitions());
  ASSAY_TRY(dataset.index_workloads());
  ASSAY_TRY(dataset.index_solutions());
  return dataset;
}

base::Result<void> Dataset::index_definitions() {
  ASSAY_TRY_ASSIGN(const std::vector<Path> files, files_below(root_ / "definitions", 1, ".json"));
  for (const Path& path : files) {
    const auto [place, added] = definitions_.emplace(path.stem().string(), path);
    if (!added) {
      return claimed_twice("definition", place->first, place->second, path);
    }
  }
  if (definitions_.empty()) {
    return base::input_error("dataset.empty", fmt::format("{} holds no definitions: put them at "
                                                          "definitions/<op_type>/<definition>.json",
                                                          root_.string()));
  }
  return {};
}

base::Result<void> Dataset::index_workloads() {
  ASSAY_TRY_ASSIGN(const std::vector<Path> files, files_below(root_ / "workloads", 1, ".jsonl"));
  for (const Path& path : files) {
    const auto [place, added] = workloads_.emplace(path.stem().string(), path);
    if (!added) {
      return claimed_twice("the workloads of definition", place->first, place->second, path);
    }
  }
  return {};
}

base::Result<void> Dataset::index_solutions() {
  ASSAY_TRY_ASSIGN(const std::vector<Path> files, files_below(root_ / "solutions", 3, ".json"));
  for (const Path& path : files) {
    const SolutionFile file = {path, path.parent_path().filename().string()};
    const auto [place, added] = solutions_.emplace(path.stem().string(), file);
    if (!added) {
      return claimed_twice("solution", place->first, place->second.path, path);
    }
  }
  return {};
}

std::vector<std::string> Dataset::definition_names() const { return keys(definitions_); }

std::vector<std::string> Dataset::solution_names(std::string_view definition) const {
  std::vector<std::string> names;
  for (const auto& [name, file] : solutions_) {
    if (file.definition == definition) {
      names.push_back(name);
    }
  }
  return names;
}

base::Result<task::Definition> Dataset::definition(std::string_view name) const {
  const auto place = definitions_.find(name);
  if (place == definitions_.end()) {
    return unknown("definition", name, definitions_, root_, fmt::format("definitions/<op_type>/{}.json", name));
  }
  const Path& path = place->second;
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(path));
  ASSAY_TRY_ASSIGN(task::Definition definition, task::load_definition(text, path.string()));
  if (definition.name != name) {
    return wrong_name(path, "/name", definition.name, name);
  }
  return definition;
}

base::Result<std::vector<task::Workload>> Dataset::workloads(std::string_view definition_name) const {
  ASSAY_TRY_ASSIGN(const task::Definition definition, definition(definition_name));
  const auto place = workloads_.find(definition_name);
  if (place == workloads_.end()) {
    return base::input_error("dataset.no_workloads",
                             fmt::format("{} has no workloads for \"{}\": add "
                                         "workloads/{}/{}.jsonl",
                                         root_.string(), definition_name, definition.op_type, definition_name));
  }
  const std::string path = place->second.string();
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(place->second));
  std::vector<task::Workload> workloads;
  std::map<std::string, std::size_t> lines;
  std::size_t number = 0;
  for (const std::string& line : base::split(text, '\n')) {
    ++number;
    if (base::trim(line).empty()) {
      continue;
    }
    ASSAY_TRY_ASSIGN(task::Workload workload, read_workload(line, fmt::format("{}:{}", path, number), definition));
    const auto [earlier, added] = lines.emplace(workload.uuid, number);
    if (!added) {
      return base::input_error("dataset.duplicate",
                               fmt::format("{0}:{1}: /workload/uuid: \"{2}\" is that of {0}:{3} too: remove one line",
                                           path, number, workload.uuid, earlier->second));
    }
    workloads.push_back(std::move(workload));
  }
  if (workloads.empty()) {
    return base::input_error("dataset.no_workloads", fmt::format("{} holds no workloads: add one a line", path));
  }
  return workloads;
}

base::Result<task::Solution> Dataset::read_solution(const std::string& name, const SolutionFile& file) const {
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file.path));
  ASSAY_TRY_ASSIGN(task::Solution solution, task::load_solution(text, file.path.string()));
  if (solution.name != name) {
    return wrong_name(file.path, "/name", solution.name, name);
  }
  if (solution.definition != file.definition) {
    return wrong_name(file.path, "/definition", solution.definition, file.definition);
  }
  return solution;
}

base::Result<std::vector<task::Solution>> Dataset::solutions(std::string_view definition) const {
  if (definitions_.find(definition) == definitions_.end()) {
    return unknown("definition", definition, definitions_, root_,
                   fmt::format("definitions/<op_type>/{}.json", definition));
  }
  std::vector<task::Solution> solutions;
  for (const auto& [name, file] : solutions_) {
    if (file.definition == definition) {
      ASSAY_TRY_ASSIGN(task::Solution solution, read_solution(name, file));
      solutions.push_back(std::move(solution));
    }
  }
  return solutions;
}

base::Result<task::Solution> Dataset::solution(std::string_view name) const {
  const auto place = solutions_.find(name);
  if (place == solutions_.end()) {
    return unknown("solution", name, solutions_, root_,
                   fmt::format("solutions/<author>/<op_type>/<definition>/{}.json", name));
  }
  return read_solution(place->first, place->second);
}

}  // namespace assay::dataset
