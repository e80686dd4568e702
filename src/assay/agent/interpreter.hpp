#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <assay/agent/dialect.hpp>
#include <assay/agent/event_line.hpp>
#include <assay/agent/stream_summary.hpp>

namespace assay::agent {

/// What is known of a run from outside its stream.
struct RunFacts {
  std::optional<int> exit_code;  ///< 128 + n: a shell's word for signal n. Absent: unknown.
  std::optional<int> signal;     ///< What killed it.
  bool answer_wanted = false;    ///< A structured answer was asked for.
  /// What the session had cost when this run began, for a run that resumed or forked one: totals include it.
  std::optional<Usage> before;

  /// The signal, also where a shell or the program itself put it into an exit code.
  [[nodiscard]] std::optional<int> signal_seen() const;
};

/// Understands the events of one program. Pure: fed with events, it does nothing.
class Interpreter {
 public:
  virtual ~Interpreter() = default;
  /// Takes an event of this type. Returns false for one that it does not know.
  virtual bool take(std::string_view type, const EventJson& event) = 0;
  /// Fills in everything but the lines.
  virtual void conclude(const RunFacts& facts, StreamSummary& summary) = 0;
  /// Tokens, in and out, that are known to be spent by now, of the session as it tells them.
  [[nodiscard]] virtual std::int64_t tokens_so_far() const = 0;
};

[[nodiscard]] std::unique_ptr<Interpreter> make_codex_interpreter();
[[nodiscard]] std::unique_ptr<Interpreter> make_claude_interpreter();

/// Says how a stream without an end of its own ended. `began`: whether there was any event.
void conclude_without_end(const RunFacts& facts, bool began, StreamSummary& summary);

/// Turns the total of a session into the spend of a run, with what its runs before had cost.
[[nodiscard]] Spend spend_of(const Usage& total, Certainty certainty, const RunFacts& facts);

}  // namespace assay::agent
