#include <assay/plot/span_lanes.hpp>

#include <algorithm>

namespace assay::plot {
namespace {

constexpr double kSmallestBar = 6;
constexpr double kLabelGap = 5;
constexpr double kLaneGap = 10;

struct Extent {
  double from = 0;
  double to = 0;
};

Extent bar_of(const SpanMark& span, const Scale& x) {
  const double from = x.clamped(span.from);
  const double to = x.clamped(span.to);
  const double missing = std::max(kSmallestBar - (to - from), 0.0) / 2;
  return {from - missing, to + missing};
}

// A label stands behind its bar, or before it where the plot ends.
bool stands_before(const SpanMark& span, const Scale& x) {
  return bar_of(span, x).to + kLabelGap + text_width(span.label) > x.range().to;
}

Extent with_label(const SpanMark& span, const Scale& x) {
  Extent extent = bar_of(span, x);
  const double room = kLabelGap + text_width(span.label);
  (stands_before(span, x) ? extent.from : extent.to) += stands_before(span, x) ? -room : room;
  return extent;
}

}  // namespace

std::vector<std::size_t> assign_lanes(const std::vector<SpanMark>& spans, const Scale& x) {
  std::vector<std::vector<Extent>> lanes;
  std::vector<std::size_t> lane_of;
  for (const SpanMark& span : spans) {
    const Extent wanted = with_label(span, x);
    const auto is_free = [&](const std::vector<Extent>& lane) {
      return std::none_of(lane.begin(), lane.end(), [&](const Extent& taken) {
        return wanted.from < taken.to + kLaneGap && taken.from < wanted.to + kLaneGap;
      });
    };
    auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
    if (lane == lanes.end()) {
      lane = lanes.emplace(lanes.end());
    }
    lane->push_back(wanted);
    lane_of.push_back(static_cast<std::size_t>(lane - lanes.begin()));
  }
  return lane_of;
}

double lanes_height(const std::vector<SpanMark>& spans, const Scale& x) {
  const std::vector<std::size_t> lanes = assign_lanes(spans, x);
  return lanes.empty() ? 0 : kLaneHeight * static_cast<double>(*std::max_element(lanes.begin(), lanes.end()) + 1);
}

void draw_span_shades(Svg& svg, const std::vector<SpanMark>& spans, const Scale& x, double top, double bottom) {
  for (const SpanMark& span : spans) {
    if (span.shaded) {
      const Extent bar = bar_of(span, x);
      svg.rectangle({bar.from, top, bar.to - bar.from, bottom - top}, "ap-shade");
    }
  }
}

void draw_span_lanes(Svg& svg, const std::vector<SpanMark>& spans, const Scale& x, double top, std::string_view name) {
  if (spans.empty()) {
    return;
  }
  svg.text({x.range().from - 8, top + kLaneHeight / 2 + 4}, name, Anchor::end, "ap-tick");
  const std::vector<std::size_t> lanes = assign_lanes(spans, x);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const SpanMark& span = spans[i];
    const Extent bar = bar_of(span, x);
    const double middle = top + kLaneHeight * (static_cast<double>(lanes[i]) + 0.5);
    svg.open(span.tooltip, span.link);
    svg.rectangle({bar.from, middle - 5, bar.to - bar.from, 10}, tone_class(span.tone));
    const bool before = stands_before(span, x);
    svg.text({before ? bar.from - kLabelGap : bar.to + kLabelGap, middle + 4}, span.label,
             before ? Anchor::end : Anchor::start, "ap-ink");
    svg.close();
  }
}

}  // namespace assay::plot
