#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/promote/policy.hpp>
#include <assay/service/context.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/task/request.hpp>

namespace assay::service {

/// Makes the id of an evaluation that belongs to no campaign: time, candidate, and a random tail.
[[nodiscard]] std::string fresh_evaluation_id(const base::Digest& candidate);

/// Says how the conditions of an evaluation differ from those that `now` states, an entry in words each: "gpu_uuid was
/// GPU-1 and is GPU-2". What `now` does not state is not asked.
[[nodiscard]] std::vector<std::string> condition_differences(const task::Named<std::string>& then,
                                                             const task::Named<std::string>& now);

/// Tells whether an evaluation was made under the conditions that `now` states: each of its entries, with the same
/// value. Nothing stated is nothing known, and then the answer is no.
[[nodiscard]] bool same_conditions(const task::Named<std::string>& then, const task::Named<std::string>& now);

/// Finds the newest archived evaluation of `candidate` that answers the same question as `request` (definition, stage,
/// device, workloads, plan, incumbent), under the same conditions; the ids and the candidate of `request` do not count.
/// Where there is one under other conditions alone, `elsewhere` (if not null) gets a sentence that names the difference.
[[nodiscard]] base::Result<std::optional<task::Evaluation>> find_stored(const archive::Archive& archive,
                                                                        const task::EvaluationRequest& request,
                                                                        const base::Digest& candidate,
                                                                        const task::Named<std::string>& now,
                                                                        std::string* elsewhere = nullptr);

/// Assembles what is shown about an archived evaluation.
[[nodiscard]] base::Result<EvaluateReport> report_on(const archive::Archive& archive, task::Evaluation evaluation,
                                                     const promote::Policy* policy);

/// Answers a request from the archive if it can, else by the judge, and archives the answer.
[[nodiscard]] base::Result<EvaluateReport> judge_once(const Context& context, archive::Archive& archive,
                                                      task::EvaluationRequest request, const promote::Policy& policy,
                                                      Reuse reuse);

}  // namespace assay::service
