#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/agent/http_exchange.hpp>
#include <assay/agent/run_outcome.hpp>
#include <assay/agent/usage.hpp>

namespace assay::agent {

/// Encodes one question in the form of OpenAI's chat completions: a system's and a user's message, no stream, no tools.
/// `most_tokens`: of the answer; absent: the service's own limit.
[[nodiscard]] std::string encode_chat_request(const std::string& model, const std::string& system,
                                              const std::string& user, std::optional<std::int64_t> most_tokens);

/// What an exchange came to, in the terms of a run.
struct ChatAnswer {
  RunOutcome outcome = RunOutcome::truncated;
  std::string cause;
  Spend spend;
  std::string id;
  std::string model;    ///< As the service names it.
  std::string content;  ///< The model's words, also of one that reached a limit. Never evidence.
  bool again = false;   ///< Another try may fare better: the service is busy or has failed.
};

/// Reads an answer; whatever its bytes are, it is one of RunOutcome. `limited`: a limit of tokens was given.
[[nodiscard]] ChatAnswer read_chat_answer(const HttpAnswer& answer, bool limited);

}  // namespace assay::agent
