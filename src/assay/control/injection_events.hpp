#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <assay/control/ledger.hpp>
#include <assay/control/log_ratio.hpp>
#include <assay/promote/decision.hpp>
#include <assay/task/outcome.hpp>
#include <assay/task/solution.hpp>

/// The events of injections: solutions whose answer is known, sent through gate and sweep to see whether the rules find
/// it. They are no candidates: none can become the incumbent, and none counts among a campaign's sweeps. Kinds of
/// events of a journal, under the rules of events.hpp.
namespace assay::control {

/// What is known of an injected solution. Persisted as text.
enum class InjectionKind : std::uint8_t {
  null,    ///< A copy of the incumbent that differs in a comment: not better, whatever it seems.
  slower,  ///< The baseline, after an incumbent that beats it by far: not better, and surely so.
};

[[nodiscard]] std::string_view to_string(InjectionKind kind);

/// An injection begins. Its solution is in the archive.
struct InjectionMade {
  static constexpr std::string_view kKind = "injection_made";
  int number = 0;  ///< From 1, of injections; candidates have numbers of their own.
  InjectionKind kind = InjectionKind::null;
  int round = 0;        ///< The round after which it is made.
  int of = 0;           ///< The candidate that it copies; 0: the baseline.
  bool sweeps = false;  ///< Whether it is swept whatever its gate says.
  std::string name;
  task::CandidateIdentity identity;
};

/// Its gate has ended. Lands in one transaction with its evaluation.
struct InjectionGated {
  static constexpr std::string_view kKind = "injection_gated";
  int injection = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  std::optional<LogRatio> log_ratio;            ///< Against the incumbent; null where nothing could be compared.
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// Its sweep has ended. Lands in one transaction with its evaluation.
struct InjectionSwept {
  static constexpr std::string_view kKind = "injection_swept";
  int injection = 0;
  std::string evaluation;
  task::Outcome outcome = task::Outcome::measured;
  std::string cause;
  promote::Decision decision;
  std::optional<Amounts> spent = std::nullopt;  ///< What the ledger books for it; journals of before had none.
};

/// The alarm: the rule would have promoted a copy of the incumbent.
struct NullPromoted {
  static constexpr std::string_view kKind = "null_promoted";
  int injection = 0;
  std::string why;
};

/// Less than an alarm: a known loser was not told from the incumbent, or a copy of the incumbent failed.
struct InjectionWarned {
  static constexpr std::string_view kKind = "injection_warned";
  int injection = 0;
  std::string why;
};

}  // namespace assay::control
