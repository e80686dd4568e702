#include <assay/os/terminal.hpp>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <assay/base/text.hpp>

namespace assay::os {
namespace {

constexpr std::chrono::seconds kQuiet(2);
constexpr std::chrono::milliseconds kInterval(100);

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

// Counts code points: near enough for text that is seen for a tenth of a second.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

// Keeps at most `limit` columns; what was cut shows as an ellipsis.
std::string shorten(std::string_view text, std::size_t limit) {
  if (columns(text) <= limit) {
    return std::string(text);
  }
  std::string result;
  std::size_t seen = 0;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
    if (starts && ++seen >= limit) {
      break;
    }
    result += c;
  }
  return limit == 0 ? std::string() : result + "…";
}

std::string counter(double done, double total) {
  if (total <= 0) {
    return fmt::format("[{:.0f}]", std::floor(done));
  }
  if (total == std::floor(total) && total > 1) {
    return fmt::format("[{:.0f}/{:.0f}]", std::floor(done), total);
  }
  return fmt::format("[{:.0f} %]", std::floor(100 * done / total));
}

std::string time_left(double done, double total, std::chrono::nanoseconds elapsed) {
  if (total <= 0 || done <= 0 || done >= total) {
    return {};
  }
  const double seconds = std::ceil(std::chrono::duration<double>(elapsed).count() * (total - done) / done);
  if (seconds < 60) {
    return fmt::format("{:.0f} s left", seconds);
  }
  constexpr double kYear = 365.0 * 86400;
  return base::human(std::chrono::seconds(static_cast<std::int64_t>(std::min(seconds, kYear)))) + " left";
}

void write_stderr(std::string_view text) {
  // Progress is a courtesy: a terminal that has gone must not stop the work.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

bool wants_colour(int fd) {
  const char* refused = std::getenv("NO_COLOR");
  return is_terminal(fd) && !is_dumb() && (refused == nullptr || *refused == '\0');
}

int terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string progress_text(double done, double total, std::string_view what, std::chrono::nanoseconds elapsed,
                          int width) {
  std::string clean = base::printable(what);
  std::replace_if(clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const double bounded = total > 0 ? std::clamp(done, 0.0, total) : std::max(done, 0.0);
  const std::string head = counter(bounded, total) + " ";
  std::string end = time_left(bounded, total, elapsed);
  end = end.empty() ? end : " … " + end;
  // The last column stays free: writing into it wraps some terminals.
  const std::size_t limit = static_cast<std::size_t>(std::max(width, 1)) - 1;
  const std::size_t fixed = columns(head) + columns(end);
  return shorten(head + shorten(clean, limit > fixed ? limit - fixed : 0) + end, limit);
}

bool progress_due(std::chrono::nanoseconds elapsed, std::optional<std::chrono::nanoseconds> since_last) {
  return elapsed >= kQuiet && (!since_last || *since_last >= kInterval);
}

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && is_terminal(STDERR_FILENO) && !is_dumb()),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::update(double done, double total, std::string_view what) {
  if (!enabled_) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  using Since = std::optional<std::chrono::nanoseconds>;
  if (!progress_due(now - start_, shown_ ? Since(now - last_) : Since())) {
    return;
  }
  last_ = now;
  shown_ = true;
  write_stderr("\r" + progress_text(done, total, what, now - start_, terminal_width(STDERR_FILENO)) + "\x1b[K");
}

void ProgressLine::clear() {
  if (shown_) {
    write_stderr("\r\x1b[K");
    shown_ = false;
  }
}

}  // namespace assay::os
