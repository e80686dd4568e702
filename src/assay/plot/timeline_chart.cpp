#include <assay/plot/timeline_chart.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/plot/marker.hpp>
#include <assay/plot/number.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

constexpr double kTimelineWidth = 960;
constexpr double kTimelineLeft = 132;
constexpr double kTimelineRight = 944;
constexpr double kLatencyTop = 46;
constexpr double kLatencyBottom = 306;
constexpr double kReferenceTop = 330;
constexpr double kReferenceBottom = 400;
constexpr double kFirstRow = 424;
constexpr double kRowHeight = 18;
constexpr double kLabelRoom = 15;
constexpr double kLanesRise = 6;  // The last row ends before the next would begin.

// While one evaluation was the best so far.
struct IncumbentStep {
  double from = 0;
  double to = 0;
  double latency = 0;
};

template <class Value>
Span value_domain(const Timeline& timeline, Value value, double margin) {
  double low = 0;
  double high = 0;
  for (const TimelinePoint& point : timeline.points) {
    if (const std::optional<double>& at = value(point)) {
      ASSAY_CHECK(std::isfinite(*at) && *at > 0);
      low = low == 0 ? *at : std::min(low, *at);
      high = std::max(high, *at);
    }
  }
  return low == 0 ? Span{1e5, 1e6} : Span{low / margin, high * margin};
}

std::string describe(const Timeline& timeline) {
  std::size_t measured = 0;
  std::size_t promoted = 0;
  for (const TimelinePoint& point : timeline.points) {
    measured += point.latency_ns ? 1U : 0U;
    promoted += point.promoted ? 1U : 0U;
  }
  return fmt::format("{} evaluations in the order of the search: {} were measured, {} of them promoted; {} failed.",
                     timeline.points.size(), measured, promoted, timeline.points.size() - measured);
}

class TimelineDrawing {
 public:
  explicit TimelineDrawing(const Timeline& timeline)
      : timeline_(timeline),
        x_(Scale::Kind::linear, {-1, std::max(static_cast<double>(timeline.points.size()), 1.0)},
           {kTimelineLeft, kTimelineRight}),
        latency_(Scale::Kind::logarithmic,
                 value_domain(
                     timeline, [](const TimelinePoint& point) { return point.latency_ns; }, 1.2),
                 {kLatencyBottom, kLatencyTop}),
        reference_(Scale::Kind::logarithmic,
                   value_domain(
                       timeline, [](const TimelinePoint& point) { return point.reference_ns; }, 1.25),
                   {kReferenceBottom, kReferenceTop}),
        lanes_top_(kFirstRow + kRowHeight * static_cast<double>(timeline.rows.size()) -
                   (timeline.spans.empty() ? 0 : kLanesRise)),
        bottom_(lanes_top_ + lanes_height(timeline.spans, x_)),
        radius_(std::clamp((x_.at(1) - x_.at(0)) / 2.2, 1.6, 3.4)),
        svg_({.id = timeline.id,
              .title = timeline.title,
              .description = describe(timeline),
              .width = kTimelineWidth,
              .height = bottom_ + 24,
              .style = timeline.style}) {
    for (std::size_t i = 0; i < timeline.points.size(); ++i) {
      const TimelinePoint& point = timeline.points[i];
      if (point.latency_ns && (point.promoted || point.starts)) {
        const double x = x_.at(static_cast<double>(i));
        if (!steps_.empty()) {
          steps_.back().to = x;
        }
        steps_.push_back({x, kTimelineRight, *point.latency_ns});
      }
    }
  }

  std::string draw() {
    draw_stretches();
    draw_span_shades(svg_, timeline_.spans, x_, kLatencyTop, kLatencyBottom);
    draw_axes();
    draw_span_lanes(svg_, timeline_.spans, x_, lanes_top_, "supervisor");
    draw_incumbent();
    draw_legend();
    // Promotions last: they must not vanish under the crowd.
    for (const bool promoted : {false, true}) {
      for (std::size_t i = 0; i < timeline_.points.size(); ++i) {
        if (timeline_.points[i].promoted.has_value() == promoted) {
          draw_point(timeline_.points[i], x_.at(static_cast<double>(i)));
        }
      }
    }
    return svg_.finish();
  }

 private:
  void draw_stretches() {
    double first = 0;
    double free_from = 0;
    for (std::size_t i = 0; i < timeline_.stretches.size(); ++i) {
      const TimelineStretch& stretch = timeline_.stretches[i];
      const double from = x_.at(first - 0.5);
      const double to = x_.at(first + static_cast<double>(stretch.count) - 0.5);
      if (i % 2 == 1) {
        svg_.rectangle({from, kLatencyTop, to - from, bottom_ - kLatencyTop}, "ap-band");
      }
      const double center = (from + to) / 2;
      const double half = text_width(stretch.name) / 2;
      if (center - half >= free_from && center + half <= kTimelineRight + 12) {
        svg_.text({center, bottom_ + 16}, stretch.name, Anchor::middle, "ap-tick");
        free_from = center + half + 8;
      }
      first += static_cast<double>(stretch.count);
    }
  }

  void draw_axis(const Scale& scale, int ticks, std::string_view name) {
    double last = 1e9;
    for (const double tick : scale.ticks(ticks)) {
      const double y = scale.at(tick);
      if (last - y < 14) {
        continue;
      }
      last = y;
      svg_.line({kTimelineLeft, y}, {kTimelineRight, y}, "ap-grid");
      svg_.text({kTimelineLeft - 8, y + 4}, duration_label(tick), Anchor::end, "ap-tick");
    }
    svg_.vertical_text({14, (scale.range().from + scale.range().to) / 2}, name, "ap-ink");
    svg_.line({kTimelineLeft, scale.range().from}, {kTimelineRight, scale.range().from}, "ap-axis");
  }

  void draw_axes() {
    draw_axis(latency_, 7, "candidate");
    draw_axis(reference_, 4, "reference");
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) {
      svg_.text({kTimelineLeft - 8, kFirstRow + kRowHeight * static_cast<double>(row) + 4}, timeline_.rows[row].name,
                Anchor::end, "ap-tick");
    }
  }

  void draw_incumbent() {
    if (steps_.empty()) {
      return;
    }
    std::vector<Point> line;
    std::vector<Point> upper;
    std::vector<Point> lower;
    for (const IncumbentStep& step : steps_) {
      for (const double x : {step.from, step.to}) {
        line.push_back({x, latency_.clamped(step.latency)});
        upper.push_back({x, latency_.clamped(step.latency * std::exp(timeline_.band.value_or(0)))});
        lower.push_back({x, latency_.clamped(step.latency / std::exp(timeline_.band.value_or(0)))});
      }
    }
    if (timeline_.band) {
      upper.insert(upper.end(), lower.rbegin(), lower.rend());
      svg_.polyline(upper, "ap-noise");
    }
    svg_.polyline(line, "ap-step-thin");
  }

  void draw_legend() {
    std::set<std::size_t> used;
    for (const TimelinePoint& point : timeline_.points) {
      if (point.promoted) {
        used.insert(*point.promoted);
      }
    }
    const double x = draw_mark_legend(svg_, timeline_.kinds, used, {4, 16});
    svg_.circle({x + 5, 12}, 3.2, "ap-kept");
    svg_.text({x + 14, 16}, "not promoted", Anchor::start, "ap-ink");
    svg_.line({4, 32}, {24, 32}, "ap-step-thin");
    svg_.text({30, 36}, "promoted so far", Anchor::start, "ap-ink");
    if (timeline_.band) {
      svg_.rectangle({146, 25, 22, 14}, "ap-noise");
      svg_.text({174, 36}, "as far as the same code differs from itself", Anchor::start, "ap-ink");
    }
  }

  void draw_point(const TimelinePoint& point, double x) {
    svg_.open(point.tooltip, point.link);
    if (!point.latency_ns) {
      svg_.path(marker_path(0, {x, kFirstRow + kRowHeight * static_cast<double>(point.row)}, radius_ + 0.4),
                timeline_.rows.at(point.row).tone == Tone::bad ? "ap-failed-thin" : "ap-lost-thin");
    } else if (point.promoted) {
      draw_mark(svg_, timeline_.kinds.at(*point.promoted), {x, latency_.at(*point.latency_ns)}, 7.5);
      // Above the mark, unless the last label is there already.
      const bool crowded = x - last_label_ < kLabelRoom && !last_below_;
      svg_.text({x, latency_.at(*point.latency_ns) + (crowded ? 19 : -11)}, point.label, Anchor::middle, "ap-small");
      last_label_ = x;
      last_below_ = crowded;
    } else {
      svg_.circle({x, latency_.at(*point.latency_ns)}, radius_, "ap-kept");
    }
    if (point.reference_ns) {
      svg_.circle({x, reference_.at(*point.reference_ns)}, std::min(radius_, 2.2), "ap-dot");
    }
    svg_.close();
  }

  const Timeline& timeline_;
  Scale x_;
  Scale latency_;
  Scale reference_;
  double lanes_top_;
  double bottom_;
  double radius_;
  std::vector<IncumbentStep> steps_;
  double last_label_ = -1e9;
  bool last_below_ = false;
  Svg svg_;
};

}  // namespace

std::string draw(const Timeline& timeline) { return TimelineDrawing(timeline).draw(); }

}  // namespace assay::plot
