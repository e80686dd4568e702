#include <assay/task/integer_arithmetic.hpp>

#include <assay/base/error.hpp>

namespace assay::task {

std::optional<std::int64_t> floor_quotient(std::int64_t left, std::int64_t right) {
  ASSAY_CHECK(right != 0);
  if (right == -1) {  // the machine's division traps on the smallest number
    std::int64_t negated = 0;
    return __builtin_sub_overflow(std::int64_t{0}, left, &negated) ? std::nullopt : std::optional(negated);
  }
  const bool adjust = left % right != 0 && (left < 0) != (right < 0);
  return left / right - (adjust ? 1 : 0);
}

std::int64_t floor_remainder(std::int64_t left, std::int64_t right) {
  ASSAY_CHECK(right != 0);
  if (right == -1) {
    return 0;
  }
  const std::int64_t rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

std::optional<std::int64_t> integer_power(std::int64_t value, std::int64_t exponent) {
  ASSAY_CHECK(exponent >= 0);
  if (value == 0 || value == 1) {
    return exponent == 0 ? 1 : value;
  }
  if (value == -1) {
    return exponent % 2 == 0 ? 1 : -1;
  }
  std::int64_t result = 1;
  for (; exponent > 0; --exponent) {  // overflows after at most 64 steps
    if (__builtin_mul_overflow(result, value, &result)) {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace assay::task
