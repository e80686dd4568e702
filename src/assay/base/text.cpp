#include <assay/base/text.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace assay::base {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) {
      return parts;
    }
    start = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? std::string_view() : separator);
    text += parts[i];
  }
  return text;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

namespace {

// C1 controls drive terminals as ESC does; direction overrides show text in another order than it has.
bool is_control(std::uint32_t code) {
  return (code >= 0x80 && code <= 0x9f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

// Returns the length of the valid and harmless UTF-8 sequence at the front of `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  std::size_t length = 0;
  std::uint32_t code = 0;
  if (lead < 0x80) {
    return 1;
  }
  if ((lead & 0xe0U) == 0xc0) {
    length = 2;
    code = lead & 0x1fU;
  } else if ((lead & 0xf0U) == 0xe0) {
    length = 3;
    code = lead & 0x0fU;
  } else if ((lead & 0xf8U) == 0xf0) {
    length = 4;
    code = lead & 0x07U;
  } else {
    return 0;
  }
  if (text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) {
      return 0;
    }
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kSmallest[length] || code > 0x10ffff || surrogate || is_control(code) ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (length == 0 || control) {
      result += "\xEF\xBF\xBD";
      ++i;
    } else {
      result += text.substr(i, length);
      i += length;
    }
  }
  return result;
}

std::string tail(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return std::string(text);
  }
  std::size_t start = text.size() - limit;
  if (limit > 0 && text[start - 1] != '\n') {
    // Lose at most half of what there is room for to begin at a line; else begin at a character.
    const std::size_t newline = text.substr(0, start + limit / 2).find('\n', start);
    if (newline != std::string_view::npos) {
      start = newline + 1;
    } else {
      for (int i = 0; i < 3 && start < text.size() && is_continuation(text[start]); ++i) {
        ++start;
      }
    }
  }
  return fmt::format("[{} left out]\n{}", human_bytes(start), text.substr(start));
}

std::string escape_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

namespace {

// Three significant digits, without an exponent, for values below 1000.
std::string three_digits(double value) {
  if (value >= 99.95) {
    return fmt::format("{:.0f}", value);
  }
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

std::string human(std::chrono::nanoseconds duration) {
  if (duration < std::chrono::nanoseconds::zero()) {
    // The most negative count has no positive counterpart.
    return "-" + human(-std::max(duration, -std::chrono::nanoseconds::max()));
  }
  const auto ns = static_cast<double>(duration.count());
  // Each bound is where the unit below would round up to it: never "1000 µs".
  if (ns < 1e3) {
    return fmt::format("{:.0f} ns", ns);
  }
  if (ns < 999.5e3) {
    return three_digits(ns / 1e3) + " µs";
  }
  if (ns < 999.5e6) {
    return three_digits(ns / 1e6) + " ms";
  }
  if (ns < 59.95e9) {
    return three_digits(ns / 1e9) + " s";
  }
  const auto seconds = static_cast<std::int64_t>(std::llround(ns / 1e9));  // chrono's round overflows near the maximum.
  if (seconds < 3600) {
    return fmt::format("{} m {:02} s", seconds / 60, seconds % 60);
  }
  return fmt::format("{} h {:02} m", seconds / 3600, seconds / 60 % 60);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string nearest(std::string_view given, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, given.size() / 3) + 1;
  for (const std::string& word : known) {
    std::vector<std::size_t> row(word.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= given.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= word.size(); ++j) {
        const std::size_t replaced = diagonal + (given[i - 1] == word[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    // At least one letter must be where it belongs: "x" is no slip for "ab".
    if (row.back() < best_distance && row.back() < std::max(given.size(), word.size())) {
      best_distance = row.back();
      best = word;
    }
  }
  return best;
}

}  // namespace assay::base
