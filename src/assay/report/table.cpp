#include <assay/report/table.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>

namespace assay::report {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that matter in practice, from Unicode's EastAsianWidth (W and F) and the emoji blocks.
constexpr std::array<Range, 14> kWide{{{0x1100, 0x115f},
                                       {0x231a, 0x231b},
                                       {0x2e80, 0x303e},
                                       {0x3041, 0x33ff},
                                       {0x3400, 0x4dbf},
                                       {0x4e00, 0x9fff},
                                       {0xa000, 0xa4cf},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0xffe0, 0xffe6},
                                       {0x1f300, 0x1faff},
                                       {0x20000, 0x3fffd}}};
constexpr std::array<Range, 7> kZero{{{0x300, 0x36f},
                                      {0x1ab0, 0x1aff},
                                      {0x1dc0, 0x1dff},
                                      {0x200b, 0x200f},
                                      {0x20d0, 0x20ff},
                                      {0xfe00, 0xfe0f},
                                      {0xfe20, 0xfe2f}}};

template <std::size_t Count>
bool is_in(const std::array<Range, Count>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

struct Character {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

// Takes the first character of a text that is not empty. A byte that starts nothing valid stands for itself.
Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1 || text.size() < length) {
    return {};
  }
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return {};
    }
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  const std::size_t columns = is_in(kZero, code) ? 0 : is_in(kWide, code) ? 2 : 1;
  return {length, columns};
}

std::string one_line(std::string_view text) {
  std::string line = base::printable(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    columns += character.columns;
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  if (width == 0) {
    return "";
  }
  std::string cut;
  std::size_t columns = 1;  // the mark's
  while (true) {
    const Character character = first_character(text);
    if (columns + character.columns > width) {
      return cut + "…";
    }
    columns += character.columns;
    cut += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
}

std::string tinted(std::string_view text, Tone tone, Colour colour) {
  if (colour == Colour::off || tone == Tone::plain || text.empty()) {
    return std::string(text);
  }
  const auto code = [tone]() -> std::string_view {
    switch (tone) {
      case Tone::good:
        return "32";
      case Tone::bad:
        return "31";
      case Tone::faint:
        return "2";
      case Tone::strong:
      case Tone::plain:
        break;
    }
    return "1";
  };
  return "\x1b[" + std::string(code()) + "m" + std::string(text) + "\x1b[0m";
}

Table::Cell::Cell(std::string cell_text, Tone cell_tone) : text(std::move(cell_text)), tone(cell_tone) {}
Table::Cell::Cell(const char* cell_text) : text(cell_text) {}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) { ASSAY_CHECK(!columns_.empty()); }

void Table::add(std::vector<Cell> cells) {
  ASSAY_CHECK(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].text = fit(one_line(cells[i].text), columns_[i].maximum_width);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::render(Colour colour, std::size_t indent) const {
  if (rows_.empty()) {
    return "";
  }
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const std::vector<Cell>& row : rows_) {
      width = std::max(width, display_width(row[i].text));
    }
    widths.push_back(width);
  }
  std::string out;
  // Blanks are held back until something follows them, so that no line ends in them.
  const auto write_row = [&](const std::vector<Cell>& row) {
    std::size_t blanks = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t padding = widths[i] - display_width(row[i].text);
      blanks += columns_[i].align == Align::right ? padding : 0;
      if (!row[i].text.empty()) {
        out += std::string(blanks, ' ') + tinted(row[i].text, row[i].tone, colour);
        blanks = 0;
      }
      blanks += (columns_[i].align == Align::left ? padding : 0) + 2;
    }
    out += '\n';
  };
  std::vector<Cell> header;
  std::vector<Cell> rule;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    header.emplace_back(columns_[i].title, Tone::strong);
    std::string dashes;
    for (std::size_t column = 0; column < widths[i]; ++column) {
      dashes += "─";
    }
    rule.emplace_back(std::move(dashes), Tone::faint);
  }
  write_row(header);
  write_row(rule);
  for (const std::vector<Cell>& row : rows_) {
    write_row(row);
  }
  return out;
}

}  // namespace assay::report
