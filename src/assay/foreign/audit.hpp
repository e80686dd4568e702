#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/foreign/evaluation.hpp>
#include <assay/foreign/failure.hpp>
#include <assay/foreign/search.hpp>
#include <assay/foreign/source_repeats.hpp>
#include <assay/foreign/verdict.hpp>

namespace assay::foreign {

/// What an audit says of one trace. Indices are into the archive's evaluations.
struct TraceAudit {
  std::string name;
  std::size_t archived = 0;                 ///< Evaluations in the archive proper.
  std::size_t extra = 0;                    ///< Those that lie only in the leavings of iterations.
  std::size_t succeeded = 0;                ///< Of the archived ones.
  std::map<Failure, std::size_t> failures;  ///< Of the archived ones; no entry is none.
  std::map<Failure, std::size_t> extra_failures;
  /// Distinct normalised sources in the archive that met infrastructure failures and were never judged otherwise.
  std::size_t unjudged = 0;
  std::size_t distinct_sources = 0;    ///< Normalised, of all evaluations.
  std::size_t resubmitted = 0;         ///< Evaluations of a source that had been evaluated before, by either name.
  SourceRepeats repeats;               ///< What a memory of sources would have refused.
  stats::RepeatNoise noise;            ///< Of the logarithm of one latency.
  std::optional<std::size_t> picked;   ///< What the controller would have kept last.
  std::optional<std::size_t> fastest;  ///< The lowest mean latency measured in the picked one's environment.
  /// Their latencies differ by more than the same code does, and their code differs.
  bool tellable_apart = false;
  SearchHistory search;                ///< As the supervisor sees it, and what it would have said at the time.
  std::vector<supervise::Mark> marks;  ///< Of `search`.
  std::size_t environments = 0;        ///< Groups of successes whose references differ by more than kEnvironmentFactor.
};

/// Everything that can be said of an archive of foreign results.
struct Audit {
  TraceArchive archive;
  ComparisonNoise noise;
  std::vector<PromotionAudit> promotions;
  std::vector<TraceAudit> traces;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

[[nodiscard]] Audit audit(TraceArchive archive);

/// Encodes the answer: {promotions: [{id, verdict, reasons}], traces: {name: {picked, fastest, tellable_apart}},
/// failures: {name: {compile, …}}, unjudged: {name: n}, repeats: {name: {evaluations, same_bytes, …}}}. Its names never change.
[[nodiscard]] base::Json encode(const Audit& audit);

}  // namespace assay::foreign
