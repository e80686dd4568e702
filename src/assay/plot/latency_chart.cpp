#include <assay/plot/latency_chart.hpp>

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

constexpr double kWidth = 960;
constexpr double kHeight = 380;
constexpr double kTop = 40;
constexpr double kBottom = 330;
constexpr double kLeft = 64;
constexpr double kRight = 944;
constexpr double kGroupGap = 1.2;  // in slots

Span latency_domain(const LatencyChart& chart) {
  double low = 0;
  double high = 0;
  for (const LatencyPair& pair : chart.pairs) {
    for (const auto& time : {pair.baseline_ns, pair.incumbent_ns}) {
      if (time) {
        ASSAY_CHECK(std::isfinite(*time) && *time > 0);
        low = low == 0 ? *time : std::min(low, *time);
        high = std::max(high, *time);
      }
    }
  }
  return low == 0 ? Span{1e3, 1e6} : Span{low / 1.25, high * 1.25};
}

struct Group {
  std::string name;
  double first = 0;  // slots
  double last = 0;
};

struct Slots {
  std::vector<double> of_pair;
  std::vector<Group> groups;
  double count = 0;
};

Slots assign_slots(const LatencyChart& chart) {
  Slots slots;
  for (const LatencyPair& pair : chart.pairs) {
    if (slots.groups.empty() || slots.groups.back().name != pair.group) {
      slots.count += slots.groups.empty() ? 0 : kGroupGap;
      slots.groups.push_back({pair.group, slots.count, slots.count});
    }
    slots.groups.back().last = slots.count;
    slots.of_pair.push_back(slots.count);
    slots.count += 1;
  }
  return slots;
}

std::string describe(const LatencyChart& chart) {
  int faster = 0;
  int slower = 0;
  int missing = 0;
  for (const LatencyPair& pair : chart.pairs) {
    if (!pair.baseline_ns || !pair.incumbent_ns) {
      ++missing;
    } else if (*pair.incumbent_ns < *pair.baseline_ns) {
      ++faster;
    } else if (*pair.incumbent_ns > *pair.baseline_ns) {
      ++slower;
    }
  }
  return fmt::format(
      "Latency of {} workloads, grouped by {}. {} is faster than {} on {} of them, slower on {}; on {} a "
      "time is missing.",
      chart.pairs.size(), chart.axis, chart.incumbent, chart.baseline, faster, slower, missing);
}

class LatencyDrawing {
 public:
  explicit LatencyDrawing(const LatencyChart& chart)
      : chart_(chart),
        slots_(assign_slots(chart)),
        x_(Scale::Kind::linear, {-1, std::max(slots_.count, 1.0)}, {kLeft, kRight}),
        y_(Scale::Kind::logarithmic, latency_domain(chart), {kBottom, kTop}),
        radius_(std::clamp((x_.at(1) - x_.at(0)) / 2.6, 1.5, 4.5)),
        svg_({.id = chart.id,
              .title = chart.title,
              .description = describe(chart),
              .width = kWidth,
              .height = kHeight,
              .style = chart.style}) {}

  std::string draw() {
    draw_groups();
    draw_time_axis();
    draw_legend();
    for (std::size_t i = 0; i < chart_.pairs.size(); ++i) {
      draw_pair(chart_.pairs[i], x_.at(slots_.of_pair[i]));
    }
    return svg_.finish();
  }

 private:
  void draw_time_axis() {
    for (const double tick : y_.ticks(8)) {
      svg_.line({kLeft, y_.at(tick)}, {kRight, y_.at(tick)}, "ap-grid");
      svg_.text({kLeft - 8, y_.at(tick) + 4}, duration_label(tick), Anchor::end, "ap-tick");
    }
    svg_.line({kLeft, kBottom}, {kRight, kBottom}, "ap-axis");
  }

  void draw_groups() {
    double free_from = 0;
    for (std::size_t i = 0; i < slots_.groups.size(); ++i) {
      const Group& group = slots_.groups[i];
      const double from = x_.at(group.first - 0.5 - kGroupGap / 2);
      const double to = x_.at(group.last + 0.5 + kGroupGap / 2);
      if (i % 2 == 1) {
        svg_.rectangle({from, kTop, std::min(to, kRight) - from, kBottom - kTop}, "ap-band");
      }
      const double center = x_.at((group.first + group.last) / 2);
      const double half = text_width(group.name) / 2;
      if (center - half >= free_from) {  // a label that would touch its neighbour is left out
        svg_.text({center, kBottom + 18}, group.name, Anchor::middle, "ap-ink");
        free_from = center + half + 6;
      }
    }
    svg_.text({(kLeft + kRight) / 2, kBottom + 38}, chart_.axis, Anchor::middle, "ap-tick");
  }

  void draw_legend() {
    double x = kLeft;
    const auto entry = [&](std::string_view label, double room, auto mark) {
      mark(x);
      svg_.text({x + room, 20}, label, Anchor::start, "ap-ink");
      x += room + text_width(label) + 20;
    };
    entry(chart_.baseline + " (baseline)", 16, [&](double at) { svg_.circle({at + 5, 16}, 4, "ap-kept"); });
    if (chart_.incumbent != chart_.baseline) {
      entry(chart_.incumbent + " (incumbent)", 16, [&](double at) { svg_.circle({at + 5, 16}, 5, "ap-won"); });
      entry("slower than the baseline", 32, [&](double at) { svg_.line({at, 16}, {at + 24, 16}, "ap-loss"); });
    }
  }

  void draw_pair(const LatencyPair& pair, double x) {
    svg_.open(pair.tooltip);
    svg_.rectangle({x - radius_ - 1, kTop, 2 * radius_ + 2, kBottom - kTop}, "ap-hit");
    if (!pair.baseline_ns || !pair.incumbent_ns) {
      svg_.path(marker_path(0, {x, kBottom - 8}, std::max(radius_, 3.0)), "ap-failed");
    } else if (*pair.baseline_ns != *pair.incumbent_ns) {
      svg_.line({x, y_.at(*pair.baseline_ns)}, {x, y_.at(*pair.incumbent_ns)},
                *pair.incumbent_ns < *pair.baseline_ns ? "ap-gain" : "ap-loss");
    }
    if (pair.baseline_ns) {
      svg_.circle({x, y_.at(*pair.baseline_ns)}, radius_ * 0.9, "ap-kept");
    }
    if (pair.incumbent_ns && chart_.incumbent != chart_.baseline) {
      const bool slower = pair.baseline_ns && *pair.incumbent_ns > *pair.baseline_ns;
      svg_.circle({x, y_.at(*pair.incumbent_ns)}, radius_, slower ? "ap-lost" : "ap-won");
    }
    svg_.close();
  }

  const LatencyChart& chart_;
  Slots slots_;
  Scale x_;
  Scale y_;
  double radius_;
  Svg svg_;
};

}  // namespace

std::string draw(const LatencyChart& chart) { return LatencyDrawing(chart).draw(); }

}  // namespace assay::plot
