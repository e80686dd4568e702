#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <assay/plot/svg.hpp>

namespace assay::plot {

/// Colours that differ for people with any colour vision. What a mark means is never in its tone alone.
enum class Tone : std::uint8_t { good, bad, doubt, same, other, faint };

/// One kind of mark in a picture and its legend: a shape (marker_path) filled in a tone.
struct MarkKind {
  std::string name;
  std::size_t shape = 0;
  Tone tone = Tone::faint;
};

/// Returns the style sheet's class for filled marks and areas of a tone.
[[nodiscard]] const char* tone_class(Tone tone);

void draw_mark(Svg& svg, const MarkKind& kind, Point center, double size);

/// Draws those kinds that are in use side by side from `at` to the right, with their names; returns where the next entry
/// would begin. `used` holds indices into the kinds.
double draw_mark_legend(Svg& svg, const std::vector<MarkKind>& kinds, const std::set<std::size_t>& used, Point at);

}  // namespace assay::plot
