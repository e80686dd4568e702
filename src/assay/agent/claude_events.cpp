// `claude --print`: messages in pieces, and at the end of each turn one `result` with the account of the whole session.
// An error of the service is a result of subtype "success" with is_error; what a message says of its usage is not final.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include <assay/agent/call_book.hpp>
#include <assay/agent/interpreter.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kMostSessions = 16;
constexpr std::size_t kMostMessages = 4096;

// Claude's "input" leaves out what came from a cache or went into one; ours has all of it.
std::optional<Usage> read_model_usage(const EventJson& result) {
  const EventJson* models = find_value(result, {"modelUsage"});
  const EventJson* dollars = find_value(result, {"total_cost_usd"});
  if (models == nullptr || !models->is_object() || dollars == nullptr || !dollars->is_number() ||
      !(dollars->get<double>() >= 0)) {
    return std::nullopt;
  }
  Usage usage;
  usage.dollars = dollars->get<double>();
  for (const auto& [model, counts] : models->items()) {
    const auto input = find_count(counts, {"inputTokens"});
    const auto output = find_count(counts, {"outputTokens"});
    const auto cached = find_count(counts, {"cacheReadInputTokens"});
    const auto written = find_count(counts, {"cacheCreationInputTokens"});
    if (!input || !output || !cached || !written) {
      return std::nullopt;
    }
    usage.tokens.input += *input + *cached + *written;
    usage.tokens.cached_input += *cached;
    usage.tokens.cache_write += *written;
    usage.tokens.output += *output;
    usage.tokens.reasoning += find_count(counts, {"thinkingTokens"}).value_or(0);
  }
  return usage;
}

Usage read_message_usage(const EventJson& event) {
  const auto count = [&](std::string_view name) { return find_count(event, {"message", "usage", name}).value_or(0); };
  Usage usage;
  usage.tokens.cached_input = count("cache_read_input_tokens");
  usage.tokens.cache_write = count("cache_creation_input_tokens");
  usage.tokens.input = count("input_tokens") + usage.tokens.cached_input + usage.tokens.cache_write;
  usage.tokens.output = count("output_tokens");
  return usage;
}

// "mcp__server__tool".
std::pair<std::string_view, std::string_view> split_tool(std::string_view name) {
  constexpr std::string_view kPrefix = "mcp__";
  if (!name.starts_with(kPrefix)) {
    return {"", name};
  }
  const std::size_t end = name.find("__", kPrefix.size());
  return end == std::string_view::npos
             ? std::pair(std::string_view(), name)
             : std::pair(name.substr(kPrefix.size(), end - kPrefix.size()), name.substr(end + 2));
}

ChangedFile change_by(std::string_view tool, const EventJson& call) {
  if (tool == "Write" || tool == "Edit" || tool == "MultiEdit") {
    return {clip(find_text(call, {"input", "file_path"}), kLongestPath), std::string(tool)};
  }
  if (tool == "NotebookEdit") {
    return {clip(find_text(call, {"input", "notebook_path"}), kLongestPath), std::string(tool)};
  }
  return {};
}

bool is_known_system(std::string_view subtype) {
  for (const std::string_view known :
       {"ui_invalidate", "thinking_tokens", "task_started", "task_notification", "task_progress", "compact_boundary",
        "status", "hook_started", "hook_response", "informational"}) {
    if (subtype == known) {
      return true;
    }
  }
  return false;
}

class ClaudeInterpreter final : public Interpreter {
 public:
  bool take(std::string_view type, const EventJson& event) override {
    began_ = true;
    if (type == "system") {
      return take_system(event);
    }
    if (type == "assistant") {
      take_message(event);
    } else if (type == "user") {
      take_tool_results(event);
    } else if (type == "result") {
      take_result(event);
    } else {
      return type == "tool_progress" || type == "stream_event" || type == "rate_limit_event";
    }
    return true;
  }

  [[nodiscard]] std::int64_t tokens_so_far() const override {
    std::int64_t tokens = 0;
    for (const auto* known : {&totals_, &messages_}) {
      for (const auto& [id, usage] : *known) {
        tokens += usage.tokens.input + usage.tokens.output;
      }
    }
    return tokens;
  }

  void conclude(const RunFacts& facts, StreamSummary& summary) override {
    summary.session = session_;
    summary.model = model_;
    summary.program_version = version_;
    summary.denials = denials_;
    summary.retries = retries_;
    summary.last_words = words_;
    summary.answer = result_.answer;
    calls_.write(summary);
    account(facts, summary);
    if (!result_.there || open_) {
      conclude_without_end(facts, began_, summary);
    } else {
      conclude_result(facts, summary);
    }
  }

 private:
  struct Result {
    bool there = false;
    std::optional<bool> is_error;
    std::string subtype;
    std::string terminal;
    std::string stop_reason;
    std::string message;
    std::string answer;
    std::optional<std::int64_t> status;
  };

  bool take_system(const EventJson& event) {
    const std::string_view subtype = find_text(event, {"subtype"});
    if (subtype == "init") {
      open_ = true;
      session_ = clip(find_text(event, {"session_id"}), kLongestName);
      model_ = clip(find_text(event, {"model"}), kLongestName);
      version_ = clip(find_text(event, {"claude_code_version"}), kLongestName);
    } else if (subtype == "api_retry") {
      ++retries_;
    } else if (subtype == "permission_denied") {
      ++denials_;
    } else {
      return is_known_system(subtype);
    }
    return true;
  }

  void take_message(const EventJson& event) {
    open_ = true;
    // One message comes in several pieces under one id; what it has cost so far is told with each.
    const std::string id = clip(find_text(event, {"message", "id"}), kLongestName);
    if (messages_.contains(id) || messages_.size() < kMostMessages) {
      Usage& known = messages_[id];
      known = larger(known, read_message_usage(event));
    }
    const EventJson* content = find_value(event, {"message", "content"});
    if (content == nullptr || !content->is_array()) {
      return;
    }
    for (const EventJson& block : *content) {
      const std::string_view kind = find_text(block, {"type"});
      if (kind == "text") {
        words_ = clip(find_text(block, {"text"}), kLongestWords);
      } else if (kind == "tool_use") {
        const std::string_view name = find_text(block, {"name"});
        const auto [server, tool] = split_tool(name);
        calls_.begin(find_text(block, {"id"}), server, tool, change_by(name, block));
      }
    }
  }

  void take_tool_results(const EventJson& event) {
    const EventJson* content = find_value(event, {"message", "content"});
    if (content == nullptr || !content->is_array()) {
      return;
    }
    for (const EventJson& block : *content) {
      if (find_text(block, {"type"}) == "tool_result") {
        calls_.end(find_text(block, {"tool_use_id"}), find_flag(block, {"is_error"}).value_or(false));
      }
    }
  }

  void take_result(const EventJson& event) {
    open_ = false;
    const std::string_view id = find_text(event, {"session_id"});
    session_ = id.empty() ? session_ : clip(id, kLongestName);
    result_ = {};
    result_.there = true;
    result_.is_error = find_flag(event, {"is_error"});
    result_.subtype = clip(find_text(event, {"subtype"}), kLongestName);
    result_.terminal = clip(find_text(event, {"terminal_reason"}), kLongestName);
    result_.stop_reason = clip(find_text(event, {"stop_reason"}), kLongestName);
    result_.status = find_count(event, {"api_error_status"});
    result_.message = clip(find_text(event, {"result"}), kLongestWords);
    if (const EventJson* errors = find_value(event, {"errors"});
        errors != nullptr && errors->is_array() && !errors->empty() && errors->front().is_string()) {
      result_.message = clip(errors->front().get_ref<const std::string&>(), kLongestWords);
    } else if (!result_.message.empty()) {
      words_ = result_.message;
    }
    if (const EventJson* answer = find_value(event, {"structured_output"}); answer != nullptr && !answer->is_null()) {
      result_.answer = clip(answer->dump(-1, ' ', false, EventJson::error_handler_t::replace), kLongestWords);
    }
    const std::optional<Usage> total = read_model_usage(event);
    if (total && (totals_.contains(session_) || totals_.size() < kMostSessions)) {
      Usage& known = totals_[session_];
      known = larger(known, *total);
      messages_.clear();  // It covers them.
    } else {
      lost_ = true;
    }
  }

  void account(const RunFacts& facts, StreamSummary& summary) const {
    Usage total;
    for (const auto& [session, usage] : totals_) {
      total = total + usage;
    }
    if (!totals_.empty()) {
      summary.session_total = total;
    }
    if (!totals_.empty() && !lost_ && !open_) {
      summary.spend = spend_of(total, Certainty::exact, facts);
      return;
    }
    // Killed in a turn: the messages say what they began with, and no more.
    Usage begun;
    for (const auto& [id, usage] : messages_) {
      begun = begun + usage;
    }
    if (!totals_.empty()) {
      summary.spend = spend_of(total, Certainty::at_least, facts);
      summary.spend.usage = summary.spend.usage + begun;
    } else if (!messages_.empty()) {
      summary.spend = {Certainty::at_least, begun};  // Of this run alone: messages are no totals.
    }
  }

  void conclude_result(const RunFacts& facts, StreamSummary& summary) const {
    const Result& result = result_;
    summary.cause = result.message.empty() ? result.subtype : clip(result.message, kLongestPath);
    if (summary.cause.empty()) {
      summary.cause = "its result does not say how it ended";
    }
    if (result.subtype == "error_max_turns" || result.subtype == "error_max_budget_usd") {
      summary.outcome = RunOutcome::limit_reached;
    } else if (result.subtype == "error_during_execution" && result.terminal.starts_with("aborted")) {
      summary.outcome = RunOutcome::interrupted;
      summary.cause = "a signal ended it, and it gave its account: " + result.terminal;
    } else if (result.subtype != "success" || !result.is_error) {
      summary.outcome = RunOutcome::failed;
    } else if (*result.is_error) {
      summary.outcome = result.status                    ? classify_status(*result.status, result.message)
                        : result.terminal == "api_error" ? classify_unreachable(result.message)
                                                         : classify_failure(result.message);
    } else if (result.stop_reason == "refusal") {
      summary.outcome = RunOutcome::refused;
    } else if (facts.exit_code.value_or(0) != 0 || facts.signal) {
      summary.outcome = facts.signal_seen() ? RunOutcome::interrupted : RunOutcome::failed;
      summary.cause = "it told of success, and then it did not end well";
    } else if (facts.answer_wanted && result.answer.empty()) {
      summary.outcome = RunOutcome::failed;
      summary.cause = "a structured answer was asked for, and it gave none";
    } else {
      summary.outcome = RunOutcome::finished;
      summary.cause = "it ended its turn";  // What it says is no cause.
    }
  }

  // The service gave no status at all: unless its words say otherwise, it was not there.
  static RunOutcome classify_unreachable(std::string_view message) {
    const RunOutcome outcome = classify_failure(message);
    return outcome == RunOutcome::failed ? RunOutcome::unavailable : outcome;
  }

  std::string session_;
  std::string model_;
  std::string version_;
  std::string words_;
  Result result_;
  CallBook calls_;
  std::map<std::string, Usage> totals_;    // One a session.
  std::map<std::string, Usage> messages_;  // Since the last account.
  std::int64_t retries_ = 0;
  std::int64_t denials_ = 0;
  bool began_ = false;
  bool open_ = false;  // A turn has begun that has no result yet.
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<Interpreter> make_claude_interpreter() { return std::make_unique<ClaudeInterpreter>(); }

}  // namespace assay::agent
