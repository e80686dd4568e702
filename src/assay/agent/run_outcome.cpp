#include <assay/agent/run_outcome.hpp>

#include <algorithm>
#include <initializer_list>

#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kStatusDigits = 3;
constexpr int kUnauthorised = 401;
constexpr int kPaymentRequired = 402;
constexpr int kForbidden = 403;
constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;
constexpr int kServerErrors = 500;
constexpr int kEndOfStatuses = 600;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// "unexpected status 401 Unauthorized", "last status: 429": three digits after that word. A port in an address, or a
// number in a sentence, is none.
int status_in(std::string_view text) {
  constexpr std::string_view kWord = "status";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    std::size_t digits = at + kWord.size();
    while (digits < text.size() && (text[digits] == ' ' || text[digits] == ':')) {
      ++digits;
    }
    std::size_t end = digits;
    int status = 0;
    while (end < text.size() && end - digits <= kStatusDigits && base::is_digit(text[end])) {
      status = status * 10 + (text[end] - '0');
      ++end;
    }
    if (end - digits == kStatusDigits) {
      return status;
    }
  }
  return 0;
}

bool speaks_of_quota(std::string_view text) {
  return has_any(text, {"usage limit", "quota", "billing", "credit balance", "out of credit", "more credits"});
}

bool speaks_of_refusal(std::string_view text) {
  return has_any(text, {"usage policy", "usage policies", "content policy", "content_filter", "content filter",
                        "safety reasons", "refused to"});
}

}  // namespace

std::string_view remedy(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::quota:
      return "add credit or wait until the allowance is renewed, then resume";
    case RunOutcome::rate_limited:
      return "wait, or run fewer agents at once, then resume";
    case RunOutcome::authentication:
      return "give the agent's program a valid key, then resume";
    case RunOutcome::unavailable:
      return "check the network and the provider's status, then resume";
    case RunOutcome::not_started:
      return "read its stderr: an option or a tool server of its configuration is wrong";
    case RunOutcome::finished:
    case RunOutcome::failed:
    case RunOutcome::refused:
    case RunOutcome::limit_reached:
    case RunOutcome::interrupted:
    case RunOutcome::timed_out:
    case RunOutcome::truncated:
      break;
  }
  return "";
}

RunOutcome classify_status(std::int64_t status, std::string_view message) {
  const std::string text = base::lower(message);
  if (status == kUnauthorised || status == kForbidden) {
    return RunOutcome::authentication;
  }
  if (status == kPaymentRequired || speaks_of_quota(text)) {
    return RunOutcome::quota;
  }
  if (status == kTooManyRequests) {
    return RunOutcome::rate_limited;
  }
  if (status == kRequestTimeout || (status >= kServerErrors && status < kEndOfStatuses)) {
    return RunOutcome::unavailable;
  }
  return speaks_of_refusal(text) ? RunOutcome::refused : RunOutcome::failed;
}

RunOutcome classify_failure(std::string_view message) {
  const std::string text = base::lower(message);
  if (const int status = status_in(text); status != 0) {
    return classify_status(status, message);
  }
  if (speaks_of_quota(text)) {
    return RunOutcome::quota;
  }
  if (has_any(text, {"too many requests", "rate limit", "rate_limit"})) {
    return RunOutcome::rate_limited;
  }
  if (has_any(text, {"unauthorized", "api key", "authenticat", "not logged in", "please run /login"})) {
    return RunOutcome::authentication;
  }
  if (has_any(text, {"disconnected", "overloaded", "connection", "idle timeout", "timed out", "unavailable",
                     "error sending request", "internal server error", "dns"})) {
    return RunOutcome::unavailable;
  }
  return speaks_of_refusal(text) ? RunOutcome::refused : RunOutcome::failed;
}

}  // namespace assay::agent
