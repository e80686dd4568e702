#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/foreign/evaluation.hpp>
#include <assay/os/file.hpp>

namespace assay::foreign {

/// Reads a folder of archived optimisation traces (docs/foreign-results.md): `evaluations.jsonl`, and where they are
/// there `evaluations_extra.jsonl`, `promotions.jsonl` and `unfinished.jsonl`. Labels that somebody added to the records
/// (error classes, facts about promotions, pairs of repeats) are not read: they are what an audit must find out. Errors are the
/// input's and name file, line and field: what is no such record, an id twice, a success without its latencies, and a
/// promotion that contradicts the evaluations it names.
[[nodiscard]] base::Result<TraceArchive> read_trace_archive(const os::Path& folder);

/// Reads the text of one file of evaluations; `source` names it in errors.
[[nodiscard]] base::Result<std::vector<Evaluation>> parse_evaluations(std::string_view text, std::string_view source,
                                                                      bool archived);

/// Reads promotions and holds each against the evaluations that it names.
[[nodiscard]] base::Result<std::vector<Promotion>> parse_promotions(std::string_view text, std::string_view source,
                                                                    const std::vector<Evaluation>& evaluations);

/// Finds the promotions of a controller that keeps the highest score of the stored candidates, in order of time (the
/// first best of a trace is none).
[[nodiscard]] std::vector<Promotion> replay_promotions(const TraceArchive& archive);

}  // namespace assay::foreign
