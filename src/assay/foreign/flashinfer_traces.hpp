#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/solution.hpp>
#include <assay/task/trace.hpp>

namespace assay::foreign {

/// One file as it was read.
struct SourceText {
  std::string name;  ///< Relative to the folder.
  std::string content;
};

/// Results in the FlashInfer-Trace schema: of one solution on one workload each.
struct FlashinferResults {
  std::vector<SourceText> files;
  std::vector<task::Solution> solutions;  ///< Of which sources are there; names are unique within a definition.
  std::vector<task::Trace> traces;        ///< Those with an evaluation.
  std::vector<std::string> places;        ///< "traces/x.jsonl:3", as many.
};

/// Reads the lines of a trace file. Lines without an evaluation store a workload and are left out; those that are no
/// trace are input errors that name file, line and field.
[[nodiscard]] base::Result<void> parse_flashinfer_traces(std::string_view text, const std::string& source,
                                                         FlashinferResults& into);

/// Reads a trace file, or a folder in flashinfer-bench's layout: every *.jsonl under traces/ and every *.json under
/// solutions/. Finding no result at all is an input error.
[[nodiscard]] base::Result<FlashinferResults> read_flashinfer_results(const os::Path& path);

}  // namespace assay::foreign
