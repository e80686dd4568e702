#pragma once

#include <cstddef>
#include <string>

#include <assay/foreign/evaluation.hpp>

namespace assay::foreign {

/// What a campaign's memory of sources (task::KnownSources) would have said to the evaluations of one trace, in the order of
/// the archive; those that lie only in the leavings of iterations are left out, as where failures are counted.
struct SourceRepeats {
  std::size_t evaluations = 0;
  std::size_t same_bytes = 0;   ///< Refused: bytes that had been evaluated.
  std::size_t same_source = 0;  ///< Refused beside those: the same but for comments and blank space.
  std::size_t answered = 0;     ///< Of the refused, those whose source had been judged by then.
  std::size_t most = 0;         ///< Evaluations of the bytes that were evaluated most often.

  [[nodiscard]] std::size_t refused() const { return same_bytes + same_source; }
  [[nodiscard]] std::size_t unique_bytes() const { return evaluations - same_bytes; }
  [[nodiscard]] std::size_t unique_sources() const { return evaluations - refused(); }
};

[[nodiscard]] SourceRepeats source_repeats(const TraceArchive& archive, const std::string& trace);

}  // namespace assay::foreign
