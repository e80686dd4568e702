#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/foreign/evaluation.hpp>
#include <assay/task/decoder.hpp>

namespace assay::foreign {

/// Calls `read` with every record of a file of JSON lines and its place, "FILE:3"; blank lines are none.
[[nodiscard]] base::Result<void> for_each_record(
    std::string_view text, std::string_view source,
    const std::function<base::Result<void>(const base::Json&, const std::string&)>& read);

/// Reads one record of an evaluation. Faults are recorded at the node.
[[nodiscard]] Evaluation read_evaluation(const task::Node& node);

/// Reads 64 lowercase hexadecimal digits.
[[nodiscard]] base::Digest read_digest(const task::Node& node);

/// Reads a time in ms that somebody can have measured, or nothing where there is none.
[[nodiscard]] std::optional<double> read_positive(const task::Node& node);

}  // namespace assay::foreign
