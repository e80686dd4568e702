#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/context.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/service/same_code.hpp>

namespace assay::service {

/// One line of a list of candidates.
struct CandidateLine {
  std::optional<int> number;  ///< In its campaign.
  std::optional<int> round;
  std::string digest;
  std::string name;
  std::string author;
  std::string definition;
  std::string outcome;  ///< Of the newest evaluation; without one "imported" (others measured it) or "not judged".
  std::string cause;
  std::optional<double> speedup;  ///< Over the campaign's baseline, or over the newest evaluation's incumbent.
  bool promoted = false;
  std::string evaluation;  ///< Id of the newest evaluation, or of the sweep in a campaign.
};

/// Lists all candidates of the archive in the order in which they were first seen, or those of a campaign by number.
[[nodiscard]] base::Result<std::vector<CandidateLine>> list_candidates(const Context& context,
                                                                       const std::string& campaign);
[[nodiscard]] base::Json encode(const std::vector<CandidateLine>& candidates);

/// Everything about one candidate, or about one evaluation.
struct Shown {
  std::optional<archive::StoredCandidate> candidate;
  std::vector<archive::EvaluationSummary> evaluations;  ///< Of the candidate, newest last.
  std::vector<SameCode> same;                           ///< Other candidates that are the same code.
  std::optional<EvaluateReport> evaluation;             ///< If an evaluation was named.
  std::vector<std::string> files;                       ///< Of that evaluation's bundle.
  std::vector<archive::ForeignResult> foreign;          ///< What others measured of the candidate, or under the id.
};

/// Finds a candidate by a digest or prefix, else an evaluation by id or prefix, else foreign results by theirs. None of
/// them: an error that says how to list.
[[nodiscard]] base::Result<Shown> show(const Context& context, const std::string& id);
[[nodiscard]] base::Json encode(const Shown& shown);

/// Returns one file of an evaluation's bundle. For a candidate's digest: of its newest evaluation. An unknown name is an
/// error that lists the files.
[[nodiscard]] base::Result<std::string> show_file(const Context& context, const std::string& id,
                                                  const std::string& name);

}  // namespace assay::service
