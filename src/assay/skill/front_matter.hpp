#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include <assay/skill/problem.hpp>

namespace assay::skill {

/// One `key: value` of a front matter.
struct Field {
  /// `other`: what YAML takes for a number, a date, a truth value or nothing, where the format wants text.
  enum class Kind : std::uint8_t { text, other, map };
  std::string key;
  int line = 0;
  Kind kind = Kind::text;
  std::string value;          ///< As written if `other`; without line ends at its end.
  std::vector<Field> fields;  ///< Of a map; no maps among them.
};

struct FrontMatter {
  std::vector<Field> fields;  ///< Without duplicates, in their order.
  std::size_t body = 0;       ///< Where in the text the Markdown begins.
  int body_line = 1;          ///< Its line in the file.

  [[nodiscard]] const Field* find(std::string_view key) const;
};

/// The most that is read between the two lines `---`.
inline constexpr std::size_t kMostFrontMatterBytes = std::size_t{16} * 1024;
inline constexpr std::size_t kMostFields = 64;

/// Reads the YAML between two lines `---` at the beginning of a skill's file. Of YAML this is what the format needs and
/// what every reader of it agrees on: keys of letters, digits, - and _; text that is plain, in quotes, or a block (| and
/// >); one level of a map; comments. Lists, flow collections, anchors, tags and several documents are refused, and so is
/// plain text with ": " inside, which YAML takes for a map. The bytes may be anything. `file` is only named.
[[nodiscard]] tl::expected<FrontMatter, Problem> parse_front_matter(std::string_view text, const std::string& file);

}  // namespace assay::skill
