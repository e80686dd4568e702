#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/base/timing.hpp>
#include <assay/service/context.hpp>
#include <assay/service/corpus.hpp>

namespace assay::service {

struct SelftestOptions {
  std::vector<os::Path> corpora;            ///< Folders; empty: those that come with Assay for this device.
  std::string device = "cpu";               ///< base::DeviceName.
  std::optional<base::TimingMethod> clock;  ///< Absent: the device's own. What the entries state was found with that.
  base::CacheState cache = base::CacheState::cold;
  int runs = 1;         ///< How often the whole corpus is judged, each time with other seeds and in another order.
  std::string only;     ///< Entries whose name contains this; empty: all.
  bool ablate = false;  ///< Only hostile entries that a probe catches, each once more without that probe.
  std::string definition = "gdn_decode_qk4_v8_d128_k_last";  ///< What the candidates implement.
};

/// What is about to be judged, known before anything is run.
struct SelftestPlan {
  std::vector<os::Path> corpora;
  std::string device = "cpu";
  base::Timing timing;
  std::vector<CorpusEntry> entries;
  task::Definition definition;
  std::vector<task::Workload> workloads;  ///< Two: the smallest, and the next that is at least twice as large.
  task::Solution incumbent;               ///< For entries at the gate.
  int runs = 1;
  bool ablate = false;
  bool build_ahead = false;  ///< Compile on all CPUs first. Off where builds cost nothing.
};

/// What happened to an entry without the probe that its head names. Spelled as here in JSON.
enum class Effect : std::uint8_t {
  escapes,  ///< It counts as correct then.
  changes,  ///< It gets another outcome, or the same for another reason.
  same,     ///< Something else catches it just as well: the probe is not shown to do anything.
};

[[nodiscard]] std::string_view to_string(Effect effect);

struct Ablation {
  Effect effect = Effect::same;
  std::optional<task::Outcome> outcome;
  std::string cause;
};

/// How one entry fared in one run.
struct SelftestRow {
  std::size_t entry = 0;  ///< Index into the plan's entries.
  int run = 1;
  std::optional<task::Outcome> outcome;  ///< Absent if the harness itself failed; `cause` then says how.
  std::string cause;                     ///< What the candidate's author is told.
  std::string finding;                   ///< Kind of the one that decided; empty if none did.
  bool agrees = false;                   ///< Also with the probe off it must not fare the same.
  std::optional<Ablation> ablation;
  double seconds = 0;
  std::string sandbox = "-";  ///< Level of isolation, as recorded with the evaluation.
  std::uint64_t seed = 0;
};

struct SelftestReport {
  SelftestPlan plan;
  std::vector<SelftestRow> rows;  ///< By entry, then run.
  double seconds = 0;

  [[nodiscard]] std::size_t disagreements() const;
};

/// Reads corpora and dataset. Everything that a person may have mistyped is found here.
[[nodiscard]] base::Result<SelftestPlan> plan_selftest(const Context& context, const SelftestOptions& options);

/// Judges every entry as any other candidate: same judge, worker and build cache; the verdicts go into the context's
/// archive. `on_row` is told what is done, how many there are in all, and the row that was just finished.
using SelftestProgress = std::function<void(std::size_t done, std::size_t total, const SelftestRow& row)>;
[[nodiscard]] base::Result<SelftestReport> run_selftest(const Context& context, SelftestPlan plan,
                                                        const SelftestProgress& on_row);

[[nodiscard]] base::Json encode(const SelftestReport& report);

}  // namespace assay::service
