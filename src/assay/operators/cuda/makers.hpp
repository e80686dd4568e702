#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_reference.hpp>

/// One maker an operator: nullptr if the definition is not of this operator, before anything of a GPU is touched. A new
/// operator adds its maker here and to the list in device_reference.cpp.
namespace assay::operators::cuda {

using Made = base::Result<std::unique_ptr<DeviceReference>>;

}  // namespace assay::operators::cuda
