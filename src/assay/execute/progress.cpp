#include <assay/execute/progress.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <assay/base/text.hpp>

namespace assay::execute {
namespace {

constexpr std::size_t kLongestLine = 1024;
constexpr std::size_t kLongestWhat = 200;

// Takes a number and the one space after it off the front.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) {
    if (text.front() != ' ') {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
  return value + 0.0;  // -0 becomes 0
}

// Cuts at a character's border; `text` is UTF-8.
std::string cut(std::string text) {
  std::size_t end = std::min(text.size(), kLongestWhat);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
    --end;
  }
  text.resize(end);
  return text;
}

}  // namespace

std::optional<Progress> parse_progress(std::string_view line) {
  const auto done = take_number(line);
  const auto total = done ? take_number(line) : std::nullopt;
  if (!total) {
    return std::nullopt;
  }
  // What stands on one line of a terminal; `printable` leaves tabs and newlines.
  std::string what(base::trim(line));
  std::replace_if(what.begin(), what.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return Progress{*total > 0 ? std::min(*done, *total) : *done, *total, cut(base::printable(what))};
}

std::optional<Progress> ProgressReader::feed(std::string_view bytes) {
  std::optional<Progress> last;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    too_long_ = too_long_ || line_.size() + piece.size() > kLongestLine;
    if (too_long_) {
      line_.clear();
    } else {
      line_ += piece;
    }
    if (end == std::string_view::npos) {
      break;
    }
    if (auto progress = too_long_ ? std::nullopt : parse_progress(line_)) {
      last = std::move(progress);
    }
    line_.clear();
    too_long_ = false;
    bytes.remove_prefix(end + 1);
  }
  return last;
}

}  // namespace assay::execute
