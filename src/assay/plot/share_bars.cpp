#include <assay/plot/share_bars.hpp>

#include <fmt/core.h>

#include <numeric>

#include <assay/base/error.hpp>

namespace assay::plot {
namespace {

constexpr double kBarsLeft = 150;
constexpr double kBarsWidth = 720;
constexpr double kBarHeight = 22;
constexpr double kBarDistance = 32;
constexpr double kBarsTop = 36;

std::string describe(const ShareBars& bars) {
  std::string text;
  for (const ShareBar& bar : bars.bars) {
    text += fmt::format("{}{}:", text.empty() ? "" : " ", bar.name);
    for (std::size_t i = 0; i < bar.counts.size(); ++i) {
      text += fmt::format("{} {} {}", i == 0 ? "" : ",", bar.counts[i], bars.parts.at(i).name);
    }
    text += ".";
  }
  return text;
}

}  // namespace

std::string draw(const ShareBars& bars) {
  Svg svg({.id = bars.id,
           .title = bars.title,
           .description = describe(bars),
           .width = 960,
           .height = kBarsTop + kBarDistance * static_cast<double>(bars.bars.size()),
           .style = bars.style});
  double x = 4;
  for (const ShareBars::Part& part : bars.parts) {
    svg.rectangle({x, 6, 12, 12}, tone_class(part.tone));
    svg.text({x + 18, 16}, part.name, Anchor::start, "ap-ink");
    x += 18 + text_width(part.name) + 16;
  }
  double y = kBarsTop;
  for (const ShareBar& bar : bars.bars) {
    ASSAY_CHECK(bar.counts.size() == bars.parts.size());
    const std::size_t total = std::accumulate(bar.counts.begin(), bar.counts.end(), std::size_t{0});
    svg.text({0, y + 16}, bar.name, Anchor::start, "ap-strong");
    double at = kBarsLeft;
    for (std::size_t i = 0; i < bar.counts.size(); ++i) {
      if (bar.counts[i] == 0) {
        continue;
      }
      const double width = kBarsWidth * static_cast<double>(bar.counts[i]) / static_cast<double>(total);
      const std::string count = std::to_string(bar.counts[i]);
      svg.open(fmt::format("{}: {} {}", bar.name, count, bars.parts[i].name));
      svg.rectangle({at, y, width, kBarHeight}, tone_class(bars.parts[i].tone));
      if (width > text_width(count) + 6) {
        svg.text({at + width / 2, y + 16}, count, Anchor::middle, "ap-on-tone");
      }
      svg.close();
      at += width;
    }
    svg.text({kBarsLeft + kBarsWidth + 10, y + 16}, fmt::format("{} in all", total), Anchor::start, "ap-tick");
    y += kBarDistance;
  }
  return svg.finish();
}

}  // namespace assay::plot
