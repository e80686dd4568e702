#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/device.hpp>
#include <assay/evaluate/settings.hpp>
#include <assay/operators/operator.hpp>
#include <assay/task/request.hpp>
#include <assay/verify/call_memory.hpp>
#include <assay/verify/given_contents.hpp>

namespace assay::evaluate {

/// What a request is judged with.
struct RequestMeans {
  std::unique_ptr<device::Device> device;
  std::shared_ptr<const operators::Operator> op;
  std::vector<verify::Layout> layouts;  ///< One a workload.
  std::optional<verify::GivenContents> given;
  os::Path cupti;  ///< The library, where the session or another evaluator's method times by it.
};

/// Finds everything that can be wrong with a request, before anything is built: an input error that names the field, or
/// an environment error if this machine lacks what the request needs. Opens the device and the operator.
[[nodiscard]] base::Result<RequestMeans> check_request(const task::EvaluationRequest& request,
                                                       const JudgeSettings& settings);

}  // namespace assay::evaluate
