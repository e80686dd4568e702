#include <assay/task/coercion.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <assay/base/text.hpp>

namespace assay::task {

namespace {

using base::Json;

// Drops underscores that stand between two digits, as Python's numbers allow; nothing if one stands elsewhere.
std::optional<std::string> without_separators(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
    } else if (i == 0 || i + 1 == text.size() || !base::is_digit(text[i - 1]) || !base::is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return plain;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::optional<std::int64_t> integer_from_text(std::string_view text) {
  text = base::trim(text);
  if (!text.empty() && text.front() == '+' && text.size() > 1 && text[1] != '-') {
    text.remove_prefix(1);
  }
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos) {
    const std::string_view fraction = text.substr(dot + 1);
    if (dot == 0 || fraction.empty() || fraction.find_first_not_of('0') != std::string_view::npos) {
      return std::nullopt;
    }
    text = text.substr(0, dot);
  }
  const std::optional<std::string> plain = without_separators(text);
  if (!plain || plain->empty()) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(plain->data(), plain->data() + plain->size(), value);
  return failure == std::errc() && end == plain->data() + plain->size() ? std::optional(value) : std::nullopt;
}

std::optional<double> number_from_text(std::string_view text) {
  const std::optional<std::string> plain = without_separators(base::trim(text));
  if (!plain || plain->empty()) {
    return std::nullopt;
  }
  std::string_view rest = *plain;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') {
    rest.remove_prefix(1);
  }
  const std::string word = lower(rest);
  double value = 0;
  if (word == "inf" || word == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (word == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (rest.empty() || (!base::is_digit(rest.front()) && rest.front() != '.')) {
      return std::nullopt;
    }
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (failure == std::errc::result_out_of_range) {
      return std::nullopt;
    }
    if (failure != std::errc() || end != rest.data() + rest.size()) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

}  // namespace

std::optional<std::int64_t> lax_integer(const Json& json) {
  if (json.is_boolean()) {
    return json.get<bool>() ? 1 : 0;
  }
  if (json.is_number_float()) {
    const auto value = json.get<double>();
    constexpr double kLimit = 9223372036854775808.0;  // 2^63: the first double that does not fit
    const bool fits = value >= -kLimit && value < kLimit && std::trunc(value) == value;
    return fits ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  }
  return json.is_string() ? integer_from_text(json.get_ref<const std::string&>()) : std::nullopt;
}

std::optional<double> lax_number(const Json& json) {
  if (json.is_boolean()) {
    return json.get<bool>() ? 1.0 : 0.0;
  }
  return json.is_string() ? number_from_text(json.get_ref<const std::string&>()) : std::nullopt;
}

std::optional<bool> lax_boolean(const Json& json) {
  if (json.is_number()) {
    const auto value = json.get<double>();
    return value == 0.0 || value == 1.0 ? std::optional(value == 1.0) : std::nullopt;
  }
  if (!json.is_string()) {
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 6> kTrue = {"true", "t", "yes", "y", "on", "1"};
  constexpr std::array<std::string_view, 6> kFalse = {"false", "f", "no", "n", "off", "0"};
  const std::string word = lower(json.get_ref<const std::string&>());
  if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) {
    return true;
  }
  return std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end() ? std::optional(false) : std::nullopt;
}

std::optional<double> named_number(const Json& json) {
  if (json == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (json == "Infinity") {
    return std::numeric_limits<double>::infinity();
  }
  return json == "-Infinity" ? std::optional(-std::numeric_limits<double>::infinity()) : std::nullopt;
}

}  // namespace assay::task
