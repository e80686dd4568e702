#include <assay/plot/rate_chart.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <assay/base/error.hpp>
#include <assay/plot/marker.hpp>
#include <assay/plot/number.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

constexpr double kRateWidth = 960;
constexpr double kRateTop = 64;
constexpr double kRateRowHeight = 44;
constexpr double kRateBarHeight = 14;
constexpr double kRateBottom = 30;
constexpr double kRateGap = 84;  // Between panels: room for the number of a full bar.

double name_margin(const RateChart& chart) {
  double widest = 60;
  for (const RateRow& row : chart.rows) {
    widest = std::max({widest, text_width(row.name), text_width(row.detail)});
  }
  return widest + 20;
}

// Three significant digits, so that 0.04 % is not written as 0 %.
std::string share_label(double share) { return short_number(100 * share, 3) + " %"; }

bool misses(const RatePanel& panel, const Rate& rate) {
  if (!panel.limit) {
    return false;
  }
  return panel.wanted == RatePanel::Wanted::below ? rate.estimate > *panel.limit : rate.estimate < *panel.limit;
}

std::string describe(const RateChart& chart) {
  std::string text;
  for (std::size_t panel = 0; panel < chart.panels.size(); ++panel) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", chart.panels[panel].title);
    text += chart.panels[panel].limit ? fmt::format(" (wanted: {}):", chart.panels[panel].limit_label) : ":";
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
      text += fmt::format("{} {} {}", row == 0 ? "" : ",", chart.rows[row].name,
                          share_label(chart.rows[row].rates[panel].estimate));
    }
    text += ".";
  }
  return text;
}

class RateDrawing {
 public:
  explicit RateDrawing(const RateChart& chart)
      : chart_(chart),
        left_(name_margin(chart)),
        panel_width_((kRateWidth - left_ - kRateGap * static_cast<double>(chart.panels.size())) /
                     static_cast<double>(chart.panels.size())),
        bottom_(kRateTop + kRateRowHeight * static_cast<double>(chart.rows.size())),
        svg_({.id = chart.id,
              .title = chart.title,
              .description = describe(chart),
              .width = kRateWidth,
              .height = bottom_ + kRateBottom,
              .style = chart.style}) {}

  std::string draw() {
    for (std::size_t row = 0; row < chart_.rows.size(); ++row) {
      const double middle = middle_of(row);
      if (row % 2 == 0) {
        svg_.rectangle({0, middle - kRateRowHeight / 2, kRateWidth, kRateRowHeight}, "ap-band");
      }
      const bool two_lines = !chart_.rows[row].detail.empty();
      svg_.text({left_ - 12, middle + (two_lines ? -3 : 4)}, chart_.rows[row].name, Anchor::end, "ap-strong");
      if (two_lines) {
        svg_.text({left_ - 12, middle + 13}, chart_.rows[row].detail, Anchor::end, "ap-tick");
      }
    }
    for (std::size_t panel = 0; panel < chart_.panels.size(); ++panel) {
      draw_panel(panel);
    }
    return svg_.finish();
  }

 private:
  static double middle_of(std::size_t row) { return kRateTop + kRateRowHeight * (static_cast<double>(row) + 0.5); }

  void draw_panel(std::size_t index) {
    const RatePanel& panel = chart_.panels[index];
    const double from = left_ + static_cast<double>(index) * (panel_width_ + kRateGap);
    const Scale x(Scale::Kind::linear, {0, 1}, {from, from + panel_width_});
    svg_.text({from, 20}, panel.title, Anchor::start, "ap-strong");
    for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      svg_.line({x.at(tick), kRateTop}, {x.at(tick), bottom_}, tick == 0 ? "ap-axis" : "ap-grid");
      svg_.text({x.at(tick), bottom_ + 18}, share_label(tick), Anchor::middle, "ap-tick");
    }
    for (std::size_t row = 0; row < chart_.rows.size(); ++row) {
      draw_bar(panel, chart_.rows[row], chart_.rows[row].rates[index], x, middle_of(row));
    }
    if (panel.limit) {
      svg_.line({x.at(*panel.limit), kRateTop - 8}, {x.at(*panel.limit), bottom_}, "ap-base");
      const bool right = *panel.limit > 0.5;
      svg_.text({x.at(*panel.limit), kRateTop - 14}, "wanted: " + panel.limit_label,
                right ? Anchor::end : Anchor::start, "ap-ink");
    }
  }

  void draw_bar(const RatePanel& panel, const RateRow& row, const Rate& rate, const Scale& x, double middle) {
    const bool bad = misses(panel, rate);
    svg_.open(fmt::format("{}: {}, between {} and {} with 95 % confidence", row.name, share_label(rate.estimate),
                          share_label(rate.lower), share_label(rate.upper)));
    svg_.rectangle({x.at(0), middle - kRateBarHeight / 2, x.at(rate.estimate) - x.at(0), kRateBarHeight},
                   bad ? "ap-lost" : "ap-won");
    svg_.line({x.at(rate.lower), middle}, {x.at(rate.upper), middle}, "ap-axis");
    const double end = x.at(std::max(rate.estimate, rate.upper)) + 8;
    if (bad) {
      svg_.path(marker_path(0, {end + 4, middle}, 4), "ap-failed");
    }
    svg_.text({end + (bad ? 14 : 0), middle + 4}, share_label(rate.estimate), Anchor::start, "ap-ink");
    svg_.close();
  }

  const RateChart& chart_;
  double left_;
  double panel_width_;
  double bottom_;
  Svg svg_;
};

}  // namespace

std::string draw(const RateChart& chart) {
  ASSAY_CHECK(!chart.panels.empty());
  for (const RateRow& row : chart.rows) {
    ASSAY_CHECK(row.rates.size() == chart.panels.size());
    for (const Rate& rate : row.rates) {
      ASSAY_CHECK(rate.lower >= 0 && rate.estimate >= 0 && rate.estimate <= 1 && rate.upper <= 1);
    }
  }
  return RateDrawing(chart).draw();
}

}  // namespace assay::plot
