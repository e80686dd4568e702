#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/task/solution.hpp>

namespace assay::agent {

/// The files in a model's answer. `fault`, if any, says why none is taken: half of a set of files is no candidate.
struct AnswerFiles {
  std::vector<task::SourceFile> files;  ///< In the order of their paths; empty with a fault.
  std::string fault;
};

/// Says how files must stand in an answer, for the one who is to write it.
[[nodiscard]] std::string_view answer_format();

/// Takes the files out of an answer: fenced blocks whose first line ends in `path=NAME`. A block ends with a line of as many
/// backticks as it began with, or more, and nothing else. Of two of one name the later counts. Blocks without a path, and all
/// words, are passed over. A path that leads out of its folder, a block without an end, and more than a working folder may
/// hold, are faults.
[[nodiscard]] AnswerFiles parse_answer_files(std::string_view answer);

/// Writes a file as such a block; its fence is longer than any in the content, so that nothing in it can end it.
[[nodiscard]] std::string fenced_file(const task::SourceFile& file);

}  // namespace assay::agent
