#include <assay/agent/chat_completion.hpp>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/agent/event_line.hpp>
#include <assay/agent/stream_summary.hpp>
#include <assay/base/json.hpp>
#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

constexpr int kFirstRedirect = 300;
constexpr int kFirstError = 400;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kFirstServerError = 500;
constexpr double kMostDollars = 1e6;
constexpr std::size_t kLongestMessage = 300;

std::string one_line(std::string_view text) {
  std::string line = clip(base::printable(text), kLongestMessage);
  for (char& c : line) {
    c = c == '\n' || c == '\t' ? ' ' : c;
  }
  return line;
}

// {"error": {"message": …}}, {"error": "…"}, {"message": …}; else the body's beginning.
std::string message_in(const std::optional<EventJson>& json, const std::string& body) {
  if (json) {
    for (const std::string_view text :
         {find_text(*json, {"error", "message"}), find_text(*json, {"error"}), find_text(*json, {"message"})}) {
      if (!text.empty()) {
        return one_line(text);
      }
    }
  }
  return one_line(body);
}

Spend nothing_spent() { return {Certainty::exact, {}}; }

// Without the two counts it is no account.
Spend spend_in(const EventJson& json) {
  const auto input = find_count(json, {"usage", "prompt_tokens"});
  const auto output = find_count(json, {"usage", "completion_tokens"});
  if (!input || !output) {
    return {};
  }
  Spend spend;
  spend.certainty = Certainty::exact;
  spend.usage.tokens.input = *input;
  spend.usage.tokens.output = *output;
  spend.usage.tokens.cached_input = find_count(json, {"usage", "prompt_tokens_details", "cached_tokens"}).value_or(0);
  spend.usage.tokens.reasoning =
      find_count(json, {"usage", "completion_tokens_details", "reasoning_tokens"}).value_or(0);
  // Some services that pass requests on tell their price.
  if (const EventJson* cost = find_value(json, {"usage", "cost"}); cost != nullptr && cost->is_number()) {
    const double dollars = cost->get<double>();
    if (dollars >= 0 && dollars <= kMostDollars) {
      spend.usage.dollars = dollars;
    }
  }
  return spend;
}

ChatAnswer fault_answer(const HttpAnswer& answer) {
  ChatAnswer chat;
  chat.cause = one_line(answer.what);
  switch (answer.fault) {
    case HttpFault::refused:
      chat.outcome = RunOutcome::not_started;
      chat.spend = nothing_spent();
      break;
    case HttpFault::unreachable:
      chat.outcome = RunOutcome::unavailable;
      chat.spend = nothing_spent();
      chat.again = true;
      break;
    case HttpFault::timed_out:
      chat.outcome = RunOutcome::timed_out;
      break;
    case HttpFault::too_large:
      chat.outcome = RunOutcome::failed;
      break;
    case HttpFault::cut_off:
    case HttpFault::none:
      chat.outcome = RunOutcome::truncated;
      break;
  }
  return chat;
}

ChatAnswer refused_by_status(const HttpAnswer& answer, const std::optional<EventJson>& json) {
  ChatAnswer chat;
  const std::string message = message_in(json, answer.body);
  chat.cause = fmt::format("HTTP status {}: {}", answer.status, message);
  if (answer.status < kFirstError) {
    chat.outcome = RunOutcome::not_started;
    chat.cause =
        fmt::format("HTTP status {}: redirects are not followed, for the key would go with them", answer.status);
  } else if (answer.status == kNotFound || answer.status == kMethodNotAllowed) {
    chat.outcome = RunOutcome::not_started;  // No such address or model: no run fares better before that is mended.
  } else {
    chat.outcome = classify_status(answer.status, message);
    chat.again = chat.outcome == RunOutcome::rate_limited || chat.outcome == RunOutcome::unavailable;
  }
  if (answer.status < kFirstServerError) {
    chat.spend = nothing_spent();  // What is refused is not billed; what failed on the way may be.
  }
  return chat;
}

// The first choice alone: more were not asked for.
const EventJson* first_choice(const EventJson& json) {
  const EventJson* choices = find_value(json, {"choices"});
  return choices != nullptr && choices->is_array() && !choices->empty() && choices->front().is_object()
             ? &choices->front()
             : nullptr;
}

void read_choice(const EventJson& choice, bool limited, ChatAnswer& chat) {
  chat.content = find_text(choice, {"message", "content"});
  const std::string_view refusal = find_text(choice, {"message", "refusal"});
  const std::string_view reason = find_text(choice, {"finish_reason"});
  if (!refusal.empty() || reason == "content_filter") {
    chat.outcome = RunOutcome::refused;
    chat.cause = refusal.empty() ? "the service filtered the answer" : one_line(refusal);
  } else if (reason == "length") {
    chat.outcome = limited ? RunOutcome::limit_reached : RunOutcome::failed;
    chat.cause = "the answer ends at the limit of tokens";
  } else if (chat.content.empty()) {
    chat.outcome = RunOutcome::failed;
    chat.cause = fmt::format("the answer has no text (finish_reason \"{}\")", one_line(reason));
  } else if (reason == "stop") {
    chat.outcome = RunOutcome::finished;
    chat.cause = "the model ended its answer";
  } else {
    chat.outcome = RunOutcome::failed;
    chat.cause = fmt::format("the answer ended for a reason that is not known: \"{}\"", one_line(reason));
  }
}

}  // namespace

std::string encode_chat_request(const std::string& model, const std::string& system, const std::string& user,
                                std::optional<std::int64_t> most_tokens) {
  base::Json json = {{"model", model}, {"stream", false}};
  json["messages"] = base::Json::array();
  json["messages"].push_back({{"role", "system"}, {"content", system}});
  json["messages"].push_back({{"role", "user"}, {"content", user}});
  if (most_tokens) {
    json["max_completion_tokens"] = *most_tokens;
  }
  return base::dump_compact(json);
}

ChatAnswer read_chat_answer(const HttpAnswer& answer, bool limited) {
  if (answer.fault != HttpFault::none) {
    return fault_answer(answer);
  }
  const std::optional<EventJson> json = parse_event(answer.body);
  if (answer.status >= kFirstRedirect) {
    return refused_by_status(answer, json);
  }
  ChatAnswer chat;
  chat.outcome = RunOutcome::failed;
  if (!json) {
    chat.cause = fmt::format("the answer is no JSON object: {}", one_line(answer.body));
    return chat;
  }
  chat.spend = spend_in(*json);
  chat.id = clip(base::printable(find_text(*json, {"id"})), kLongestName);
  chat.model = clip(base::printable(find_text(*json, {"model"})), kLongestName);
  const EventJson* choice = first_choice(*json);
  if (choice != nullptr) {
    read_choice(*choice, limited, chat);
  } else if (find_value(*json, {"error"}) != nullptr) {
    chat.cause = message_in(json, answer.body);
    chat.outcome = classify_failure(chat.cause);
  } else {
    chat.cause = "the answer is no chat completion: it has no choices";
  }
  return chat;
}

}  // namespace assay::agent
