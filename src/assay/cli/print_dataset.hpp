#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/dataset_check.hpp>
#include <assay/service/materialise.hpp>

namespace assay::cli {

/// Render results for people: what a dataset holds, a row a definition, then what is wrong with it; and what was
/// written.
[[nodiscard]] std::string print_dataset_check(const dataset::DatasetCheck& check, report::Colour colour);
[[nodiscard]] std::string print_materialise(const service::MaterialiseReport& report);

}  // namespace assay::cli
