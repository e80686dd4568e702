#pragma once

#include <cstdint>
#include <vector>

#include <assay/certify/evidence.hpp>
#include <assay/certify/numbers.hpp>

namespace assay::certify {

/// On each workload, the candidate's calls in the raw samples whose output was checked: those on new inputs, and those on
/// repeated and perturbed ones. The samples must be of the request's workloads.
[[nodiscard]] std::vector<std::int64_t> checked_calls(const Session& session);

/// Holds what the judge says it counted against what the raw samples and the request leave room for: no more calls on new
/// inputs than were checked, were no repetitions, and were asked for as trials; and all of these. Which of the checked calls
/// had perturbed inputs, and which trials passed, is the judge's word.
[[nodiscard]] std::vector<Difference> miscounts(const Session& session);

}  // namespace assay::certify
