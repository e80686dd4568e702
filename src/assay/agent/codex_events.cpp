// `codex exec --json`: threads, turns and items. A thread's usage is a total, told when a turn completes and never when
// one fails; errors that it tells on the way may pass.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include <assay/agent/call_book.hpp>
#include <assay/agent/interpreter.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kMostThreads = 16;

// The names of the fields of "usage". Codex's "input_tokens" includes what was cached already.
std::optional<Usage> read_thread_usage(const EventJson& event) {
  const auto input = find_count(event, {"usage", "input_tokens"});
  const auto output = find_count(event, {"usage", "output_tokens"});
  if (!input || !output) {
    return std::nullopt;
  }
  Usage usage;
  usage.tokens = {*input, find_count(event, {"usage", "cached_input_tokens"}).value_or(0),
                  find_count(event, {"usage", "cache_write_input_tokens"}).value_or(0), *output,
                  find_count(event, {"usage", "reasoning_output_tokens"}).value_or(0)};
  return usage;
}

class CodexInterpreter final : public Interpreter {
 public:
  bool take(std::string_view type, const EventJson& event) override {
    began_ = true;
    if (type == "thread.started") {
      thread_ = clip(find_text(event, {"thread_id"}), kLongestName);
    } else if (type == "turn.started") {
      ending_ = Ending::none;
    } else if (type == "turn.completed") {
      complete(event);
    } else if (type == "turn.failed") {
      ending_ = Ending::failed;
      message_ = clip(find_text(event, {"error", "message"}), kLongestPath);
      lost_ = true;
    } else if (type == "error") {
      // "Reconnecting... 1/5": it may pass, so it ends nothing.
      ++retries_;
    } else if (type == "item.started" || type == "item.updated" || type == "item.completed") {
      return take_item(type, event);
    } else {
      return false;
    }
    return true;
  }

  [[nodiscard]] std::int64_t tokens_so_far() const override {
    std::int64_t tokens = 0;
    for (const auto& [thread, usage] : totals_) {
      tokens += usage.tokens.input + usage.tokens.output;
    }
    return tokens;
  }

  void conclude(const RunFacts& facts, StreamSummary& summary) override {
    summary.session = thread_;
    summary.retries = retries_;
    summary.last_words = words_;
    calls_.write(summary);
    account(facts, summary);
    switch (ending_) {
      case Ending::none:
        conclude_without_end(facts, began_, summary);
        break;
      case Ending::failed:
        summary.outcome = classify_failure(message_);
        summary.cause = message_.empty() ? "its turn failed, and it does not say why" : message_;
        break;
      case Ending::completed:
        conclude_completed(facts, summary);
        break;
    }
  }

 private:
  enum class Ending : std::uint8_t { none, completed, failed };

  void complete(const EventJson& event) {
    ending_ = Ending::completed;
    const std::optional<Usage> total = read_thread_usage(event);
    if (!total) {
      lost_ = true;
      return;
    }
    lost_ = false;  // A total covers the turns that failed before, too.
    if (totals_.contains(thread_) || totals_.size() < kMostThreads) {
      Usage& known = totals_[thread_];
      known = larger(known, *total);
    } else {
      lost_ = true;
    }
  }

  // False for an item of a kind that is not known.
  bool take_item(std::string_view type, const EventJson& event) {
    const std::string_view kind = find_text(event, {"item", "type"});
    const bool completed = type == "item.completed";
    if (kind == "agent_message") {
      if (completed) {
        words_ = clip(find_text(event, {"item", "text"}), kLongestWords);
      }
    } else if (kind == "command_execution") {
      take_call(event, completed, "", "shell");
    } else if (kind == "mcp_tool_call") {
      take_call(event, completed, find_text(event, {"item", "server"}), find_text(event, {"item", "tool"}));
    } else if (kind == "web_search" || kind == "collab_tool_call") {
      take_call(event, completed, "", kind);
    } else if (kind == "file_change") {
      take_call(event, completed, "", "file_change");
      if (completed && find_text(event, {"item", "status"}) == "completed") {
        take_changes(event);
      }
    } else {
      return kind == "reasoning" || kind == "todo_list" || kind == "plan" || kind == "error";
    }
    return true;
  }

  // A call that was not allowed is told as one that failed, or, by newer versions, as declined.
  void take_call(const EventJson& event, bool completed, std::string_view server, std::string_view tool) {
    const std::string_view id = find_text(event, {"item", "id"});
    if (!completed) {
      calls_.begin(id, server, tool);
      return;
    }
    const std::string_view status = find_text(event, {"item", "status"});
    const bool failed = status == "failed" || status == "declined";
    if (calls_.is_open(id)) {
      calls_.end(id, failed);
    } else {
      calls_.add(server, tool, failed);
    }
  }

  void take_changes(const EventJson& event) {
    const EventJson* changes = find_value(event, {"item", "changes"});
    if (changes == nullptr || !changes->is_array()) {
      return;
    }
    for (const EventJson& change : *changes) {
      calls_.add_file(find_text(change, {"path"}), find_text(change, {"kind"}));
    }
  }

  void account(const RunFacts& facts, StreamSummary& summary) const {
    if (totals_.empty()) {
      return;  // Unknown: a turn that fails or is killed tells nothing.
    }
    Usage total;
    for (const auto& [thread, usage] : totals_) {
      total = total + usage;
    }
    summary.session_total = total;
    const bool whole = !lost_ && ending_ == Ending::completed;
    summary.spend = spend_of(total, whole ? Certainty::exact : Certainty::at_least, facts);
  }

  void conclude_completed(const RunFacts& facts, StreamSummary& summary) const {
    if (facts.exit_code.value_or(0) != 0 || facts.signal) {
      summary.outcome = facts.signal_seen() ? RunOutcome::interrupted : RunOutcome::failed;
      summary.cause = "its turn completed, and then it did not end well";
      return;
    }
    const auto answer = parse_event(words_);
    if (answer) {
      summary.answer = words_;
    }
    const bool missing = facts.answer_wanted && !answer;
    summary.outcome = missing ? RunOutcome::failed : RunOutcome::finished;
    summary.cause = missing ? "a structured answer was asked for, and its last message is none" : "its turn completed";
  }

  std::string thread_;
  std::string message_;
  std::string words_;
  CallBook calls_;
  std::map<std::string, Usage> totals_;  // One a thread.
  std::int64_t retries_ = 0;
  Ending ending_ = Ending::none;
  bool began_ = false;
  bool lost_ = false;  // Something was spent after the last total that was told.
};

}  // namespace

std::unique_ptr<Interpreter> make_codex_interpreter() { return std::make_unique<CodexInterpreter>(); }

}  // namespace assay::agent
