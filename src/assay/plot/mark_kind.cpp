#include <assay/plot/mark_kind.hpp>

#include <assay/plot/marker.hpp>

namespace assay::plot {

const char* tone_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "ap-tone-good";
    case Tone::bad:
      return "ap-tone-bad";
    case Tone::doubt:
      return "ap-tone-doubt";
    case Tone::same:
      return "ap-tone-same";
    case Tone::other:
      return "ap-tone-other";
    case Tone::faint:
      return "ap-tone-faint";
  }
  return "ap-tone-faint";
}

void draw_mark(Svg& svg, const MarkKind& kind, Point center, double size) {
  svg.path(marker_path(kind.shape, center, size), tone_class(kind.tone));
}

double draw_mark_legend(Svg& svg, const std::vector<MarkKind>& kinds, const std::set<std::size_t>& used, Point at) {
  for (const std::size_t index : used) {
    const MarkKind& kind = kinds.at(index);
    draw_mark(svg, kind, {at.x + 6, at.y - 4}, 6);
    svg.text({at.x + 17, at.y}, kind.name, Anchor::start, "ap-ink");
    at.x += 17 + text_width(kind.name) + 16;
  }
  return at.x;
}

}  // namespace assay::plot
