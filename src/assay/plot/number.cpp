#include <assay/plot/number.hpp>

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <assay/base/error.hpp>

namespace assay::plot {

std::string coordinate(double value) {
  ASSAY_CHECK(std::isfinite(value));
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string short_number(double value, int digits) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  return text == "-0" ? "0" : text;
}

std::string duration_label(double nanoseconds) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  // A tick that a rounding error left just below a unit must not be written as "1000 ns".
  while (unit + 1 < kUnits.size() && std::abs(nanoseconds) >= 1000 * (1 - 1e-9)) {
    nanoseconds /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", short_number(nanoseconds, 4), kUnits[unit]);
}

std::string ratio_label(double ratio) {
  return std::abs(ratio) >= 99.995 ? fmt::format("{:.0f}×", ratio) : fmt::format("{:.2f}×", ratio);
}

}  // namespace assay::plot
