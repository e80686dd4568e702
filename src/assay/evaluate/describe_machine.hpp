#pragma once

#include <string>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/evaluate/settings.hpp>

namespace assay::evaluate {

/// What this machine can do, for `assay doctor` and the environment key of a result: {"device", "cpu", "isolation",
/// "toolchains": […], "environment": {the fingerprint that an evaluation here would carry}, "capabilities": [{"name", "available", "detail", "remedy"}, …]}. A device that is missing is
/// said to be so, with the remedy; nothing is guessed.
[[nodiscard]] base::Result<base::Json> describe_machine(const std::string& device, const JudgeSettings& settings);

}  // namespace assay::evaluate
