#pragma once

#include <vector>

#include <assay/archive/bundle.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

/// What a judge's bundle says, as the event of a journal that it means. Pure.
namespace assay::control {

/// One result, read and held against what was asked.
struct JudgesAnswer {
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;
};

/// Reads it; a bundle that answers another question is an internal error.
[[nodiscard]] base::Result<JudgesAnswer> read_answer(const task::EvaluationRequest& request,
                                                     const archive::Bundle& bundle);

/// The event that a result means for its subject, recomputed from the samples. A result that its samples contradict is an
/// internal error.
[[nodiscard]] base::Result<Entry> entry_of(const PendingEvaluation& target, const task::EvaluationRequest& request,
                                           const JudgesAnswer& answer, const CampaignConfiguration& configuration);

}  // namespace assay::control
