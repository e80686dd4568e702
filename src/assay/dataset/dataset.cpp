#include <assay/dataset/dataset.hpp>

#include <fmt/core.h>

#include <filesystem>

#include <assay/base/text.hpp>
#include <assay/dataset/lengths.hpp>
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
  ASSAY_TRY_ASSIGN(dataset.definitions_, dataset.index_files("definitions", ".json", "definition"));
  if (dataset.definitions_.empty()) {
    return base::input_error("dataset.empty", fmt::format("{} holds no definitions: put them at "
                                                          "definitions/<op_type>/<definition>.json",
                                                          root.string()));
  }
  ASSAY_TRY_ASSIGN(dataset.workloads_, dataset.index_files("workloads", ".jsonl", "the workloads of definition"));
  ASSAY_TRY_ASSIGN(dataset.lengths_, dataset.index_files("lengths", ".jsonl", "the lengths of definition"));
  ASSAY_TRY(dataset.index_solutions());
  return dataset;
}

base::Result<Dataset::Index<os::Path>> Dataset::index_files(std::string_view folder, std::string_view extension,
                                                            std::string_view what) const {
  ASSAY_TRY_ASSIGN(const std::vector<Path> files, files_below(root_ / folder, 1, extension));
  Index<os::Path> index;
  for (const Path& path : files) {
    const auto [place, added] = index.emplace(path.stem().string(), path);
    if (!added) {
      return claimed_twice(what, place->first, place->second, path);
    }
  }
  return index;
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

std::vector<os::Path> Dataset::files_without_definition() const {
  std::vector<os::Path> files;
  for (const Index<os::Path>* index : {&workloads_, &lengths_}) {
    for (const auto& [name, path] : *index) {
      if (definitions_.find(name) == definitions_.end()) {
        files.push_back(path);
      }
    }
  }
  for (const auto& [name, file] : solutions_) {
    if (definitions_.find(file.definition) == definitions_.end()) {
      files.push_back(file.path);
    }
  }
  return files;
}

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

base::Result<WorkloadFile> Dataset::workload_file(std::string_view definition_name) const {
  ASSAY_TRY_ASSIGN(const task::Definition definition, definition(definition_name));
  const auto place = workloads_.find(definition_name);
  if (place == workloads_.end()) {
    return base::input_error("dataset.no_workloads",
                             fmt::format("{} has no workloads for \"{}\": add "
                                         "workloads/{}/{}.jsonl",
                                         root_.string(), definition_name, definition.op_type, definition_name));
  }
  ASSAY_TRY_ASSIGN(WorkloadFile file, read_workload_file(place->second, definition));
  const auto lengths = lengths_.find(definition_name);
  apply_lengths(root_, lengths == lengths_.end() ? os::Path() : lengths->second, definition, file);
  return file;
}

base::Result<std::vector<task::Workload>> Dataset::workloads(std::string_view definition_name) const {
  ASSAY_TRY_ASSIGN(WorkloadFile file, workload_file(definition_name));
  if (!file.problems.empty()) {
    return tl::unexpected(std::move(file.problems.front()));
  }
  std::vector<task::Workload> workloads;
  for (DatasetWorkload& one : file.workloads) {
    workloads.push_back(std::move(one.workload));
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
