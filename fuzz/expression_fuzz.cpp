#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/task/expression.hpp>
#include <assay/task/python_syntax.hpp>

// Whatever evaluates is good syntax, and stays what it is inside parentheses. What we evaluate, Python must be able to
// read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const task::Named<std::int64_t> values = {{"A", 3}, {"B", -7}, {"N", 64}, {"zero", 0}};
  const auto value = task::evaluate_expression(text, values);
  const auto syntax = task::check_expression(text);
  if (value) {
    ASSAY_CHECK(syntax.has_value());
    const auto again = task::evaluate_expression(text, values);
    ASSAY_CHECK(again.has_value() && *again == *value);
    const auto inside = task::evaluate_expression("(" + std::string(text) + ")", values);
    ASSAY_CHECK(inside ? *inside == *value
                       : inside.error().code == "expression.depth" || inside.error().code == "expression.length");
    const std::size_t first = text.find_first_not_of(" \t");
    ASSAY_CHECK(!task::check_python_expression(text.substr(first)).has_value());
  }
  (void)task::check_python_reference(text);
  return 0;
}
