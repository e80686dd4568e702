#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// The code with which the journal says that a session was held and said nothing. Persisted; never changes.
inline constexpr std::string_view kVoidSession = "confirmation.void";

/// Why a confirmation says nothing about its candidate, so that it must be made again instead of being held against it:
/// the candidate was not built or not run, though its sweep had been; a workload has no time; or the session tells the
/// baseline from a copy of itself. Empty: it speaks of the candidate, for or against. The samples must belong to the request
/// (promote::decide).
[[nodiscard]] base::Result<std::string> why_void(const task::EvaluationRequest& request,
                                                 const task::Evaluation& evaluation,
                                                 const std::vector<task::Sample>& samples);

}  // namespace assay::control
