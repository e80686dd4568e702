#include <assay/cli/print_agent_stream.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

constexpr std::size_t kShownWords = 400;

std::string usage_text(const agent::Usage& usage) {
  const agent::Tokens& tokens = usage.tokens;
  std::string text = usage.dollars ? fmt::format("${:.5f}, ", *usage.dollars) : "dollars not told, ";
  text += fmt::format("{} tokens in ({} cached, {} written to the cache), {} out", tokens.input, tokens.cached_input,
                      tokens.cache_write, tokens.output);
  return text + (tokens.reasoning > 0 ? fmt::format(" ({} of it reasoning)", tokens.reasoning) : "");
}

std::string fact(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<9} {}\n", name, base::printable(text));
}

report::Tone tone_of_run(agent::RunOutcome outcome) {
  return outcome == agent::RunOutcome::finished ? report::Tone::good : report::Tone::bad;
}

std::string tools_text(const agent::StreamSummary& summary) {
  std::string text;
  for (const agent::ToolUse& use : summary.tools) {
    text += (text.empty() ? "" : ", ") + (use.server.empty() ? "" : use.server + "/") + use.tool + ": " +
            fmt::format("{} completed", use.completed);
    text += use.failed > 0 ? fmt::format(", {} failed", use.failed) : "";
    text += use.unfinished > 0 ? fmt::format(", {} unfinished", use.unfinished) : "";
  }
  return text;
}

std::string lines_text(const agent::LineCounts& lines) {
  std::string text = fmt::format("{} read", lines.lines);
  text += lines.malformed > 0 ? fmt::format(", {} malformed", lines.malformed) : "";
  text += lines.cut_off ? ", the last one cut off" : "";
  for (const auto& [kind, count] : lines.unknown_kinds) {
    text += fmt::format(", {} of the unknown kind {}", count, kind);
  }
  return text;
}

}  // namespace

std::string spend_text(const agent::Spend& spend) {
  switch (spend.certainty) {
    case agent::Certainty::exact:
      return usage_text(spend.usage);
    case agent::Certainty::at_least:
      return "at least " + usage_text(spend.usage) + "; its final account is lost";
    case agent::Certainty::unknown:
      break;
  }
  return "not known: its account is lost";
}

std::string print_agent_stream(const agent::StreamSummary& summary, report::Colour colour) {
  const std::string_view remedy = agent::remedy(summary.outcome);
  std::string text = report::tinted(std::string(to_string(summary.outcome)), tone_of_run(summary.outcome), colour) +
                     ": " + base::printable(summary.cause) + "\n";
  text += remedy.empty() ? "" : fmt::format("  no evidence about the agent: {}\n", remedy);
  text += fact("spend", spend_text(summary.spend));
  if (summary.session_total && summary.session_total != summary.spend.usage) {
    text += fact("session", usage_text(*summary.session_total) + " in all its runs");
  }
  text += fact("id", summary.session);
  text += fact("model", summary.model);
  for (const agent::ChangedFile& file : summary.files) {
    text += fact("changed", file.path + " (" + file.kind + ")");
  }
  text += fact("calls", tools_text(summary));
  text += summary.denials > 0 ? fact("denied", fmt::format("{} calls", summary.denials)) : "";
  text += fact("lines", lines_text(summary.lines));
  if (!summary.last_words.empty()) {
    text += "  its last words, which are no evidence:\n" +
            base::printable(base::tail(summary.last_words, kShownWords)) + "\n";
  }
  return text;
}

}  // namespace assay::cli
