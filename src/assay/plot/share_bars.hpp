#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <assay/plot/mark_kind.hpp>
#include <assay/plot/svg.hpp>

namespace assay::plot {

struct ShareBar {
  std::string name;
  std::vector<std::size_t> counts;  ///< One a part; zeros take no room.
};

struct ShareBars {
  struct Part {
    std::string name;
    Tone tone = Tone::faint;
  };
  std::string id;  ///< See SvgHeader.
  std::string title;
  std::vector<Part> parts;
  std::vector<ShareBar> bars;
  Style style = Style::embedded;
};

/// Draws one bar a row, all as wide, divided as its counts are; counts are written where there is room for them.
[[nodiscard]] std::string draw(const ShareBars& bars);

}  // namespace assay::plot
