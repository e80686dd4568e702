#include <assay/os/socket.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

base::Result<Transfer> send_text(const Fd& socket, std::string_view text, std::span<const int> descriptors = {}) {
  return send_all(socket, bytes_of(text), descriptors, 5s);
}

struct Received {
  base::Result<Transfer> transfer;
  std::string text;
  std::vector<Fd> descriptors;
};

Received receive(const Fd& socket, std::size_t size, std::size_t most_descriptors = 8,
                 std::chrono::nanoseconds limit = 5s) {
  Received received{Transfer::done, std::string(size, '?'), {}};
  received.transfer = receive_all(socket, std::as_writable_bytes(std::span(received.text)), &received.descriptors,
                                  most_descriptors, limit);
  return received;
}

std::ptrdiff_t open_descriptors() {
  using Iterator = std::filesystem::directory_iterator;
  return std::distance(Iterator("/proc/self/fd"), Iterator());
}

class SocketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = socket_pair();
    ASSERT_TRUE(pair);
    a_ = std::move(pair->first);
    b_ = std::move(pair->second);
  }
  Fd a_;
  Fd b_;
};

TEST_F(SocketTest, is_closed_on_exec) {
  EXPECT_EQ(::fcntl(a_.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(b_.get(), F_GETFD), FD_CLOEXEC);
}

TEST_F(SocketTest, carries_bytes_both_ways_and_across_message_borders) {
  EXPECT_EQ(send_text(a_, "hello ").value(), Transfer::done);
  EXPECT_EQ(send_text(a_, "world").value(), Transfer::done);
  EXPECT_EQ(receive(b_, 3).text, "hel");
  EXPECT_EQ(receive(b_, 8).text, "lo world");
  EXPECT_EQ(send_text(b_, "back").value(), Transfer::done);
  EXPECT_EQ(receive(a_, 4).text, "back");
}

TEST_F(SocketTest, joins_a_message_that_arrives_in_pieces) {
  std::thread sender([&] {
    for (const char* piece : {"one ", "two ", "three"}) {
      EXPECT_EQ(send_text(a_, piece).value(), Transfer::done);
      std::this_thread::sleep_for(10ms);
    }
  });
  EXPECT_EQ(receive(b_, 13).text, "one two three");
  sender.join();
}

TEST_F(SocketTest, moves_more_than_the_kernel_buffers) {
  std::string large(5'000'000, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 31 % 251);
  }
  std::thread sender([&] { EXPECT_EQ(send_text(a_, large).value(), Transfer::done); });
  const Received received = receive(b_, large.size());
  sender.join();
  EXPECT_TRUE(received.text == large);
}

TEST_F(SocketTest, nothing_is_done_at_once) {
  EXPECT_EQ(send_text(a_, "").value(), Transfer::done);
  EXPECT_EQ(receive(b_, 0, 8, 0s).transfer.value(), Transfer::done);
}

TEST_F(SocketTest, times_out_when_nothing_or_too_little_comes) {
  EXPECT_EQ(receive(b_, 1, 8, 20ms).transfer.value(), Transfer::timed_out);
  EXPECT_EQ(receive(b_, 1, 8, -1s).transfer.value(), Transfer::timed_out);
  EXPECT_EQ(send_text(a_, "abc").value(), Transfer::done);
  EXPECT_EQ(receive(b_, 4, 8, 20ms).transfer.value(), Transfer::timed_out);
}

TEST_F(SocketTest, times_out_when_the_peer_does_not_read) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(send_all(a_, bytes_of(large), {}, 50ms).value(), Transfer::timed_out);
}

TEST_F(SocketTest, sees_a_closed_peer_and_raises_no_signal) {
  EXPECT_EQ(send_text(b_, "ab").value(), Transfer::done);
  b_.reset();
  EXPECT_EQ(receive(a_, 2).text, "ab");
  EXPECT_EQ(receive(a_, 1).transfer.value(), Transfer::closed);
  // SIGPIPE, whose default is death, would end the test here.
  EXPECT_EQ(send_text(a_, "x").value(), Transfer::closed);
}

TEST_F(SocketTest, a_peer_that_closes_in_the_middle_is_closed) {
  EXPECT_EQ(send_text(b_, "ab").value(), Transfer::done);
  b_.reset();
  EXPECT_EQ(receive(a_, 3).transfer.value(), Transfer::closed);
}

TEST_F(SocketTest, a_peer_that_closes_with_unread_bytes_is_closed) {
  EXPECT_EQ(send_text(a_, "never read").value(), Transfer::done);
  b_.reset();
  EXPECT_EQ(receive(a_, 1).transfer.value(), Transfer::closed);
}

TEST_F(SocketTest, what_is_no_socket_is_an_error) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(send_text(null, "x").error().owner, base::Owner::environment);
  EXPECT_EQ(receive(null, 1).transfer.error().owner, base::Owner::environment);
}

TEST_F(SocketTest, passes_descriptors_once_however_long_the_message) {
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::array<int, 2> sent = {null.get(), a_.get()};
  const std::string large(2'000'000, 'x');
  std::thread sender([&] { EXPECT_EQ(send_text(a_, large, sent).value(), Transfer::done); });
  const Received received = receive(b_, large.size());
  sender.join();
  EXPECT_EQ(received.transfer.value(), Transfer::done);
  ASSERT_EQ(received.descriptors.size(), 2U);
  EXPECT_NE(received.descriptors[0].get(), null.get());
  EXPECT_EQ(::fcntl(received.descriptors[0].get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(received.descriptors[0].get())),
            "/dev/null");
}

TEST_F(SocketTest, appends_descriptors_of_several_messages) {
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::array<int, 1> one = {null.get()};
  EXPECT_EQ(send_text(a_, "a", one).value(), Transfer::done);
  EXPECT_EQ(send_text(a_, "b", one).value(), Transfer::done);
  const Received received = receive(b_, 2);
  EXPECT_EQ(received.text, "ab");
  EXPECT_EQ(received.descriptors.size(), 2U);
}

TEST_F(SocketTest, closes_what_it_does_not_want) {
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::vector<int> many(253, null.get());
  const auto before = open_descriptors();
  EXPECT_EQ(send_text(a_, "xy", many).value(), Transfer::done);
  {
    const Received received = receive(b_, 2, 3);
    EXPECT_EQ(received.transfer.value(), Transfer::done);
    EXPECT_EQ(received.descriptors.size(), 3U);
    EXPECT_EQ(open_descriptors(), before + 3);
  }
  EXPECT_EQ(open_descriptors(), before);

  EXPECT_EQ(send_text(a_, "xy", many).value(), Transfer::done);
  EXPECT_EQ(receive(b_, 2, 0).transfer.value(), Transfer::done);
  EXPECT_EQ(open_descriptors(), before);

  EXPECT_EQ(send_text(a_, "xy", many).value(), Transfer::done);
  std::array<std::byte, 2> bytes{};
  EXPECT_EQ(receive_all(b_, bytes, nullptr, 100, 5s).value(), Transfer::done);
  EXPECT_EQ(std::memcmp(bytes.data(), "xy", 2), 0);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(SocketTest, refuses_to_send_what_the_kernel_would_not) {
  const std::vector<int> too_many(254, a_.get());
  EXPECT_EQ(send_text(a_, "x", too_many).error().owner, base::Owner::internal);
  const std::array<int, 1> one = {a_.get()};
  EXPECT_EQ(send_text(a_, "", one).error().owner, base::Owner::internal);
  const std::array<int, 1> bad = {-1};
  EXPECT_EQ(send_text(a_, "x", bad).error().owner, base::Owner::environment);
}

TEST_F(SocketTest, tells_when_a_descriptor_that_was_wanted_is_lost) {
  const int result = testing::in_fork([&] {
    const std::array<int, 3> sent = {0, 1, 2};
    if (!send_text(a_, "x", sent)) {
      return 1;
    }
    const rlimit limit{static_cast<rlim_t>(b_.get()) + 1, static_cast<rlim_t>(b_.get()) + 1};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const Received received = receive(b_, 1);
    return !received.transfer && received.transfer.error().code == "socket.descriptors_lost" ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace assay::os
