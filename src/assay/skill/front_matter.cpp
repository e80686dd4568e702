#include <assay/skill/front_matter.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include <assay/base/text.hpp>

namespace assay::skill {
namespace {

constexpr std::string_view kFence = "---";

struct SourceLine {
  std::string_view text;  // Without its line end and blanks at its end.
  int number = 0;

  [[nodiscard]] std::size_t indentation() const { return std::min(text.find_first_not_of(' '), text.size()); }
  [[nodiscard]] std::string_view content() const { return text.substr(indentation()); }
  [[nodiscard]] bool is_blank() const { return text.empty(); }
  [[nodiscard]] bool is_comment() const { return content().starts_with('#'); }
};

std::string_view without_blanks_at_the_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '-' || c == '_';
}

// "key: value" or "key:"; nothing if the line is neither.
struct KeyAndRest {
  std::string_view key;
  std::string_view rest;
};
std::optional<KeyAndRest> key_of(std::string_view content) {
  const auto end =
      static_cast<std::size_t>(std::find_if_not(content.begin(), content.end(), is_key_letter) - content.begin());
  if (end == 0 || end >= content.size() || content[end] != ':') {
    return std::nullopt;
  }
  const std::string_view rest = content.substr(end + 1);
  if (!rest.empty() && rest.front() != ' ') {
    return std::nullopt;
  }
  return KeyAndRest{content.substr(0, end), base::trim(rest)};
}

// Whether YAML reads plain text as something else than text.
bool is_no_text(std::string_view plain) {
  constexpr std::array<std::string_view, 11> kWords = {"null", "~",   "true", "false", "yes", "no",
                                                       "on",   "off", "y",    "n",     ".nan"};
  std::string lower(plain);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (std::find(kWords.begin(), kWords.end(), lower) != kWords.end()) {
    return true;
  }
  const std::size_t sign = lower.find_first_not_of("+-.");
  return sign != std::string::npos && base::is_digit(lower[sign]) &&
         lower.find_first_not_of("0123456789+-._:etzxoabcdf") == std::string::npos;
}

// Cuts a comment off a plain scalar.
std::string_view without_comment(std::string_view plain) {
  for (std::size_t at = plain.find('#'); at != std::string_view::npos; at = plain.find('#', at + 1)) {
    if (at == 0 || plain[at - 1] == ' ') {
      return base::trim(plain.substr(0, at));
    }
  }
  return plain;
}

class FrontMatterReader {
 public:
  FrontMatterReader(std::vector<SourceLine> lines, const std::string& file) : lines_(std::move(lines)), file_(file) {}

  tl::expected<std::vector<Field>, Problem> read() { return read_level(0, ""); }

 private:
  using Done = tl::expected<void, Problem>;

  tl::unexpected<Problem> wrong(int line, const std::string& field, std::string message) const {
    return tl::unexpected(Problem{"skill.front_matter", file_, line, field, std::move(message)});
  }

  [[nodiscard]] bool at_end() const { return next_ >= lines_.size(); }
  [[nodiscard]] const SourceLine& line() const { return lines_[next_]; }

  void skip_blank_lines() {
    while (!at_end() && (line().is_blank() || line().is_comment())) {
      ++next_;
    }
  }

  // Reads `key: value` lines with exactly this indentation, until one has less.
  tl::expected<std::vector<Field>, Problem> read_level(std::size_t indentation, const std::string& parent) {
    std::vector<Field> fields;
    for (skip_blank_lines(); !at_end() && line().indentation() >= indentation; skip_blank_lines()) {
      const SourceLine here = line();
      if (here.content().starts_with('\t')) {
        return wrong(here.number, parent, "begins with a tab: indent with blanks");
      }
      if (here.indentation() > indentation) {
        return wrong(here.number, parent, "is indented further than the line that it could belong to: align it");
      }
      const auto pair = key_of(here.content());
      if (!pair) {
        return wrong(here.number, parent,
                     here.content().starts_with('-')
                         ? "is a list item: the format has text, and one map of text (metadata)"
                         : "is no \"key: value\": a key has letters, digits, - and _, then a colon and a blank");
      }
      const std::string pointer = parent + "/" + std::string(pair->key);
      if (std::any_of(fields.begin(), fields.end(), [&](const Field& other) { return other.key == pair->key; })) {
        return wrong(here.number, pointer, "comes twice: remove one");
      }
      if (fields.size() == kMostFields) {
        return wrong(here.number, parent, fmt::format("is one field more than the {} that are read", kMostFields));
      }
      fields.push_back({std::string(pair->key), here.number, Field::Kind::text, {}, {}});
      ++next_;
      if (const Done done = read_value(fields.back(), pair->rest, indentation, pointer); !done) {
        return tl::unexpected(done.error());
      }
    }
    return fields;
  }

  Done read_value(Field& field, std::string_view rest, std::size_t indentation, const std::string& pointer) {
    if (rest.empty() || rest.front() == '#') {
      return read_below(field, indentation, pointer);
    }
    switch (rest.front()) {
      case '"':
      case '\'':
        return read_quoted(field, rest, pointer);
      case '|':
      case '>':
        return read_block(field, rest, indentation, pointer);
      default:
        return read_plain(field, rest, indentation, pointer);
    }
  }

  // What stands on the lines below `key:`, if they are indented: a map or plain text.
  Done read_below(Field& field, std::size_t indentation, const std::string& pointer) {
    skip_blank_lines();
    if (at_end() || line().indentation() <= indentation) {
      field.kind = Field::Kind::other;  // YAML's null.
      return {};
    }
    if (!key_of(line().content())) {
      const std::string_view first = line().content();
      ++next_;
      return read_value(field, first, indentation, pointer);
    }
    if (indentation > 0) {
      return wrong(line().number, pointer, "is a map inside a map: the format has one level");
    }
    field.kind = Field::Kind::map;
    auto fields = read_level(line().indentation(), pointer);
    if (!fields) {
      return tl::unexpected(fields.error());
    }
    field.fields = std::move(*fields);
    // Whatever is indented less than the map, and still more than the key, belongs to nothing.
    if (!at_end() && line().indentation() > indentation) {
      return wrong(line().number, pointer, "is indented unlike the lines above it: align it");
    }
    return {};
  }

  Done read_quoted(Field& field, std::string_view rest, const std::string& pointer) const {
    const char quote = rest.front();
    std::size_t at = 1;
    for (; at < rest.size(); ++at) {
      const char c = rest[at];
      if (c == quote && quote == '\'' && rest.substr(at + 1).starts_with('\'')) {
        field.value += '\'';
        ++at;
      } else if (c == quote) {
        break;
      } else if (c == '\\' && quote == '"') {
        constexpr std::string_view kNames = "\"\\/nt";
        constexpr std::string_view kMeanings = "\"\\/\n\t";
        const std::size_t which = at + 1 < rest.size() ? kNames.find(rest[at + 1]) : std::string_view::npos;
        if (which == std::string_view::npos) {
          return wrong(field.line, pointer,
                       "has an escape other than \\\" \\\\ \\/ \\n \\t: write the character itself");
        }
        field.value += kMeanings[which];
        ++at;
      } else {
        field.value += c;
      }
    }
    if (at >= rest.size()) {
      return wrong(field.line, pointer, "has no closing quote on its line: close it, or use a block (key: >)");
    }
    const std::string_view behind = base::trim(rest.substr(at + 1));
    if (!behind.empty() && behind.front() != '#') {
      return wrong(field.line, pointer, "goes on behind its closing quote: escape the quote, or remove the rest");
    }
    return {};
  }

  // A block of lines that are indented further than the key.
  Done read_block(Field& field, std::string_view rest, std::size_t indentation, const std::string& pointer) {
    const std::string_view header = without_comment(rest);
    const bool folded = header.front() == '>';
    if (header.size() > 2 || (header.size() == 2 && header[1] != '-' && header[1] != '+')) {
      return wrong(field.line, pointer,
                   "begins a block with more than |, > and one of - and +: write the text below it");
    }
    std::size_t margin = 0;
    std::size_t empty = 0;  // Lines since the last one with text.
    for (; !at_end() && (line().is_blank() || line().indentation() > indentation); ++next_) {
      if (line().is_blank()) {
        ++empty;
        continue;
      }
      margin = margin == 0 ? line().indentation() : margin;
      if (line().indentation() < margin) {
        return wrong(line().number, pointer, "is indented less than the block that it is in: align it");
      }
      if (!field.value.empty()) {
        field.value += folded && empty == 0 ? " " : std::string(folded ? empty : empty + 1, '\n');
      }
      empty = 0;
      field.value += line().text.substr(margin);
    }
    return {};
  }

  Done read_plain(Field& field, std::string_view rest, std::size_t indentation, const std::string& pointer) {
    constexpr std::string_view kIndicators = "[]{}&*!%@`,?";
    if (kIndicators.find(rest.front()) != std::string_view::npos || rest.starts_with("- ") || rest == "-") {
      return wrong(field.line, pointer,
                   fmt::format("begins with {}, which means something in YAML: put the text in quotes", rest.front()));
    }
    field.value = without_comment(rest);
    int number = field.line;
    bool commented = field.value.size() != rest.size();
    while (true) {
      if (field.value.find(": ") != std::string::npos || field.value.ends_with(':')) {
        return wrong(number, pointer, "is plain text with a colon and a blank inside, a map to YAML: put it in quotes");
      }
      if (at_end() || line().is_blank() || line().indentation() <= indentation) {
        break;
      }
      number = line().number;
      if (commented) {
        return wrong(number, pointer, "follows a comment inside of plain text: move the comment");
      }
      const std::string_view more = without_comment(line().content());
      commented = more.size() != line().content().size();
      field.value += more.empty() ? "" : " " + std::string(more);
      ++next_;
    }
    field.kind = is_no_text(field.value) ? Field::Kind::other : Field::Kind::text;
    return {};
  }

  std::vector<SourceLine> lines_;
  const std::string& file_;
  std::size_t next_ = 0;
};

}  // namespace

const Field* FrontMatter::find(std::string_view key) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

tl::expected<FrontMatter, Problem> parse_front_matter(std::string_view text, const std::string& file) {
  const auto wrong = [&](int line, std::string message) {
    return tl::unexpected(Problem{"skill.front_matter", file, line, "", std::move(message)});
  };
  std::vector<SourceLine> lines;
  FrontMatter result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = without_blanks_at_the_end(text.substr(start, end - start));
    const int number = result.body_line;
    ++result.body_line;
    start = end + 1;
    result.body = std::min(start, text.size());
    if (number == 1) {
      if (line != kFence) {
        return wrong(1, "does not begin with a line ---: begin with front matter");
      }
      continue;
    }
    if (line == kFence) {
      FrontMatterReader reader(std::move(lines), file);
      auto fields = reader.read();
      if (!fields) {
        return tl::unexpected(fields.error());
      }
      result.fields = std::move(*fields);
      return result;
    }
    if (result.body > kMostFrontMatterBytes) {
      return wrong(number, fmt::format("the front matter goes on beyond {}: end it with a line ---",
                                       base::human_bytes(kMostFrontMatterBytes)));
    }
    if (base::printable(line) != line) {
      return wrong(number, "has a control character, or bytes that are not UTF-8: remove them");
    }
    lines.push_back({line, number});
  }
  return wrong(1, text.empty() ? "is empty: begin with front matter between two lines ---"
                               : "has no second line ---: end the front matter with one");
}

}  // namespace assay::skill
