#include <assay/plot/sparkline.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <assay/base/error.hpp>
#include <assay/plot/number.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

std::string describe(const std::vector<double>& values) {
  if (values.empty()) {
    return "No values.";
  }
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} values from {} to {}; least {}, greatest {}.", values.size(), short_number(values.front(), 4),
                     short_number(values.back(), 4), short_number(*least, 4), short_number(*greatest, 4));
}

}  // namespace

std::string draw(const Sparkline& sparkline) {
  const std::vector<double>& values = sparkline.values;
  Svg svg({.id = sparkline.id,
           .title = sparkline.title,
           .description = describe(values),
           .width = sparkline.width,
           .height = sparkline.height,
           .style = sparkline.style});
  if (values.empty()) {
    return svg.finish();
  }
  ASSAY_CHECK(std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }));
  constexpr double kDot = 3;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const Scale x(Scale::Kind::linear, {0, static_cast<double>(values.size() - 1)}, {0, sparkline.width - kDot - 1});
  const Scale y(Scale::Kind::linear, {*least, *greatest}, {sparkline.height - kDot - 1, kDot + 1});
  std::vector<Point> corners;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = x.at(static_cast<double>(i));
    if (i > 0 && values[i] != values[i - 1]) {
      corners.push_back({at, corners.back().y});
    }
    if (i == 0 || i + 1 == values.size() || values[i] != values[i - 1]) {
      corners.push_back({at, y.at(values[i])});
    }
  }
  svg.polyline(corners, "ap-step");
  svg.circle(corners.back(), kDot, "ap-won");
  return svg.finish();
}

}  // namespace assay::plot
