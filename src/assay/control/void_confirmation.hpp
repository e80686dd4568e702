#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// The codes with which the journal says that a session was held and said nothing: a confirmation, or a gate or a sweep.
/// Persisted; never change.
inline constexpr std::string_view kVoidSession = "confirmation.void";
inline constexpr std::string_view kVoidComparison = "session.void";

[[nodiscard]] bool is_void_session(std::string_view code);

/// Why a confirmation says nothing about its candidate, so that it must be made again instead of being held against it:
/// the candidate was not built or not run, though its sweep had been; a workload has no time; or the session tells the
/// baseline from a copy of itself. Empty: it speaks of the candidate, for or against. The samples must belong to the request
/// (promote::decide).
[[nodiscard]] base::Result<std::string> why_void(const task::EvaluationRequest& request,
                                                 const task::Evaluation& evaluation,
                                                 const std::vector<task::Sample>& samples);

/// Why a gate or a sweep says nothing about its candidate: the session tells the incumbent from a copy of itself. Empty: it
/// speaks of the candidate. Unlike a confirmation, a sweep is the first to see all workloads: what is wrong there, or not
/// built for them, is the candidate's.
[[nodiscard]] base::Result<std::string> why_void_comparison(const task::EvaluationRequest& request,
                                                            const task::Evaluation& evaluation,
                                                            const std::vector<task::Sample>& samples);

}  // namespace assay::control
