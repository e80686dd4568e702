#pragma once

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/dataset/check.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Checks the dataset of this run. Only a folder that cannot be opened as one is an error; the rest is in the answer.
[[nodiscard]] base::Result<dataset::DatasetCheck> check_dataset(const Context& context, dataset::BlobDemand demand);

/// Encodes as {"dataset", "sound", "definitions": [{"name", …, "problems": […]}], "problems": [{"code", "message"}]}.
[[nodiscard]] base::Json encode(const dataset::DatasetCheck& check);

}  // namespace assay::service
