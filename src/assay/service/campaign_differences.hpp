#pragma once

#include <string>
#include <vector>

#include <assay/base/json.hpp>

namespace assay::service {

/// Lists how two configurations differ, one sentence a field; empty if they are the same.
[[nodiscard]] std::vector<std::string> differences(const base::Json& stored, const base::Json& given);

}  // namespace assay::service
