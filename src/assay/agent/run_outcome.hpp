#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::agent {

/// How a run of an agent ended. It says nothing about what the run is worth: only the files that it left do, and only
/// once they are judged. Persisted as text; the spellings never change.
enum class RunOutcome : std::uint8_t {
  finished,        ///< It ended its turn by itself.
  failed,          ///< By an error of its own: no room in the context, an answer that is not what was asked for.
  refused,         ///< The model, or its provider's rules, would not do it.
  limit_reached,   ///< It kept to a limit that we gave it: turns, or dollars.
  quota,           ///< The account has no credit or allowance left.
  rate_limited,    ///< Too many requests; later it would work.
  authentication,  ///< The key is missing, wrong, or may not use the model.
  unavailable,     ///< The model's service failed, is overloaded, or cannot be reached.
  not_started,     ///< The program ended before it asked a model for anything: a bad option, a broken tool server.
  interrupted,     ///< A signal ended it; it may have said so.
  timed_out,       ///< We ended it at its time limit. Never read from a stream.
  truncated,       ///< The stream ends without an end, and nobody knows why.
};

inline constexpr std::array<std::string_view, 12> kRunOutcomes = {
    "finished",       "failed",      "refused",     "limit_reached", "quota",     "rate_limited",
    "authentication", "unavailable", "not_started", "interrupted",   "timed_out", "truncated"};

[[nodiscard]] constexpr std::string_view to_string(RunOutcome outcome) {
  return kRunOutcomes[static_cast<std::size_t>(outcome)];
}

/// Tells whether the machine or the account is to blame: such a run is no evidence about the agent, and another would
/// fare no better before a person has mended the cause.
[[nodiscard]] constexpr bool is_environment(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::quota:
    case RunOutcome::rate_limited:
    case RunOutcome::authentication:
    case RunOutcome::unavailable:
    case RunOutcome::not_started:
      return true;
    case RunOutcome::finished:
    case RunOutcome::failed:
    case RunOutcome::refused:
    case RunOutcome::limit_reached:
    case RunOutcome::interrupted:
    case RunOutcome::timed_out:
    case RunOutcome::truncated:
      break;
  }
  return false;
}

/// What a person can do about an outcome; empty where there is nothing.
[[nodiscard]] std::string_view remedy(RunOutcome outcome);

/// Classifies the message of a final error, which the agent's program wrote (never the model): by HTTP status where it
/// names one, else by its words. What is not recognised is `failed`.
[[nodiscard]] RunOutcome classify_failure(std::string_view message);

/// Classifies an HTTP status of the model's service; `message` decides where the status does not.
[[nodiscard]] RunOutcome classify_status(std::int64_t status, std::string_view message);

}  // namespace assay::agent
