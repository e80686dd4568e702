#include <assay/agent/stream_summary.hpp>

#include <nlohmann/json.hpp>

namespace assay::agent {

base::Json encode(const StreamSummary& summary) {
  base::Json files = base::Json::array();
  for (const ChangedFile& file : summary.files) {
    files.push_back({{"path", file.path}, {"kind", file.kind}});
  }
  base::Json tools = base::Json::array();
  for (const ToolUse& use : summary.tools) {
    tools.push_back({{"server", use.server},
                     {"tool", use.tool},
                     {"completed", use.completed},
                     {"failed", use.failed},
                     {"unfinished", use.unfinished}});
  }
  base::Json kept = base::Json::array();
  for (const KeptLine& line : summary.lines.kept) {
    kept.push_back({{"line", line.number}, {"beginning", line.beginning}});
  }
  base::Json unknown = base::Json::object();
  for (const auto& [kind, count] : summary.lines.unknown_kinds) {
    unknown[kind] = count;
  }
  return {{"as", std::string(to_string(summary.dialect))},
          {"outcome", std::string(to_string(summary.outcome))},
          {"environment", is_environment(summary.outcome)},
          {"cause", summary.cause},
          {"spend", encode(summary.spend)},
          {"session_total", summary.session_total ? encode(*summary.session_total) : base::Json()},
          {"session", summary.session},
          {"model", summary.model},
          {"program_version", summary.program_version},
          {"files", std::move(files)},
          {"tools", std::move(tools)},
          {"denials", summary.denials},
          {"retries", summary.retries},
          {"lines",
           {{"read", summary.lines.lines},
            {"malformed", summary.lines.malformed},
            {"cut_off", summary.lines.cut_off},
            {"unknown_kinds", std::move(unknown)},
            {"kept", std::move(kept)}}}};
}

}  // namespace assay::agent
