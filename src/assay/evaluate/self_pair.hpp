#pragma once

#include <cstdint>

#include <assay/base/error.hpp>
#include <assay/evaluate/contestant.hpp>
#include <assay/evaluate/process_pair.hpp>
#include <assay/evaluate/session.hpp>

namespace assay::evaluate {

/// Runs one fresh pair of processes that both hold the session's incumbent: `copy` takes the candidate's part. It is a
/// pair like those of the comparison, with memory, contents and random order of its own, except that no output is compared:
/// both sides are known. Its samples are marked as the incumbent's against itself, and whatever goes wrong is the
/// incumbent's fault.
[[nodiscard]] base::Result<PairResult> run_self_pair(const Session& session, const Contestant& copy, std::int32_t pair);

}  // namespace assay::evaluate
