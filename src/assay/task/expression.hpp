#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

/// Evaluates an integer expression in the Python subset that constraints use: names, integer literals, + - * // % **,
/// comparisons (chained), `and or not`, parentheses, min() and max(), and ceil_div(a, b), which is -(-a // b). Truth values are 1 and 0. Division by zero, overflow, an
/// unknown name and anything else of Python are input errors that show the place. At most 4,096 characters, 64 levels.
[[nodiscard]] base::Result<std::int64_t> evaluate_expression(std::string_view expression,
                                                             const Named<std::int64_t>& values);

/// Checks the syntax alone.
[[nodiscard]] base::Result<void> check_expression(std::string_view expression);

}  // namespace assay::task
