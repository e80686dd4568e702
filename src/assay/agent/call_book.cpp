#include <assay/agent/call_book.hpp>

#include <algorithm>

#include <assay/agent/event_line.hpp>

namespace assay::agent {

void CallBook::begin(std::string_view id, std::string_view server, std::string_view tool, ChangedFile change) {
  if (open_.size() >= kMostOpenCalls) {
    ++use_of(uses_, server, tool).unfinished;  // Counted, but its end will not be recognised.
    return;
  }
  open_.insert_or_assign(clip(id, kLongestName),
                         Open{clip(server, kLongestName), clip(tool, kLongestName), std::move(change)});
}

void CallBook::end(std::string_view id, bool failed) {
  const auto found = open_.find(clip(id, kLongestName));
  if (found == open_.end()) {
    return;
  }
  add(found->second.server, found->second.tool, failed);
  if (!failed && !found->second.change.path.empty()) {
    add_file(found->second.change.path, found->second.change.kind);
  }
  open_.erase(found);
}

void CallBook::add(std::string_view server, std::string_view tool, bool failed) {
  ToolUse& use = use_of(uses_, server, tool);
  ++(failed ? use.failed : use.completed);
}

void CallBook::add_file(std::string_view path, std::string_view kind) {
  ChangedFile file{clip(path, kLongestPath), clip(kind, kLongestName)};
  const auto same = [&](const ChangedFile& one) { return one.path == file.path; };
  if (!path.empty() && files_.size() < kMostFiles && std::none_of(files_.begin(), files_.end(), same)) {
    files_.push_back(std::move(file));
  }
}

void CallBook::write(StreamSummary& summary) const {
  summary.tools = uses_;
  for (const auto& [id, call] : open_) {
    ++use_of(summary.tools, call.server, call.tool).unfinished;
  }
  summary.files = files_;
}

ToolUse& CallBook::use_of(std::vector<ToolUse>& uses, std::string_view server, std::string_view tool) {
  const std::string kept_server = clip(server, kLongestName);
  const std::string kept_tool = clip(tool, kLongestName);
  const auto found = std::find_if(
      uses.begin(), uses.end(), [&](const ToolUse& use) { return use.server == kept_server && use.tool == kept_tool; });
  if (found != uses.end()) {
    return *found;
  }
  if (uses.size() + 1 < kMostTools) {
    return uses.emplace_back(ToolUse{kept_server, kept_tool, 0, 0, 0});
  }
  if (uses.size() < kMostTools) {
    uses.push_back({"", "(others)", 0, 0, 0});
  }
  return uses.back();
}

}  // namespace assay::agent
