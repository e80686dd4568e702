#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <assay/agent/agent_choice.hpp>
#include <assay/agent/agent_run.hpp>
#include <assay/agent/http_exchange.hpp>
#include <assay/base/error.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

/// The variable of our environment that holds the key of an http agent. One of its own, so that no other service's key is
/// sent to an address that somebody typed.
inline constexpr const char* kHttpKeyVariable = "ASSAY_HTTP_KEY";

/// A model behind an address that speaks OpenAI's chat completions. It has no tools, no folder and no network: text in, text
/// out.
struct HttpAgent {
  std::string url;  ///< Of the completions: "https://example.com/v1/chat/completions".
  std::string model;
  std::string key;                          ///< Empty: none is sent.
  std::optional<std::int64_t> most_tokens;  ///< Of one answer.

  HttpExchange exchange = exchange_by_curl;
  /// Waits between two tries; in tests it does not.
  std::function<void(std::chrono::nanoseconds)> wait;
};

/// Tries of one run; between them at least 1, 2 and 4 s, or what the service asks for, up to kLongestRetryWait.
inline constexpr int kHttpTries = 4;
inline constexpr std::chrono::seconds kLongestRetryWait{60};

/// Tells whether a word names one: "http:URL", or a URL of http or https itself.
[[nodiscard]] bool names_http_agent(std::string_view word);

/// Makes one. A word without a host, or no model, is an input error.
[[nodiscard]] base::Result<HttpAgent> make_http_agent(const AgentChoice& choice, const Environment& environment);

/// Asks once for a candidate: the prompt, state and sources that lie in `folder` go out, and the files of the answer are
/// written into it, as a program would leave them. A busy or failing service is asked again within `limits`; each exchange is
/// kept in `record`, a new file, without the key. `origin` is the solution whose sources lie there. What the answer is and says
/// is never an error.
[[nodiscard]] base::Result<AgentRun> run_http_agent(const HttpAgent& agent, const task::Solution& origin,
                                                    const os::Path& folder, const os::Path& record,
                                                    const RunLimits& limits);

}  // namespace assay::agent
