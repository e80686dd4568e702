#include <assay/task/constraint_value.hpp>

#include <fmt/core.h>

#include <cmath>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>
#include <assay/task/integer_arithmetic.hpp>

namespace assay::task {

namespace {

constexpr const char* kTooLarge = "a number does not fit in 64 bits";

using Calculated = std::variant<ConstraintNumber, std::string>;

double real(ConstraintNumber number) {
  const auto* integer = std::get_if<std::int64_t>(&number);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number);
}

Calculated fitted(const std::optional<std::int64_t>& value) {
  return value ? Calculated(ConstraintNumber(*value)) : Calculated(std::string(kTooLarge));
}

Calculated calculate_integers(std::string_view word, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (word == "+") {
    return __builtin_add_overflow(left, right, &result) ? Calculated(kTooLarge) : ConstraintNumber(result);
  }
  if (word == "-") {
    return __builtin_sub_overflow(left, right, &result) ? Calculated(kTooLarge) : ConstraintNumber(result);
  }
  if (word == "*") {
    return __builtin_mul_overflow(left, right, &result) ? Calculated(kTooLarge) : ConstraintNumber(result);
  }
  if (word == "//") {
    return fitted(floor_quotient(left, right));
  }
  if (word == "%") {
    return ConstraintNumber(floor_remainder(left, right));
  }
  ASSAY_CHECK(word == "**");
  return fitted(integer_power(left, right));
}

Calculated calculate_reals(std::string_view word, double left, double right) {
  if (word == "+") {
    return ConstraintNumber(left + right);
  }
  if (word == "-") {
    return ConstraintNumber(left - right);
  }
  if (word == "*") {
    return ConstraintNumber(left * right);
  }
  if (word == "/") {
    return ConstraintNumber(left / right);
  }
  if (word == "//") {
    return ConstraintNumber(std::floor(left / right));
  }
  if (word == "%") {
    return ConstraintNumber(left - right * std::floor(left / right));
  }
  ASSAY_CHECK(word == "**");
  return ConstraintNumber(std::pow(left, right));
}

std::string show_sequence(const ConstraintValue::Sequence& values) {
  std::vector<std::string> parts;
  for (const ConstraintValue& value : values) {
    parts.push_back(show(value));
  }
  return "[" + base::join(parts, ", ") + "]";
}

}  // namespace

std::optional<ConstraintNumber> number_of(const ConstraintValue& value) {
  using Kind = ConstraintValue::Kind;
  if (value.kind() == Kind::integer || value.kind() == Kind::boolean) {
    return value.integer();
  }
  return value.kind() == Kind::number ? std::optional<ConstraintNumber>(value.number()) : std::nullopt;
}

std::variant<ConstraintNumber, std::string> calculate(std::string_view word, ConstraintNumber left,
                                                      ConstraintNumber right) {
  const auto* first = std::get_if<std::int64_t>(&left);
  const auto* second = std::get_if<std::int64_t>(&right);
  if ((word == "/" || word == "//" || word == "%") && real(right) == 0) {
    return "it divides by zero";
  }
  const bool negative_power = word == "**" && real(right) < 0;
  if (first != nullptr && second != nullptr && word != "/" && !negative_power) {
    return calculate_integers(word, *first, *second);
  }
  return calculate_reals(word, real(left), real(right));
}

bool compare_numbers(std::string_view word, ConstraintNumber left, ConstraintNumber right) {
  const auto compare = [word](auto a, auto b) {
    return word == "=="   ? a == b
           : word == "!=" ? a != b
           : word == "<"  ? a < b
           : word == "<=" ? a <= b
           : word == ">"  ? a > b
                          : a >= b;
  };
  if (std::holds_alternative<double>(left) || std::holds_alternative<double>(right)) {
    return compare(real(left), real(right));
  }
  return compare(std::get<std::int64_t>(left), std::get<std::int64_t>(right));
}

std::string show(const ConstraintValue& value) {
  switch (value.kind()) {
    case ConstraintValue::Kind::none:
      return "None";
    case ConstraintValue::Kind::integer:
      return std::to_string(value.integer());
    case ConstraintValue::Kind::number:
      return fmt::format("{:.9g}", value.number());
    case ConstraintValue::Kind::boolean:
      return value.integer() != 0 ? "True" : "False";
    case ConstraintValue::Kind::text:
      return "'" + base::printable(*value.text()) + "'";
    case ConstraintValue::Kind::sequence:
      return show_sequence(*value.sequence());
    case ConstraintValue::Kind::tensor:
      return fmt::format("a tensor of shape {}", tensor::to_string(value.tensor()->shape));
  }
  return {};
}

}  // namespace assay::task
