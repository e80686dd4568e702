#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

/// Whether ANSI colours are written (os::wants_colour knows).
enum class Colour : std::uint8_t { off, on };

enum class Align : std::uint8_t { left, right };

/// What a cell means; decides its colour, and never anything else: tables read the same without colour.
enum class Tone : std::uint8_t { plain, good, bad, faint, strong };

/// Counts the columns that a terminal needs for `text` (UTF-8): combining marks take none, East Asian wide
/// characters and emoji take two, a byte that is not UTF-8 takes one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Cuts `text` to at most `width` columns; what was cut is marked with "…".
[[nodiscard]] std::string fit(std::string_view text, std::size_t width);

/// Wraps `text` in the tone's colour if `colour` is on.
[[nodiscard]] std::string tinted(std::string_view text, Tone tone, Colour colour);

/// An aligned table for the terminal. Cells are made printable (control characters, newlines and tabs
/// replaced): they may hold text of candidates.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
    std::size_t maximum_width = 60;  ///< Longer cells are cut.
  };
  struct Cell {
    Cell(std::string cell_text,
         Tone cell_tone = Tone::plain);  // NOLINT(google-explicit-constructor): rows of strings
    Cell(const char* cell_text);         // NOLINT(google-explicit-constructor)
    std::string text;
    Tone tone = Tone::plain;
  };

  explicit Table(std::vector<Column> columns);

  /// Adds a row with one cell a column.
  void add(std::vector<Cell> cells);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// Renders the header, a rule and the rows, each with `indent` spaces before it and no trailing blanks;
  /// columns are two spaces apart. Empty without rows.
  [[nodiscard]] std::string render(Colour colour = Colour::off, std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace assay::report
