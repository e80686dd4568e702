#include <assay/os/terminal.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <assay/os/fd.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

struct Terminal {
  Fd ours;
  Fd theirs;
};

Terminal open_terminal(unsigned short columns) {
  int ours = -1;
  int theirs = -1;
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  EXPECT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, &size), 0);
  return {Fd(ours), Fd(theirs)};
}

std::string read_available(const Fd& fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  pollfd entry{fd.get(), POLLIN, 0};
  while (::poll(&entry, 1, 50) > 0) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count <= 0) {
      break;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

TEST(Terminal, recognises_terminals_and_their_width) {
  const Terminal terminal = open_terminal(123);
  EXPECT_TRUE(is_terminal(terminal.theirs.get()));
  EXPECT_EQ(terminal_width(terminal.theirs.get()), 123);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(is_terminal(null.get()));
  EXPECT_EQ(terminal_width(null.get()), 80);
  EXPECT_EQ(terminal_width(open_terminal(0).theirs.get()), 80);
  EXPECT_FALSE(is_terminal(-1));
}

TEST(Terminal, colours_need_a_capable_terminal_and_no_objection) {
  const Terminal terminal = open_terminal(80);
  const int fd = terminal.theirs.get();
  const auto with = [&](const char* term, const char* no_colour) {
    return testing::in_fork([&] {
      term == nullptr ? ::unsetenv("TERM") : ::setenv("TERM", term, 1);
      no_colour == nullptr ? ::unsetenv("NO_COLOR") : ::setenv("NO_COLOR", no_colour, 1);
      return wants_colour(fd) ? 1 : 0;
    });
  };
  EXPECT_EQ(with("xterm", nullptr), 1);
  EXPECT_EQ(with("xterm", ""), 1);
  EXPECT_EQ(with("xterm", "1"), 0);
  EXPECT_EQ(with("dumb", nullptr), 0);
  EXPECT_EQ(with(nullptr, nullptr), 0);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(wants_colour(null.get()));
}

TEST(ProgressText, counts_and_extrapolates) {
  EXPECT_EQ(progress_text(12, 40, "relu", 12s, 80), "[12/40] relu … 28 s left");
  EXPECT_EQ(progress_text(1, 3, "relu", 100s, 80), "[1/3] relu … 3 m 20 s left");
  EXPECT_EQ(progress_text(0, 40, "relu", 12s, 80), "[0/40] relu");
  EXPECT_EQ(progress_text(40, 40, "relu", 12s, 80), "[40/40] relu");
}

TEST(ProgressText, shows_fractions_as_a_percentage_and_an_unknown_total_as_a_count) {
  EXPECT_EQ(progress_text(0.25, 1, "build", 3s, 80), "[25 %] build … 9 s left");
  EXPECT_EQ(progress_text(1.5, 2.5, "build", 3s, 80), "[60 %] build … 2 s left");
  EXPECT_EQ(progress_text(7, 0, "files", 3s, 80), "[7] files");
  EXPECT_EQ(progress_text(7.9, 9, "x", 0s, 80), "[7/9] x … 0 s left");
}

TEST(ProgressText, stays_within_its_bounds) {
  EXPECT_EQ(progress_text(50, 40, "x", 12s, 80), "[40/40] x");
  EXPECT_EQ(progress_text(-1, 40, "x", 12s, 80), "[0/40] x");
  EXPECT_THAT(progress_text(1e-12, 1, "x", 1000s, 80), HasSubstr(" h "));
}

TEST(ProgressText, is_cut_to_the_width_but_keeps_the_numbers) {
  const std::string line = progress_text(12, 40, std::string(200, 'w'), 12s, 40);
  EXPECT_EQ(line, "[12/40] " + std::string(18, 'w') + "… … 28 s left");
  // Two bytes a letter; a letter is never cut in two.
  EXPECT_EQ(progress_text(1, 0, "ééééééé", 0s, 10), "[1] éééé…");
  for (int width = -3; width < 30; ++width) {
    const std::string text = progress_text(12, 40, "matrix", 12s, width);
    std::size_t columns = 0;
    for (const char c : text) {
      columns += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
    }
    EXPECT_LE(columns, static_cast<std::size_t>(std::max(width - 1, 0))) << text;
  }
}

TEST(ProgressText, lets_no_text_drive_the_terminal) {
  EXPECT_THAT(progress_text(1, 2, "a\x1b[31m\nb\tc", 0s, 80), Not(HasSubstr("\x1b")));
  EXPECT_EQ(progress_text(1, 0, "a\nb\tc", 0s, 80), "[1] a b c");
}

TEST(ProgressDue, waits_two_seconds_and_then_a_tenth_each_time) {
  EXPECT_FALSE(progress_due(0s, std::nullopt));
  EXPECT_FALSE(progress_due(1999ms, std::nullopt));
  EXPECT_TRUE(progress_due(2s, std::nullopt));
  EXPECT_FALSE(progress_due(10s, 99ms));
  EXPECT_TRUE(progress_due(10s, 100ms));
}

// Runs `use` in a fork whose stderr is a terminal; returns what appeared there.
std::string on_terminal(const std::function<void()>& use) {
  const Terminal terminal = open_terminal(60);
  const int result = testing::in_fork([&] {
    ::setenv("TERM", "xterm", 1);
    ::dup2(terminal.theirs.get(), STDERR_FILENO);
    use();
    return 0;
  });
  EXPECT_EQ(result, 0);
  return read_available(terminal.ours);
}

TEST(ProgressLine, is_quiet_at_first_and_when_disabled) {
  EXPECT_EQ(on_terminal([] {
              ProgressLine line(true);
              line.update(1, 2, "early");
              line.clear();
              ProgressLine disabled(false);
              disabled.update(1, 2, "disabled");
            }),
            "");
}

TEST(ProgressLine, draws_once_and_wipes_itself) {
  const std::string seen = on_terminal([] {
    ProgressLine line(true);
    std::this_thread::sleep_for(2010ms);
    line.update(1, 2, "first");
    line.update(2, 2, "throttled");
  });
  EXPECT_TRUE(seen.starts_with("\r[1/2] first … ")) << seen;
  EXPECT_THAT(seen, Not(HasSubstr("throttled")));
  EXPECT_TRUE(seen.ends_with("\r\x1b[K")) << seen;
}

TEST(ProgressLine, is_quiet_when_stderr_is_not_a_terminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  EXPECT_EQ(testing::in_fork([&] {
              ::dup2(writer.get(), STDERR_FILENO);
              ProgressLine line(true);
              std::this_thread::sleep_for(2010ms);
              line.update(1, 2, "first");
              return 0;
            }),
            0);
  writer.reset();
  EXPECT_EQ(read_available(reader), "");
}

}  // namespace
}  // namespace assay::os
