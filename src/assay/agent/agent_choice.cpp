#include <assay/agent/agent_choice.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>

#include <assay/agent/working_folder.hpp>

namespace assay::agent {
namespace {

constexpr std::string_view kCommand = "command:";
constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

using Variables = std::vector<std::pair<std::string, std::string>>;

// Nothing else is handed on: a key that an agent does not need, it must not see.
void hand_on(const Environment& environment, std::initializer_list<const char*> names, Variables& variables) {
  for (const char* name : names) {
    if (auto value = environment(name)) {
      variables.emplace_back(name, std::move(*value));
    }
  }
}

base::Result<std::string> locate(const std::string& name) {
  const std::optional<os::Path> found = os::find_program(name);
  if (!found) {
    return base::input_error("agent.not_found",
                             fmt::format("{} is not on PATH: install it, or give its absolute path", name));
  }
  std::error_code error;
  const os::Path real = std::filesystem::canonical(*found, error);
  return error ? found->string() : real.string();
}

// As TOML and as JSON have texts: paths and options hold nothing that either would have to escape otherwise.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "\"";
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    result += (result.empty() ? "" : ",") + quoted(text);
  }
  return "[" + result + "]";
}

// A server that does not start ends the run before a model was asked: it is required.
std::string codex_tools(const ToolServer& tools) {
  return fmt::format(
      R"(mcp_servers.assay={{command={},args={},required=true,startup_timeout_sec=20,tool_timeout_sec=120,)"
      R"(default_tools_approval_mode="approve"}})",
      quoted(tools.program.string()), quoted_list(tools.arguments));
}

std::string claude_tools(const ToolServer& tools) {
  return fmt::format(R"({{"mcpServers":{{"assay":{{"command":{},"args":{}}}}}}})", quoted(tools.program.string()),
                     quoted_list(tools.arguments));
}

void complete_codex(const AgentChoice& choice, const os::Path& folder, const std::string& prompt,
                    const Environment& environment, AgentProgram& program) {
  program.dialect = Dialect::codex;
  // Its own sandbox needs namespaces, which ours forbids; ours holds it. Sessions are not kept: each run is a new one.
  program.argv.insert(program.argv.end(),
                      {"exec", "--json", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--strict-config",
                       "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", folder.string(),
                       "-c", "shell_environment_policy={inherit=\"core\"}"});
  if (!choice.model.empty()) {
    program.argv.insert(program.argv.end(), {"-m", choice.model});
  }
  if (choice.schema) {
    program.argv.insert(program.argv.end(), {"--output-schema", (folder / kSchemaFile).string()});
  }
  if (choice.tools) {
    program.argv.insert(program.argv.end(), {"-c", codex_tools(*choice.tools)});
  }
  program.argv.push_back(prompt);
  // Under /tmp it refuses to make the programs that it applies patches with.
  program.environment.emplace_back("CODEX_HOME", (folder / kHomeFolder).string());
  hand_on(environment, {"OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"}, program.environment);
}

void complete_claude(const AgentChoice& choice, const std::string& prompt, const Environment& environment,
                     AgentProgram& program) {
  program.dialect = Dialect::claude;
  program.argv.insert(
      program.argv.end(),
      {"--print", "--output-format", "stream-json", "--verbose", "--no-session-persistence", "--strict-mcp-config",
       "--permission-mode", "bypassPermissions", "--permission-prompts", "none", "--tools", "Bash,Read,Edit,Write"});
  if (!choice.model.empty()) {
    program.argv.insert(program.argv.end(), {"--model", choice.model});
  }
  if (choice.schema) {
    program.argv.insert(program.argv.end(), {"--json-schema", *choice.schema});
  }
  if (choice.dollars) {
    program.argv.insert(program.argv.end(), {"--max-budget-usd", fmt::format("{:.4f}", *choice.dollars)});
  }
  if (choice.tools) {
    program.argv.insert(program.argv.end(), {"--mcp-config", claude_tools(*choice.tools)});
  }
  program.argv.insert(program.argv.end(), {"--", prompt});
  program.environment.emplace_back("DISABLE_AUTOUPDATER", "1");
  program.environment.emplace_back("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
  hand_on(environment, {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"}, program.environment);
}

}  // namespace

base::Result<AgentProgram> make_agent_program(const AgentChoice& choice, const os::Path& folder,
                                              const std::string& prompt, const Environment& environment) {
  AgentProgram program;
  program.environment = {{"PATH", kPath},
                         {"HOME", (folder / kHomeFolder).string()},
                         {"LANG", "C.UTF-8"},
                         {"TMPDIR", "/tmp"},
                         {"TERM", "dumb"}};
  if (const auto dialect = parse_dialect(choice.word)) {
    program.name = choice.word;
    program.network = Network::host;
    ASSAY_TRY_ASSIGN(program.argv.emplace_back(), locate(choice.word));
    if (*dialect == Dialect::codex) {
      complete_codex(choice, folder, prompt, environment, program);
    } else {
      complete_claude(choice, prompt, environment, program);
    }
    if (choice.tools) {
      const os::Path& server = choice.tools->program;
      program.binds.push_back({server, server, os::SandboxBind::Use::execute});
      program.binds.insert(program.binds.end(), choice.tools->binds.begin(), choice.tools->binds.end());
    }
    return program;
  }
  if (!choice.word.starts_with(kCommand) || choice.word.size() == kCommand.size()) {
    return base::input_error(
        "agent.unknown",
        fmt::format("\"{}\" is no agent: use codex, claude, http:URL, or command:PROGRAM", choice.word));
  }
  if (choice.tools) {
    return base::input_error("agent.no_tools",
                             "only codex and claude can be given tools: no other program has sockets");
  }
  ASSAY_TRY_ASSIGN(program.argv.emplace_back(), locate(choice.word.substr(kCommand.size())));
  program.name = os::Path(program.argv.front()).filename().string();
  program.argv.push_back(prompt);
  return program;
}

Environment own_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

}  // namespace assay::agent
