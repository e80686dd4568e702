#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/foreign/evaluation.hpp>
#include <assay/foreign/noise.hpp>
#include <assay/stats/weight_tolerance.hpp>

namespace assay::foreign {

/// What the archive says of a promotion; checked in this order, the first that applies is the verdict. Persisted.
enum class Verdict : std::uint8_t {
  identical,            ///< Both sides are the same code.
  environment_shift,    ///< They were not measured in the same environment.
  worse,                ///< The promoted code was slower.
  indistinguishable,    ///< The same code measured twice differs as much.
  suspect_environment,  ///< Something about the measuring changed with it, and may be the cause.
  plausible,            ///< Nothing in the archive speaks against it; which is not a proof.
};
inline constexpr std::size_t kVerdicts = 6;
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// What speaks against a promotion; one may have several. Persisted.
enum class Reason : std::uint8_t {
  identical_source,                  ///< Byte for byte.
  identical_normalized_source,       ///< Up to comments and blank space.
  environment_shift,                 ///< The reference's latency changed by more than kEnvironmentFactor.
  latency_raising,                   ///< The mean latency rose: the score did so because the reference was slower.
  indistinguishable,                 ///< Inside the noise of a comparison (ComparisonNoise).
  indistinguishable_by_trace_noise,  ///< Inside the noise of all repeats of its trace. Reported; alone it decides nothing.
  noise_unknown,                     ///< No code was ever measured twice, so that no gain can be told from noise.
  environment_suspect,  ///< The profiler worked in the controller run of the one and never in that of the other.
  evaluator_changed,    ///< Another script measured. Named only where nothing before it speaks against the promotion.
  workloads_differ,     ///< The means are over different numbers of workloads. Likewise.
};
[[nodiscard]] std::string_view to_string(Reason reason);

/// How alike the code of two evaluations is, as far as the archive can tell: it has neither PTX nor SASS.
enum class Identity : std::uint8_t { different, normalised_source, bytes };
[[nodiscard]] std::string_view to_string(Identity identity);
[[nodiscard]] Identity identity_of(const Evaluation& one, const Evaluation& other);

struct PromotionAudit {
  Promotion promotion;
  Verdict verdict = Verdict::plausible;
  std::vector<Reason> reasons;
  Identity identity = Identity::different;
  double log_latency_ratio = 0;    ///< ln(after / before): below 0 is faster.
  double log_reference_ratio = 0;  ///< The same of the reference implementation, which did not change.
  /// By how much the workloads' weights may shift before the mean latency no longer falls. Absent where the archive does
  /// not have the latencies of the same workloads on both sides.
  std::optional<stats::WeightTolerance> weights;
};

/// Judges promotions of one archive.
class PromotionJudge {
 public:
  explicit PromotionJudge(const TraceArchive& archive);
  PromotionJudge(TraceArchive&&) = delete;  // It keeps a reference.

  [[nodiscard]] const ComparisonNoise& noise() const { return noise_; }
  [[nodiscard]] PromotionAudit judge(const Promotion& promotion) const;

 private:
  const TraceArchive& archive_;
  ComparisonNoise noise_;
};

}  // namespace assay::foreign
