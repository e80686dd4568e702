#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::plot {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

enum class Anchor : std::uint8_t { start, middle, end };

/// Whether a picture brings its style sheet, or the page that holds it has put stylesheet() in its head,
/// once.
enum class Style : std::uint8_t { embedded, from_page };

/// What a picture is, for those who cannot see it, and how it fits the page that holds it.
struct SvgHeader {
  std::string id;           ///< Unique on the page; letters, digits and '-'. Prefixes the ids inside.
  std::string title;        ///< A few words.
  std::string description;  ///< A sentence or two with what the picture shows.
  double width = 960;
  double height = 320;
  Style style = Style::embedded;
};

/// Returns the style rules that all pictures share: colours for light and dark (by prefers-color-scheme),
/// taken from Okabe and Ito's palette, which people with any colour vision can tell apart. Meaning is never
/// in the colour alone.
[[nodiscard]] std::string stylesheet();

/// Returns roughly how wide `text` is at the style sheet's font size.
[[nodiscard]] double text_width(std::string_view text);

/// Writes one SVG picture, element by element. Class names are ours and not escaped; all other text is.
class Svg {
 public:
  explicit Svg(const SvgHeader& header);

  void line(Point from, Point to, std::string_view css_class);
  void rectangle(const Box& box, std::string_view css_class);
  void circle(Point center, double radius, std::string_view css_class);
  void polyline(const std::vector<Point>& points, std::string_view css_class);
  void path(std::string_view data, std::string_view css_class);
  void text(Point at, std::string_view content, Anchor anchor, std::string_view css_class);
  /// Writes a text that reads upwards, centred on `at`.
  void vertical_text(Point at, std::string_view content, std::string_view css_class);

  /// Opens a group whose content shows `tooltip` and, if `link` is not empty, leads there. A link must begin
  /// with '#': pictures lead nowhere but into their page.
  void open(std::string_view tooltip, std::string_view link = {});
  void close();

  /// Returns the finished picture; all groups must be closed.
  [[nodiscard]] std::string finish();

 private:
  std::string out_;
  std::vector<std::string_view> open_;
};

}  // namespace assay::plot
