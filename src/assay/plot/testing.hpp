#pragma once

#include <gtest/gtest.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace assay::plot::testing {

/// For the tests of this layer and of those above it; never part of the product.

/// Counts how often `needle` occurs, without overlaps.
inline int occurrences(std::string_view text, std::string_view needle) {
  int count = 0;
  for (std::size_t at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + needle.size())) {
    ++count;
  }
  return count;
}

namespace internal {

inline std::string problem_at(std::string_view text, std::size_t offset, const std::string& what) {
  return what + " at byte " + std::to_string(offset) + ": " + std::string(text.substr(offset, 60));
}

// An entity that XML itself knows, or a numeric one.
inline bool is_entity(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(';'));
  return text.size() > name.size() && (name == "&amp" || name == "&lt" || name == "&gt" || name == "&quot" ||
                                       name == "&apos" || name.substr(0, 2) == "&#");
}

inline bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == ':' || c == '_';
}

// Checks the attributes of one tag, which stand between its name and its end; returns "" or what is wrong.
inline std::string attribute_problem(std::string_view attributes) {
  std::vector<std::string_view> seen;
  std::size_t at = 0;
  while (true) {
    while (at < attributes.size() && std::isspace(static_cast<unsigned char>(attributes[at])) != 0) {
      ++at;
    }
    if (at == attributes.size()) {
      return "";
    }
    const std::size_t start = at;
    while (at < attributes.size() && is_name(attributes[at])) {
      ++at;
    }
    const std::string_view name = attributes.substr(start, at - start);
    if (name.empty() || attributes.substr(at, 2) != "=\"") {
      return "attribute without a quoted value";
    }
    for (const std::string_view other : seen) {
      if (other == name) {
        return "attribute twice";
      }
    }
    seen.push_back(name);
    at = attributes.find('"', at + 2);
    if (at == std::string_view::npos) {
      return "attribute without end";
    }
    ++at;
  }
}

}  // namespace internal

/// Returns "" if `text` is well-formed as the subset of XML that we write (elements, attributes in double
/// quotes, text, entities of XML; an HTML doctype may come first), or the first problem and its place.
inline std::string markup_problem(std::string_view text) {
  std::vector<std::string> open;
  std::size_t at = text.substr(0, 15) == "<!DOCTYPE html>" ? 15 : 0;
  int roots = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '&' && !internal::is_entity(text.substr(at, 12))) {
      return internal::problem_at(text, at, "bare ampersand");
    }
    if (c == '>') {
      return internal::problem_at(text, at, "bare >");
    }
    if (c != '<') {
      if (open.empty() && std::isspace(static_cast<unsigned char>(c)) == 0) {
        return internal::problem_at(text, at, "text outside the root");
      }
      ++at;
      continue;
    }
    // A > inside a quoted value is legal XML, but we escape it, so that the next one ends the tag.
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) {
      return internal::problem_at(text, at, "tag without end");
    }
    std::string_view tag = text.substr(at + 1, end - at - 1);
    if (tag.empty() || (tag.front() != '/' && !internal::is_name(tag.front())) ||
        tag.find('<') != std::string_view::npos) {
      return internal::problem_at(text, at, "not a tag");
    }
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) {
        return internal::problem_at(text, at, open.empty() ? "nothing to close" : "expected </" + open.back() + ">");
      }
      open.pop_back();
    } else {
      const bool closed = tag.back() == '/';
      tag = closed ? tag.substr(0, tag.size() - 1) : tag;
      std::size_t name_end = 0;
      while (name_end < tag.size() && internal::is_name(tag[name_end])) {
        ++name_end;
      }
      const std::string problem = internal::attribute_problem(tag.substr(name_end));
      if (!problem.empty()) {
        return internal::problem_at(text, at, problem);
      }
      roots += open.empty() ? 1 : 0;
      if (!closed) {
        open.emplace_back(tag.substr(0, name_end));
      }
    }
    at = end + 1;
  }
  if (!open.empty()) {
    return "not closed: <" + open.back() + ">";
  }
  return roots == 1 ? "" : std::to_string(roots) + " root elements";
}

/// Returns the value of a colour variable ("--ink") in one block of a style sheet, as "#rrggbb"; "" if it is not there.
inline std::string colour_of(std::string_view block, std::string_view variable) {
  const std::size_t at = block.find(std::string(variable) + ":#");
  if (at == std::string_view::npos) {
    return "";
  }
  const std::size_t start = at + variable.size() + 2;
  const std::string digits(block.substr(start, block.find_first_of(";}", start) - start));
  if (digits.size() != 3) {
    return "#" + digits;
  }
  return {'#', digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
}

/// Returns the contrast ratio of two colours "#rrggbb", from 1 to 21 (WCAG 2.1, relative luminance).
inline double contrast(const std::string& one, const std::string& other) {
  const auto luminance = [](const std::string& colour) {
    const auto channel = [&colour](std::size_t at) {
      const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
      return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  };
  const double a = luminance(one);
  const double b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

/// Compares `text` with tests/golden/<name>. With ASSAY_REGENERATE_GOLDEN set, writes the file instead; look
/// at it before you commit it.
inline void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("ASSAY_REGENERATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; run this test once with ASSAY_REGENERATE_GOLDEN=1";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "differs from " << path;
}

}  // namespace assay::plot::testing
