#include <assay/agent/usage.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace assay::agent {
namespace {

constexpr std::array kTokenFields = {&Tokens::input, &Tokens::cached_input, &Tokens::cache_write, &Tokens::output,
                                     &Tokens::reasoning};
// Totals are sums of binary fractions: 0.0406 - 0.0203 may miss by some last places.
constexpr double kDollarRounding = 1e-9;

}  // namespace

Usage operator+(const Usage& a, const Usage& b) {
  Usage sum;
  for (const auto field : kTokenFields) {
    sum.tokens.*field = a.tokens.*field + b.tokens.*field;
  }
  if (a.dollars || b.dollars) {
    sum.dollars = a.dollars.value_or(0) + b.dollars.value_or(0);
  }
  return sum;
}

Usage larger(const Usage& a, const Usage& b) {
  Usage result;
  for (const auto field : kTokenFields) {
    result.tokens.*field = std::max(a.tokens.*field, b.tokens.*field);
  }
  if (a.dollars || b.dollars) {
    result.dollars = std::max(a.dollars.value_or(0), b.dollars.value_or(0));
  }
  return result;
}

std::optional<Usage> difference(const Usage& total, const Usage& before) {
  Usage result;
  for (const auto field : kTokenFields) {
    result.tokens.*field = total.tokens.*field - before.tokens.*field;
    if (result.tokens.*field < 0) {
      return std::nullopt;
    }
  }
  if (total.dollars) {
    const double dollars = *total.dollars - before.dollars.value_or(0);
    if (dollars < -kDollarRounding) {
      return std::nullopt;
    }
    result.dollars = std::max(dollars, 0.0);
  }
  return result;
}

base::Json encode(const Usage& usage) {
  return {{"tokens",
           {{"input", usage.tokens.input},
            {"cached_input", usage.tokens.cached_input},
            {"cache_write", usage.tokens.cache_write},
            {"output", usage.tokens.output},
            {"reasoning", usage.tokens.reasoning}}},
          {"dollars", usage.dollars ? base::Json(*usage.dollars) : base::Json()}};
}

base::Json encode(const Spend& spend) {
  base::Json json = {{"certainty", std::string(to_string(spend.certainty))}};
  json.update(encode(spend.usage));
  return json;
}

}  // namespace assay::agent
