#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/agent/proposer.hpp>
#include <assay/base/json.hpp>

/// What a summariser says about candidates, held against their sources and their measurements. A model invents causes: of
/// what it says only what could be checked is ever told to another one, and in our words.
namespace assay::agent {

/// Persisted as text, as what follows is.
enum class ClaimKind : std::uint8_t {
  file_changed,    ///< `file` differs from the parent's.
  file_unchanged,  ///< It does not.
  text_added,      ///< `text` occurs in `file` more often than in the parent's, comments left out.
  text_removed,    ///< Less often.
  faster,          ///< Than the baseline or the parent (`against`).
  slower,
  speedup,  ///< `value` times as fast.
  outcome,  ///< `text` is what became of it.
  cause,    ///< `text` says why. Nothing here can check that.
};
inline constexpr std::array<std::string_view, 9> kClaimKinds = {
    "file_changed", "file_unchanged", "text_added", "text_removed", "faster", "slower", "speedup", "outcome", "cause"};

enum class ClaimAgainst : std::uint8_t { none, baseline, parent };
inline constexpr std::array<std::string_view, 3> kClaimAgainst = {"none", "baseline", "parent"};

enum class ClaimStatus : std::uint8_t {
  checked,       ///< Sources or measurements say the same.
  contradicted,  ///< They say otherwise.
  unverifiable,  ///< They do not say.
};
inline constexpr std::array<std::string_view, 3> kClaimStatuses = {"checked", "contradicted", "unverifiable"};

[[nodiscard]] constexpr std::string_view to_string(ClaimKind kind) {
  return kClaimKinds[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view to_string(ClaimAgainst against) {
  return kClaimAgainst[static_cast<std::size_t>(against)];
}
[[nodiscard]] constexpr std::string_view to_string(ClaimStatus status) {
  return kClaimStatuses[static_cast<std::size_t>(status)];
}

struct Claim {
  int candidate = 0;
  ClaimKind kind = ClaimKind::cause;
  std::string file;
  std::string text;
  ClaimAgainst against = ClaimAgainst::none;
  double value = 0;
  bool operator==(const Claim&) const = default;
};

struct JudgedClaim {
  Claim claim;
  ClaimStatus status = ClaimStatus::unverifiable;
  std::string why;  ///< What sources or measurements say, in our words.
  bool operator==(const JudgedClaim&) const = default;
};

/// What one summariser's run came to. Journalled.
struct Summary {
  std::string run;  ///< Empty: none gave an answer that could be used.
  int up_to = 0;    ///< The last candidate that it is about.
  std::vector<JudgedClaim> claims;
  std::vector<std::string> faults;
};

/// What claims about one candidate are held against.
struct ClaimFacts {
  int candidate = 0;
  int parent = 0;  ///< 0: the baseline.
  std::vector<task::SourceFile> sources;
  std::vector<task::SourceFile> parent_sources;
  task::Outcome outcome = task::Outcome::measured;
  std::optional<LogInterval> to_baseline;  ///< Absent: not measured.
  std::optional<LogInterval> to_parent;
};

/// Gathers the facts about a trial. `parent` is its parent's trial; nullptr: the baseline.
[[nodiscard]] ClaimFacts facts_of(const Trial& trial, const Trial* parent, const task::Solution& baseline);

struct ClaimReading {
  std::vector<Claim> claims;
  std::vector<std::string> faults;
};
inline constexpr std::size_t kMostClaims = 64;

/// Reads a summariser's answer about these candidates. One claim that is wrong does not spoil the others.
[[nodiscard]] ClaimReading read_summary_answer(std::string_view answer, const std::vector<ClaimFacts>& facts);

/// The schema of that answer: schemas/summary.schema.json is the same.
[[nodiscard]] std::string summary_schema();

/// Holds a claim against the facts about its candidate.
[[nodiscard]] JudgedClaim judge_claim(const Claim& claim, const ClaimFacts& facts);

/// Says a claim that was checked in our words: what a file's name or a text of the source holds is quoted and nothing else
/// of the model's remains.
[[nodiscard]] std::string lesson_of(const JudgedClaim& judged);

[[nodiscard]] base::Json encode(const Summary& summary);

}  // namespace assay::agent
