#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/dataset/workload_file.hpp>
#include <assay/os/file.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/workload.hpp>

namespace assay::dataset {

/// A dataset folder in the layout that flashinfer-bench uses:
///
///   definitions/<op_type>/<definition>.json
///   workloads/<op_type>/<definition>.jsonl           one trace without a solution a line
///   solutions/<author>/<op_type>/<definition>/<solution>.json
///   lengths/<op_type>/<definition>.jsonl             ours, and may be missing: {"uuid": …, "lengths": […]} a line
///
/// Beside them lie the safetensors files that workloads name, in `blob/` as a rule; they may be missing too.
///
/// Opening only lists files and takes names from them; a file is read when it is asked for, and must then hold what
/// its name says. Nothing is cached and nothing is written: a changed file is seen, a new one by opening again.
class Dataset {
 public:
  /// Lists a dataset. A folder that does not exist, one without definitions, and a name that two files claim are
  /// input errors, never an empty dataset.
  [[nodiscard]] static base::Result<Dataset> open(const os::Path& root);

  [[nodiscard]] const os::Path& root() const { return root_; }
  /// Names of all definitions, sorted.
  [[nodiscard]] std::vector<std::string> definition_names() const;
  /// Names of all solutions of one definition, sorted; empty if there are none.
  [[nodiscard]] std::vector<std::string> solution_names(std::string_view definition) const;

  [[nodiscard]] base::Result<task::Definition> definition(std::string_view name) const;
  /// Reads the workloads of a definition in the order of the file, each checked against the definition, with their
  /// lengths (lengths.hpp). The first thing that is wrong with them is the error.
  [[nodiscard]] base::Result<std::vector<task::Workload>> workloads(std::string_view definition) const;
  /// The same with everything that is wrong with them.
  [[nodiscard]] base::Result<WorkloadFile> workload_file(std::string_view definition) const;
  /// Files of workloads, lengths and solutions whose definition the dataset does not have.
  [[nodiscard]] std::vector<os::Path> files_without_definition() const;
  /// Reads all solutions of a definition, sorted by name. The definition must exist; it may have no solutions.
  [[nodiscard]] base::Result<std::vector<task::Solution>> solutions(std::string_view definition) const;
  [[nodiscard]] base::Result<task::Solution> solution(std::string_view name) const;

 private:
  struct SolutionFile {
    os::Path path;
    std::string definition;
  };
  template <class T>
  using Index = std::map<std::string, T, std::less<>>;

  explicit Dataset(os::Path root) : root_(std::move(root)) {}
  [[nodiscard]] base::Result<Index<os::Path>> index_files(std::string_view folder, std::string_view extension,
                                                          std::string_view what) const;
  [[nodiscard]] base::Result<void> index_solutions();
  [[nodiscard]] base::Result<task::Solution> read_solution(const std::string& name, const SolutionFile& file) const;

  os::Path root_;
  Index<os::Path> definitions_;
  Index<os::Path> workloads_;
  Index<os::Path> lengths_;
  Index<SolutionFile> solutions_;
};

}  // namespace assay::dataset
