#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_check.hpp>

namespace assay::operators::cuda {

/// Holds outputs against make_gdn_prefill's values as gdn_prefill::compare_with_errors does, with a millionth less of each
/// tolerance; nullptr if the definition is another's.
[[nodiscard]] base::Result<std::unique_ptr<DeviceCheck>> make_prefill_check(std::string_view definition_name);

}  // namespace assay::operators::cuda
