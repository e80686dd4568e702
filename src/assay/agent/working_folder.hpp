#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/error.hpp>
#include <assay/os/file.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

/// The folder, below the working folder, that holds the candidate's sources: what counts is what lies there at the end.
inline constexpr const char* kCandidateFolder = "candidate";
inline constexpr const char* kPromptFile = "PROMPT.md";
inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kHypothesisFile = "hypothesis.json";
inline constexpr const char* kSchemaFile = "schema.json";  ///< Of the answer, where one is wanted.
inline constexpr const char* kAnswerFile = "answer.json";  ///< Where any program may leave it.
inline constexpr const char* kHomeFolder = ".home";        ///< Where the program keeps what is its own.

/// Bounds of what is taken from a folder.
inline constexpr std::size_t kMostSources = 64;
inline constexpr std::uint64_t kMostSourceBytes = std::uint64_t{4} << 20U;
inline constexpr int kDeepestFolder = 4;
inline constexpr std::uint64_t kMostHypothesisBytes = std::uint64_t{64} << 10U;

/// Lays out a private working folder in `folder`, which exists: the prompt, the state, the sources to begin with. All of
/// it is writable for everybody (the program is nobody), so `folder` must lie where nobody else may enter.
[[nodiscard]] base::Result<void> lay_out(const os::Path& folder, const std::string& prompt, const std::string& state,
                                         const std::vector<task::SourceFile>& sources);

/// Adds files to a folder that was laid out, with the folders that they lie in; all of it is writable for everybody.
[[nodiscard]] base::Result<void> add_files(const os::Path& folder, const std::vector<task::SourceFile>& files);

/// What an agent left. `fault`, if any, says why it is no candidate: that is the agent's, and no error.
struct LeftSources {
  std::vector<task::SourceFile> sources;  ///< Sorted by path; empty with a fault.
  std::string fault;
  std::vector<std::string> ignored;  ///< What lies there too and is no source, printable; the first kMostIgnoredShown.
  std::size_t ignored_count = 0;
};
inline constexpr std::size_t kMostIgnoredShown = 8;
inline constexpr std::size_t kMostLeft = 10'000;  ///< Of files and folders that are looked at.

/// Reads the hypothesis that an agent stated in hypothesis.json, each text clipped to a line; what it does not state is said
/// not to be. Its claim, never evidence.
[[nodiscard]] Hypothesis read_hypothesis(const os::Path& folder);

/// Reads a regular file that an agent left in its folder, or nothing: a link, a pipe and what is larger are none.
[[nodiscard]] std::optional<std::string> read_left_file(const os::Path& folder, const char* name, std::uint64_t most);

/// Reads what lies in the candidate's folder after a run, in the place of `origin`'s sources. What no build takes (notes, what a
/// compiler left, hidden files, what lies deeper than the bound) is ignored, and named. What has a source's name must be a
/// regular file within the bounds: a link is never followed, and it, a pipe, or what cannot be read is a fault. So is
/// everything for which candidate_fault has a word.
[[nodiscard]] LeftSources read_left_sources(const os::Path& folder, const task::Solution& origin);

/// Says what there is to say of it behind how a run ended: "; no candidate is left: …", "; ignored: notes.txt". Else empty.
[[nodiscard]] std::string left_words(const LeftSources& left);

}  // namespace assay::agent
