#include <assay/plot/speedup_chart.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/plot/marker.hpp>
#include <assay/plot/number.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

constexpr double kSpeedupWidth = 960;
constexpr double kSpeedupTop = 40;
constexpr double kSpeedupPlotHeight = 250;
constexpr double kSpeedupRowHeight = 20;
constexpr double kSpeedupRowGap = 14;
constexpr double kSpeedupLaneGap = 4;
constexpr double kSpeedupBottom = 44;
constexpr double kSpeedupRight = 66;
constexpr std::string_view kSpeedupLanes = "supervisor";

double left_margin(const SpeedupChart& chart) {
  double widest = chart.spans.empty() ? 44 : text_width(kSpeedupLanes);
  for (const SpeedupRow& row : chart.rows) {
    widest = std::max(widest, text_width(row.name));
  }
  return widest + 20;
}

// The estimates and 1 decide; an interval may widen the plot by a quarter on each side (of the logarithm),
// not more: one interval over two noisy pairs would squeeze everything else into a line.
Span speedup_domain(const SpeedupChart& chart) {
  double low = 1;
  double high = 1;
  for (const SpeedupPoint& point : chart.points) {
    if (point.speedup) {
      ASSAY_CHECK(std::isfinite(point.speedup->estimate) && point.speedup->estimate > 0);
      low = std::min(low, point.speedup->estimate);
      high = std::max(high, point.speedup->estimate);
    }
  }
  const double reach = std::max(high / low, 1.05);
  const double room = std::pow(reach, 0.25);
  const double margin = std::pow(reach, 0.06);
  Span domain{low / margin, high * margin};
  for (const SpeedupPoint& point : chart.points) {
    if (point.speedup) {
      domain.from = std::min(domain.from, std::max(point.speedup->lower / margin, low / room));
      domain.to = std::max(domain.to, std::min(point.speedup->upper * margin, high * room));
    }
  }
  return domain;
}

std::string describe(const SpeedupChart& chart) {
  const auto measured = std::count_if(chart.points.begin(), chart.points.end(),
                                      [](const SpeedupPoint& point) { return point.speedup.has_value(); });
  std::string text = fmt::format("{} candidates, {} of them measured.", chart.points.size(), measured);
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const auto count = std::count_if(chart.points.begin(), chart.points.end(),
                                     [row](const SpeedupPoint& point) { return !point.speedup && point.row == row; });
    text += fmt::format(" {}: {}.", chart.rows[row].name, count);
  }
  std::string steps;
  for (const SpeedupPoint& point : chart.points) {
    if (point.promoted && point.speedup) {
      steps += fmt::format("{}candidate {} at {}", steps.empty() ? "" : ", ", point.number,
                           ratio_label(point.speedup->estimate));
    }
  }
  return text + (steps.empty() ? " The baseline was kept." : " Promoted: " + steps + ".");
}

class SpeedupDrawing {
 public:
  explicit SpeedupDrawing(const SpeedupChart& chart)
      : chart_(chart),
        left_(left_margin(chart)),
        rows_top_(kSpeedupTop + kSpeedupPlotHeight + kSpeedupRowGap),
        lanes_top_(rows_top_ + kSpeedupRowHeight * static_cast<double>(chart.rows.size()) +
                   (chart.spans.empty() ? 0 : kSpeedupLaneGap)),
        x_(Scale::Kind::linear, x_domain(chart), {left_, kSpeedupWidth - kSpeedupRight}),
        bottom_(lanes_top_ + lanes_height(chart.spans, x_)),
        y_(Scale::Kind::logarithmic, speedup_domain(chart), {kSpeedupTop + kSpeedupPlotHeight, kSpeedupTop}),
        svg_({.id = chart.id,
              .title = chart.title,
              .description = describe(chart),
              .width = kSpeedupWidth,
              .height = bottom_ + kSpeedupBottom,
              .style = chart.style}) {
    const double slot = x_.at(2) - x_.at(1);
    radius_ = std::clamp(slot / 3, 1.5, 5.0);
  }

  std::string draw() {
    draw_span_shades(svg_, chart_.spans, x_, kSpeedupTop, kSpeedupTop + kSpeedupPlotHeight);
    draw_frame();
    draw_legend();
    draw_incumbent();
    draw_span_lanes(svg_, chart_.spans, x_, lanes_top_, kSpeedupLanes);
    for (const bool promoted : {false, true}) {  // what was promoted lies on top
      for (const SpeedupPoint& point : chart_.points) {
        if (point.speedup && point.promoted == promoted) {
          draw_measured(point, *point.speedup);
        }
      }
    }
    for (const SpeedupPoint& point : chart_.points) {
      if (!point.speedup) {
        draw_unmeasured(point);
      }
    }
    return svg_.finish();
  }

 private:
  static Span x_domain(const SpeedupChart& chart) {
    if (chart.points.empty()) {
      return {0.25, 1.75};
    }
    return {chart.points.front().number - 0.75, chart.points.back().number + 0.75};
  }

  void draw_frame() {
    const double right = kSpeedupWidth - kSpeedupRight;
    for (const double tick : y_.ticks(7)) {
      svg_.line({left_, y_.at(tick)}, {right, y_.at(tick)}, "ap-grid");
      svg_.text({left_ - 8, y_.at(tick) + 4}, short_number(tick, 4) + "×", Anchor::end, "ap-tick");
    }
    svg_.line({left_, y_.at(1)}, {right, y_.at(1)}, "ap-base");
    for (std::size_t row = 0; row < chart_.rows.size(); ++row) {
      const double top = rows_top_ + kSpeedupRowHeight * static_cast<double>(row);
      if (row % 2 == 0) {
        svg_.rectangle({left_, top, right - left_, kSpeedupRowHeight}, "ap-band");
      }
      svg_.text({left_ - 8, top + kSpeedupRowHeight / 2 + 4}, chart_.rows[row].name, Anchor::end, "ap-tick");
    }
    svg_.line({left_, bottom_}, {right, bottom_}, "ap-axis");
    for (const double tick : x_.ticks(12)) {
      if (tick == std::floor(tick) && tick >= 1) {
        svg_.line({x_.at(tick), bottom_}, {x_.at(tick), bottom_ + 4}, "ap-axis");
        svg_.text({x_.at(tick), bottom_ + 18}, short_number(tick), Anchor::middle, "ap-tick");
      }
    }
    svg_.text({(left_ + right) / 2, bottom_ + 36}, "candidate, in the order of judging", Anchor::middle, "ap-tick");
  }

  void draw_legend() {
    double x = left_;
    const auto entry = [&](std::string_view label, auto mark) {
      mark(x);
      svg_.text({x + 30, 20}, label, Anchor::start, "ap-ink");
      x += 30 + text_width(label) + 20;
    };
    entry("promoted", [&](double at) { svg_.circle({at + 12, 16}, 5, "ap-won"); });
    entry("correct, not promoted", [&](double at) { svg_.circle({at + 12, 16}, 4, "ap-kept"); });
    entry("running incumbent", [&](double at) { svg_.line({at, 16}, {at + 24, 16}, "ap-step"); });
    entry("baseline: " + chart_.baseline, [&](double at) { svg_.line({at, 16}, {at + 24, 16}, "ap-base"); });
  }

  void draw_incumbent() {
    std::vector<Point> corners{{left_, y_.at(1)}};
    double current = 1;
    for (const SpeedupPoint& point : chart_.points) {
      if (point.promoted && point.speedup) {
        corners.push_back({x_.at(point.number), y_.at(current)});
        current = point.speedup->estimate;
        corners.push_back({x_.at(point.number), y_.at(current)});
      }
    }
    corners.push_back({kSpeedupWidth - kSpeedupRight, y_.at(current)});
    svg_.polyline(corners, "ap-step");
    svg_.text({kSpeedupWidth - kSpeedupRight + 8, y_.at(current) + 4}, ratio_label(current), Anchor::start,
              "ap-strong");
  }

  void draw_measured(const SpeedupPoint& point, const SpeedupEstimate& speedup) {
    const double x = x_.at(point.number);
    svg_.open(point.tooltip, point.link);
    svg_.line({x, y_.clamped(speedup.lower)}, {x, y_.clamped(speedup.upper)},
              point.promoted ? "ap-won-bar" : "ap-kept-bar");
    svg_.circle({x, y_.at(speedup.estimate)}, point.promoted ? radius_ + 1 : radius_ * 0.8,
                point.promoted ? "ap-won" : "ap-kept");
    svg_.close();
  }

  void draw_unmeasured(const SpeedupPoint& point) {
    ASSAY_CHECK(point.row < chart_.rows.size());
    const Point center{x_.at(point.number), rows_top_ + kSpeedupRowHeight * (static_cast<double>(point.row) + 0.5)};
    svg_.open(point.tooltip, point.link);
    svg_.rectangle(
        {center.x - kSpeedupRowHeight / 2, center.y - kSpeedupRowHeight / 2, kSpeedupRowHeight, kSpeedupRowHeight},
        "ap-hit");
    svg_.path(marker_path(point.row, center, std::max(radius_, 3.0)),
              chart_.rows[point.row].kind == SpeedupRow::Kind::failure ? "ap-failed" : "ap-neutral");
    svg_.close();
  }

  const SpeedupChart& chart_;
  double left_;
  double rows_top_;
  double lanes_top_;
  Scale x_;
  double bottom_;
  Scale y_;
  Svg svg_;
  double radius_ = 4;
};

}  // namespace

std::string draw(const SpeedupChart& chart) { return SpeedupDrawing(chart).draw(); }

}  // namespace assay::plot
