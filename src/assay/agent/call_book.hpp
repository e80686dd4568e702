#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/stream_summary.hpp>

namespace assay::agent {

/// Counts the calls of tools by name and end, and what files they changed, in bounded memory.
class CallBook {
 public:
  /// A call begins. `change`: what it would change, with an empty path if nothing.
  void begin(std::string_view id, std::string_view server, std::string_view tool, ChangedFile change = {});
  /// A call that began under this id has ended; an id that is not open is ignored.
  void end(std::string_view id, bool failed);
  /// A call that is told once, when it has ended.
  void add(std::string_view server, std::string_view tool, bool failed);
  void add_file(std::string_view path, std::string_view kind);

  [[nodiscard]] bool is_open(std::string_view id) const { return open_.contains(std::string(id)); }

  /// Writes what was counted; calls that are still open are unfinished.
  void write(StreamSummary& summary) const;

 private:
  struct Open {
    std::string server;
    std::string tool;
    ChangedFile change;
  };

  [[nodiscard]] static ToolUse& use_of(std::vector<ToolUse>& uses, std::string_view server, std::string_view tool);

  std::vector<ToolUse> uses_;
  std::vector<ChangedFile> files_;
  std::map<std::string, Open> open_;
};

}  // namespace assay::agent
