#include <assay/plot/gain_chart.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/plot/marker.hpp>
#include <assay/plot/number.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

constexpr double kGainWidth = 960;
constexpr double kGainHeight = 360;
constexpr double kGainLeft = 70;
constexpr double kGainRight = 740;  // The names of the curves stand to the right of it.
constexpr double kGainTop = 24;
constexpr double kGainBottom = 306;
constexpr double kNameHeight = 32;

struct CurveLook {
  const char* line;
  const char* bar;
  const char* mark;
  std::size_t shape;
};
constexpr std::array<CurveLook, 2> kLooks = {CurveLook{"ap-step", "ap-won-bar", "ap-tone-good", 3},
                                             CurveLook{"ap-gain-other", "ap-gain-other-bar", "ap-tone-other", 2}};

double final_speedup(const GainCurve& curve) { return curve.steps.empty() ? 1 : curve.steps.back().speedup; }

Span gain_domain(const GainChart& chart) {
  double low = 1;
  double high = 1.05;
  const auto take = [&](double value) {
    ASSAY_CHECK(std::isfinite(value) && value > 0);
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const GainCurve& curve : chart.curves) {
    for (const GainStep& step : curve.steps) {
      take(step.speedup);
    }
    if (curve.confirmed) {
      take(curve.confirmed->estimate);
    }
  }
  const double margin = std::pow(high / low, 0.08);
  return {low / margin, high * margin};
}

Span spend_domain(const GainChart& chart) {
  double most = 0;
  for (const GainCurve& curve : chart.curves) {
    most = std::max(most, curve.end);
  }
  return {0, most > 0 ? most : 1};
}

std::string describe(const GainChart& chart) {
  std::string text;
  for (const GainCurve& curve : chart.curves) {
    text += fmt::format("{}{}: {} after {} promotion{}, {} {}.", text.empty() ? "" : " ", curve.name,
                        ratio_label(final_speedup(curve)), curve.steps.size(), curve.steps.size() == 1 ? "" : "s",
                        short_number(curve.end, 4), chart.axis);
  }
  return text;
}

class GainDrawing {
 public:
  explicit GainDrawing(const GainChart& chart)
      : chart_(chart),
        x_(Scale::Kind::linear, spend_domain(chart), {kGainLeft, kGainRight}),
        y_(Scale::Kind::logarithmic, gain_domain(chart), {kGainBottom, kGainTop}),
        svg_({.id = chart.id,
              .title = chart.title,
              .description = describe(chart),
              .width = kGainWidth,
              .height = kGainHeight,
              .style = Style::from_page}) {}

  std::string draw() {
    draw_axes();
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) {
      draw_curve(chart_.curves[i], kLooks.at(i), i);
    }
    draw_names();
    return svg_.finish();
  }

 private:
  void draw_axes() {
    for (const double tick : y_.ticks(6)) {
      svg_.line({kGainLeft, y_.at(tick)}, {kGainRight, y_.at(tick)}, "ap-grid");
      svg_.text({kGainLeft - 8, y_.at(tick) + 4}, ratio_label(tick), Anchor::end, "ap-tick");
    }
    for (const double tick : x_.ticks(6)) {
      svg_.line({x_.at(tick), kGainBottom}, {x_.at(tick), kGainBottom + 5}, "ap-axis");
      svg_.text({x_.at(tick), kGainBottom + 20}, short_number(tick, 4), Anchor::middle, "ap-tick");
    }
    svg_.line({kGainLeft, kGainBottom}, {kGainRight, kGainBottom}, "ap-axis");
    svg_.line({kGainLeft, y_.at(1)}, {kGainRight, y_.at(1)}, "ap-base");
    svg_.text({(kGainLeft + kGainRight) / 2, kGainBottom + 40}, chart_.axis, Anchor::middle, "ap-ink");
    svg_.vertical_text({16, (kGainTop + kGainBottom) / 2}, "speedup over the baseline", "ap-ink");
  }

  void draw_curve(const GainCurve& curve, const CurveLook& look, std::size_t index) {
    std::vector<Point> line = {{x_.at(0), y_.at(1)}};
    double speedup = 1;
    for (const GainStep& step : curve.steps) {
      line.push_back({x_.at(step.spend), y_.at(speedup)});
      speedup = step.speedup;
      line.push_back({x_.at(step.spend), y_.at(speedup)});
    }
    line.push_back({x_.at(curve.end), y_.at(speedup)});
    svg_.polyline(line, look.line);
    for (const GainStep& step : curve.steps) {
      const Point at{x_.at(step.spend), y_.at(step.speedup)};
      svg_.open(step.tooltip);
      svg_.path(marker_path(look.shape, at, 6), look.mark);
      // The line comes from below on the right: its left is free.
      svg_.text({at.x - 9, at.y - 5}, step.label, Anchor::end, "ap-small");
      svg_.close();
    }
    if (curve.confirmed) {
      const double x = kGainRight + 8 + 12 * static_cast<double>(index);
      const Point at{x, y_.at(curve.confirmed->estimate)};
      svg_.open(fmt::format("{}, confirmed: {} [{}, {}]", curve.name, ratio_label(curve.confirmed->estimate),
                            ratio_label(curve.confirmed->lower), ratio_label(curve.confirmed->upper)));
      svg_.line({x, y_.clamped(curve.confirmed->lower)}, {x, y_.clamped(curve.confirmed->upper)}, look.bar);
      svg_.path(marker_path(look.shape, at, 4.5), look.mark);
      svg_.close();
    }
  }

  // Beside the ends of the curves, the higher one first, and never on top of each other.
  void draw_names() {
    std::vector<std::size_t> order;
    const auto height = [&](std::size_t i) {
      const GainCurve& curve = chart_.curves[i];
      return y_.at(curve.confirmed ? curve.confirmed->estimate : final_speedup(curve));
    };
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) {
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return height(a) < height(b); });
    double free_from = kGainTop;
    for (const std::size_t i : order) {
      const GainCurve& curve = chart_.curves[i];
      const double y = std::max(height(i), free_from);
      svg_.path(marker_path(kLooks.at(i).shape, {kGainRight + 40, y}, 5), kLooks.at(i).mark);
      svg_.text({kGainRight + 52, y + 4}, curve.name, Anchor::start, "ap-strong");
      svg_.text({kGainRight + 52, y + 19},
                curve.confirmed ? ratio_label(curve.confirmed->estimate) + " confirmed"
                                : ratio_label(final_speedup(curve)) + ", not confirmed",
                Anchor::start, "ap-tick");
      free_from = y + kNameHeight;
    }
  }

  const GainChart& chart_;
  Scale x_;
  Scale y_;
  Svg svg_;
};

}  // namespace

std::string gain_chart_style() {
  return ".ap .ap-gain-other{stroke:var(--ap-third);stroke-width:2;stroke-dasharray:7 "
         "4;fill:none;stroke-linejoin:round}\n"
         ".ap .ap-gain-other-bar{stroke:var(--ap-third);stroke-width:2;fill:none}\n";
}

std::string draw(const GainChart& chart) {
  ASSAY_CHECK(!chart.curves.empty() && chart.curves.size() <= kLooks.size());
  return GainDrawing(chart).draw();
}

}  // namespace assay::plot
