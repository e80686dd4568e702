#include <assay/agent/answer_files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include <assay/agent/event_line.hpp>
#include <assay/agent/working_folder.hpp>
#include <assay/base/text.hpp>
#include <assay/task/source_path.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kShortestFence = 3;
constexpr std::string_view kPathMark = "path=";
constexpr std::size_t kLongestShownPath = 100;

// The line at `at`, without its end; `at` then lies behind it.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  return line;
}

std::string_view without_return(std::string_view line) {
  return !line.empty() && line.back() == '\r' ? line.substr(0, line.size() - 1) : line;
}

std::size_t fence_length(std::string_view line) {
  const std::size_t length = std::min(line.find_first_not_of('`'), line.size());
  return length >= kShortestFence ? length : 0;
}

bool ends_block(std::string_view line, std::size_t fence) {
  const std::size_t length = fence_length(line);
  return length >= fence && base::trim(line.substr(length)).empty();
}

// "```cpp path=kernel.cpp": what stands behind the mark, up to the line's end.
std::optional<std::string> path_in(std::string_view line) {
  const std::size_t mark = line.find(kPathMark);
  if (mark == std::string_view::npos) {
    return std::nullopt;
  }
  std::string path(base::trim(line.substr(mark + kPathMark.size())));
  const std::string folder = std::string(kCandidateFolder) + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

}  // namespace

std::string_view answer_format() {
  return "Answer with the whole text of each file that you change or add, each in a fenced block whose first line "
         "names "
         "its path:\n\n"
         "```cpp path=kernel.cpp\n"
         "…\n"
         "```\n\n"
         "Paths are those of the files that you are given. Files that you leave out stay as they are. State your "
         "hypothesis in the same way as path=hypothesis.json. Nothing else that you write is read.";
}

AnswerFiles parse_answer_files(std::string_view answer) {
  AnswerFiles result;
  std::map<std::string, std::string> files;
  std::size_t bytes = 0;
  std::size_t at = 0;
  while (at < answer.size()) {
    const std::string_view opening = without_return(next_line(answer, at));
    const std::size_t fence = fence_length(opening);
    if (fence == 0) {
      continue;
    }
    const std::optional<std::string> path = path_in(opening);
    std::string content;
    bool ended = false;
    while (at < answer.size() && !ended) {
      const std::string_view line = next_line(answer, at);
      ended = ends_block(without_return(line), fence);
      if (!ended && path) {
        content.append(line).push_back('\n');
      }
    }
    if (!path) {
      continue;
    }
    const std::string shown = clip(base::printable(*path), kLongestShownPath);
    if (!ended) {
      result.fault = fmt::format("the answer ends in the middle of {}", shown);
      return result;
    }
    if (const auto fault = task::source_path_fault(*path)) {
      result.fault = fmt::format("{}: {}", shown, *fault);
      return result;
    }
    bytes += content.size();
    files[task::normalise_source_path(*path)] = std::move(content);
    if (files.size() > kMostSources || bytes > kMostSourceBytes) {
      result.fault = fmt::format("more than {} files or {}", kMostSources, base::human_bytes(kMostSourceBytes));
      return result;
    }
  }
  for (auto& [path, content] : files) {
    result.files.push_back({path, std::move(content)});
  }
  return result;
}

std::string fenced_file(const task::SourceFile& file) {
  std::size_t longest = kShortestFence - 1;
  std::size_t run = 0;
  for (const char c : file.content) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool ends = file.content.empty() || file.content.back() == '\n';
  return fmt::format("{} path={}\n{}{}{}\n", fence, file.path, file.content, ends ? "" : "\n", fence);
}

}  // namespace assay::agent
