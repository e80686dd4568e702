#pragma once

#include <optional>
#include <string>

#include <assay/base/json.hpp>
#include <assay/control/state.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/evaluation.hpp>

/// What may be told of a candidate to whoever submits candidates. Everything is put together here from closed sets of words
/// and from numbers: a judge's own sentences name workloads, seeds, and values that were expected, so none is handed on.
namespace assay::mcp {

/// Says in words what became of a candidate. `evaluation`, if there is one, says more closely what was wrong: which tensor of
/// the definition, never where or by how much.
[[nodiscard]] std::string explain(const control::CandidateState& candidate, const task::Definition& definition,
                                  const task::Evaluation* evaluation);

/// How many times as fast as the baseline, chained over incumbents; null where nothing was measured.
[[nodiscard]] base::Json encode_effect(const control::CandidateState& candidate);
/// The same from a speedup with its bounds; a bound that is not finite is null.
[[nodiscard]] base::Json encode_effect(double estimate, std::optional<double> lower, std::optional<double> upper);

/// A candidate as every tool tells it.
[[nodiscard]] base::Json encode_candidate(const control::CandidateState& candidate, const task::Definition& definition,
                                          const task::Evaluation* evaluation);

/// Where a candidate is on its way.
enum class Stage : std::uint8_t {
  queued,             ///< Submitted; not in the journal yet.
  judging,            ///< In the journal, and not all that follows has happened.
  after_run,          ///< Submitted, and judged when the run of the agent that submitted it has ended.
  stalled,            ///< As queued or judging, and the machine has stopped the work.
  awaiting_approval,  ///< It won, and a person must answer.
  judged,
  not_judged,  ///< The campaign ended before its turn.
};
[[nodiscard]] std::string_view to_string(Stage stage);
/// Whether nothing more is to be waited for: by this caller, at least.
[[nodiscard]] bool is_final(Stage stage);
/// The stage of a candidate of the journal.
[[nodiscard]] Stage stage_of(const control::CandidateState& candidate, const control::CampaignState& state);

/// A text that somebody outside wrote, made printable and bounded, on one line.
[[nodiscard]] std::string safe_line(std::string_view text, std::size_t longest = 300);

}  // namespace assay::mcp
