#include <assay/cli/arguments.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <sstream>

#include <assay/cli/declare.hpp>
#include <assay/service/campaign_report.hpp>

namespace assay::cli {
namespace {

constexpr int kMistyped = 2;

constexpr const char* kFooter = R"(Examples:
  assay doctor                                     what works on this machine
  assay evaluate kernel.cpp                        judge one kernel against the baseline
  assay campaign run tune --tunable SOLUTION       search tunable parameters
  assay report tune --output report.html           one page that shows why
  assay certificate tune --output proof            what proves the winner to others
  assay dataset check my-dataset                   find what is wrong with a dataset
  assay mcp --campaign night                       tools for a coding agent, over stdio
  assay skills install worktree                    tell a coding agent how to work with Assay

Exit codes: 0 done, 1 the candidate, a certificate or a replay failed, 2 bad request, 3 the environment failed, 70 a bug in Assay.
Environment: ASSAY_DATASET, ASSAY_ARCHIVE, ASSAY_BUILD_CACHE, ASSAY_SKILLS (folders), NO_COLOR.)";

}  // namespace

Parsed parse(int argc, const char* const* argv) {
  Draft draft;
  CLI::App app("Judges kernels: a kernel is believed only when it has been proved.", "assay");
  app.set_version_flag("--version", "assay " + std::string(service::version()));
  app.require_subcommand(1);
  app.footer(kFooter);
  declare_judging(app, draft);
  declare_campaigns(app, draft);
  declare_archive(app, draft);
  declare_dataset(app, draft);
  declare_foreign(app, draft);
  declare_agents(app, draft);
  declare_mcp(app, draft);
  declare_skills(app, draft);
  declare_people(app, draft);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream problem;
    const int code = app.exit(error, out, problem);
    Parsed parsed;
    parsed.exit_code = code == 0 ? 0 : kMistyped;
    parsed.text = code == 0 ? out.str() : "assay: " + problem.str();
    return parsed;
  }
  draft.arguments.format = draft.json ? Format::json : Format::text;
  return {std::move(draft.arguments), 0, {}};
}

std::string refusal_of(const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  argv.reserve(words.size());
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  const Parsed parsed = parse(static_cast<int>(argv.size()), argv.data());
  if (parsed.arguments || parsed.exit_code == 0) {
    return "";
  }
  std::string_view text = parsed.text;
  text = text.substr(0, text.find('\n'));
  constexpr std::string_view kProgram = "assay: ";
  return std::string(text.starts_with(kProgram) ? text.substr(kProgram.size()) : text);
}

}  // namespace assay::cli
