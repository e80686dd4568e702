#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/dialect.hpp>
#include <assay/agent/run_outcome.hpp>
#include <assay/agent/usage.hpp>
#include <assay/base/json.hpp>

namespace assay::agent {

/// A file that the agent's program says it changed. What counts is what lies in the folder afterwards.
struct ChangedFile {
  std::string path;  ///< As the agent saw it.
  std::string kind;  ///< "add", "update", "delete", or the tool's name.
  bool operator==(const ChangedFile&) const = default;
};

/// Calls of one tool, by how they ended.
struct ToolUse {
  std::string server;  ///< Of MCP; empty: the agent's own tool.
  std::string tool;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t unfinished = 0;  ///< Began and never ended in this stream.
  bool operator==(const ToolUse&) const = default;
};

/// A line that could not be read: its number from 1, and its beginning.
struct KeptLine {
  std::int64_t number = 0;
  std::string beginning;
};

/// What the lines of a stream were.
struct LineCounts {
  std::int64_t lines = 0;      ///< Blank ones do not count.
  std::int64_t malformed = 0;  ///< No JSON object with a "type", or longer than is read.
  bool cut_off = false;        ///< The last line ends in its middle.
  std::map<std::string, std::int64_t> unknown_kinds;
  std::vector<KeptLine> kept;  ///< The first malformed ones, and the one that is cut off.
};

/// What a stream of events says about a run. Everything in it is what a program said that we do not trust: it decides
/// what a run cost and whether another one makes sense, and never anything about a candidate.
struct StreamSummary {
  Dialect dialect = Dialect::codex;
  RunOutcome outcome = RunOutcome::truncated;
  std::string cause;                   ///< One sentence; the program's own message where it gave one.
  Spend spend;                         ///< Of this run.
  std::optional<Usage> session_total;  ///< Of the whole session, runs before this one too; absent: never told.
  std::string session;                 ///< Its id; empty: never told.
  std::string model;                   ///< Empty: never told (Codex does not).
  std::string program_version;
  std::vector<ChangedFile> files;
  std::vector<ToolUse> tools;
  std::int64_t denials = 0;  ///< Calls that nobody allowed.
  std::int64_t retries = 0;  ///< Requests to the model that the program made again.
  std::string last_words;    ///< The last message. Never evidence.
  std::string answer;        ///< The structured answer as JSON, where there is one. Never evidence.
  LineCounts lines;
};

/// Bounds of what a summary keeps, whatever is in a stream.
inline constexpr std::size_t kMostFiles = 1000;
inline constexpr std::size_t kMostTools = 64;  ///< With different names; further ones count as "(others)".
inline constexpr std::size_t kMostUnknownKinds = 32;
inline constexpr std::size_t kMostKeptLines = 8;
inline constexpr std::size_t kLongestName = 200;     ///< Bytes of an id, a tool, a kind, or of a kept line.
inline constexpr std::size_t kLongestPath = 4096;    ///< Bytes.
inline constexpr std::size_t kLongestWords = 65536;  ///< Bytes of the last words, and of the answer.
inline constexpr std::size_t kMostOpenCalls = 4096;

/// Without the last words and the answer, which are shown apart.
[[nodiscard]] base::Json encode(const StreamSummary& summary);

}  // namespace assay::agent
