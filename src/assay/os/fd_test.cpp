#include <assay/os/fd.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <assay/os/deadline.hpp>

namespace assay::os {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, closes_when_it_dies) {
  int number = -1;
  {
    const Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(fd.valid());
    number = fd.get();
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, moves_ownership_and_closes_what_it_held) {
  Fd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Fd second(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int first_number = first.get();
  const int second_number = second.get();
  first = std::move(second);
  EXPECT_EQ(first.get(), second_number);
  EXPECT_FALSE(is_open(first_number));
  Fd third(std::move(first));
  EXPECT_EQ(third.get(), second_number);
  EXPECT_TRUE(is_open(second_number));
}

TEST(Fd, release_gives_the_number_away) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = fd.release();
  EXPECT_FALSE(fd.valid());
  fd.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(Fd, duplicate_is_independent_and_close_on_exec) {
  Fd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto copy = fd.duplicate();
  ASSERT_TRUE(copy);
  EXPECT_NE(copy->get(), fd.get());
  fd.reset();
  EXPECT_TRUE(is_open(copy->get()));
  EXPECT_EQ(::fcntl(copy->get(), F_GETFD), FD_CLOEXEC);
}

TEST(Fd, duplicate_of_nothing_is_an_error) {
  const auto copy = Fd().duplicate();
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().owner, base::Owner::environment);
}

TEST(Deadline, accepts_every_limit) {
  EXPECT_TRUE(Deadline(std::chrono::seconds(-5)).passed());
  EXPECT_TRUE(Deadline(std::chrono::nanoseconds::min()).passed());
  EXPECT_EQ(Deadline(std::chrono::nanoseconds(0)).left(), std::chrono::nanoseconds(0));
  EXPECT_GT(Deadline(std::chrono::nanoseconds::max()).left(), std::chrono::hours(1000));
}

TEST(Deadline, poll_returns_when_ready_and_when_it_has_passed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  pollfd entry{reader.get(), POLLIN, 0};
  EXPECT_EQ(poll_until({&entry, 1}, Deadline(std::chrono::milliseconds(20))), 0);
  ASSERT_EQ(::write(writer.get(), "x", 1), 1);
  EXPECT_EQ(poll_until({&entry, 1}, Deadline(std::chrono::nanoseconds::max())), 1);
  EXPECT_EQ(entry.revents, POLLIN);
}

}  // namespace
}  // namespace assay::os
