#include <assay/plot/svg.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>
#include <assay/plot/number.hpp>

namespace assay::plot {
namespace {

std::string safe(std::string_view text) { return base::escape_markup(base::printable(text)); }

bool is_identifier(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string_view anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

}  // namespace

std::string stylesheet() {
  // Blue and vermilion (light) and sky blue and orange (dark) are Okabe and Ito's, which differ in lightness
  // as well.
  return R"(.ap{--ap-ink:#1b2530;--ap-soft:#5a6673;--ap-grid:#e4e8ec;--ap-paper:#fff;
--ap-main:#0072b2;--ap-other:#8a949e;--ap-bad:#c04a00;--ap-doubt:#b58900;--ap-same:#a0528a;--ap-third:#00795a;
font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
display:block;width:100%;height:auto;overflow:visible}
@media (prefers-color-scheme:dark){.ap{--ap-ink:#e6ebf0;--ap-soft:#9aa7b4;--ap-grid:#2b333c;--ap-paper:#14191f;
--ap-main:#56b4e9;--ap-other:#8b97a3;--ap-bad:#e69f00;--ap-doubt:#f0e442;--ap-same:#d99ac4;--ap-third:#38c79a}}
.ap text{fill:var(--ap-soft);stroke:none}
.ap .ap-strong{fill:var(--ap-ink);font-weight:600}
.ap .ap-ink{fill:var(--ap-ink)}
.ap .ap-grid{stroke:var(--ap-grid);fill:none}
.ap .ap-band{fill:var(--ap-grid);opacity:.45}
.ap .ap-axis{stroke:var(--ap-soft);fill:none}
.ap .ap-base{stroke:var(--ap-ink);stroke-dasharray:5 4;fill:none}
.ap .ap-step{stroke:var(--ap-main);stroke-width:2;fill:none;stroke-linejoin:round}
.ap .ap-won{fill:var(--ap-main);stroke:var(--ap-paper);stroke-width:1.5}
.ap .ap-lost{fill:var(--ap-bad);stroke:var(--ap-paper);stroke-width:1.5}
.ap .ap-won-bar{stroke:var(--ap-main);stroke-width:2;fill:none}
.ap .ap-kept{fill:var(--ap-paper);stroke:var(--ap-other);stroke-width:1.6}
.ap .ap-kept-bar{stroke:var(--ap-other);stroke-width:1.2;fill:none}
.ap .ap-failed{fill:none;stroke:var(--ap-bad);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.ap .ap-neutral{fill:none;stroke:var(--ap-soft);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.ap .ap-gain{stroke:var(--ap-main);stroke-width:2;opacity:.55;fill:none}
.ap .ap-loss{stroke:var(--ap-bad);stroke-width:3;fill:none}
.ap .ap-noise{fill:var(--ap-main);opacity:.14;stroke:none}
.ap .ap-shade{fill:var(--ap-doubt);opacity:.16;stroke:none}
.ap .ap-own-band{stroke:var(--ap-soft);stroke-width:3;opacity:.55;fill:none}
.ap .ap-step-thin{stroke:var(--ap-main);stroke-width:1.3;fill:none;stroke-linejoin:round}
.ap .ap-failed-thin{fill:none;stroke:var(--ap-bad);stroke-width:1.1}
.ap .ap-lost-thin{fill:none;stroke:var(--ap-other);stroke-width:1.1}
.ap .ap-dot{fill:var(--ap-other);stroke:none}
.ap .ap-small{fill:var(--ap-ink);font-size:10.5px;font-weight:600}
.ap .ap-tone-good,.ap .ap-tone-bad,.ap .ap-tone-doubt,.ap .ap-tone-same,.ap .ap-tone-other,.ap .ap-tone-faint{
stroke:var(--ap-paper);stroke-width:1}
.ap .ap-tone-good{fill:var(--ap-main)}
.ap .ap-tone-bad{fill:var(--ap-bad)}
.ap .ap-tone-doubt{fill:var(--ap-doubt)}
.ap .ap-tone-same{fill:var(--ap-same)}
.ap .ap-tone-other{fill:var(--ap-third)}
.ap .ap-tone-faint{fill:var(--ap-other)}
.ap .ap-on-tone{fill:var(--ap-paper);font-weight:600}
.ap .ap-hit{fill:transparent;stroke:none}
.ap a:focus-visible{outline:2px solid var(--ap-main)}
)";
}

double text_width(std::string_view text) {
  constexpr double kMeanAdvance = 6.6;  // of a character at 12 px, on the generous side
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; };
  return kMeanAdvance * static_cast<double>(text.size()) -
         kMeanAdvance * static_cast<double>(std::count_if(text.begin(), text.end(), continues));
}

Svg::Svg(const SvgHeader& header) {
  ASSAY_CHECK(is_identifier(header.id));
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ap\" role=\"img\" "
      "aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\">\n"
      "<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n",
      header.id, coordinate(header.width), coordinate(header.height), safe(header.title), safe(header.description));
  if (header.style == Style::embedded) {
    out_ += "<style>\n" + stylesheet() + "</style>\n";
  }
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", coordinate(from.x),
                      coordinate(from.y), coordinate(to.x), coordinate(to.y), css_class);
}

void Svg::rectangle(const Box& box, std::string_view css_class) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", coordinate(box.x),
                      coordinate(box.y), coordinate(box.width), coordinate(box.height), css_class);
}

void Svg::circle(Point center, double radius, std::string_view css_class) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", coordinate(center.x),
                      coordinate(center.y), coordinate(radius), css_class);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view css_class) {
  std::string list;
  for (const Point& point : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", coordinate(point.x), coordinate(point.y));
  }
  out_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", list, css_class);
}

void Svg::path(std::string_view data, std::string_view css_class) {
  out_ += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", data, css_class);
}

void Svg::text(Point at, std::string_view content, Anchor anchor, std::string_view css_class) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", coordinate(at.x),
                      coordinate(at.y), anchor_name(anchor), css_class, safe(content));
}

void Svg::vertical_text(Point at, std::string_view content, std::string_view css_class) {
  out_ +=
      fmt::format("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" class=\"{}\">{}</text>\n",
                  coordinate(at.x), coordinate(at.y), css_class, safe(content));
}

void Svg::open(std::string_view tooltip, std::string_view link) {
  ASSAY_CHECK(link.empty() || link.front() == '#');
  out_ += link.empty() ? std::string("<g>") : fmt::format("<a href=\"{}\">", safe(link));
  out_ += fmt::format("<title>{}</title>\n", safe(tooltip));
  open_.push_back(link.empty() ? "</g>\n" : "</a>\n");
}

void Svg::close() {
  ASSAY_CHECK(!open_.empty());
  out_ += open_.back();
  open_.pop_back();
}

std::string Svg::finish() {
  ASSAY_CHECK(open_.empty());
  return std::move(out_) + "</svg>\n";
}

}  // namespace assay::plot
