#pragma once

#include <string>

#include <assay/base/json.hpp>
#include <assay/foreign/audit.hpp>

namespace assay::foreign {

/// Encodes what the supervisor would have said: {name: {attempts, not_placed, marks: [{condition, cause, recovery, since, found,
/// until, open, evidence}]}}; since, found and until are {attempt, evaluation, iteration}. Its names never change.
[[nodiscard]] base::Json encode_marks(const Audit& audit);

/// Says where and what a mark is: "iteration 9 (attempt 39): a plateau since iteration 2, until the end: …".
[[nodiscard]] std::string mark_sentence(const Audit& audit, const TraceAudit& trace, const supervise::Mark& mark);

/// The evaluation of an attempt.
[[nodiscard]] const Evaluation& evaluation_of(const Audit& audit, const TraceAudit& trace, int attempt);

}  // namespace assay::foreign
