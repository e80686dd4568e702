#include <assay/os/socket.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <assay/os/deadline.hpp>

namespace assay::os {
namespace {

// SCM_MAX_FD: the kernel takes no more in one message, so a control buffer of this size is never too small.
constexpr std::size_t kMostDescriptors = 253;

struct alignas(cmsghdr) ControlBuffer {
  std::array<std::byte, CMSG_SPACE(kMostDescriptors * sizeof(int))> bytes{};
};

bool is_closed(int error) { return error == EPIPE || error == ECONNRESET; }
bool must_wait(int error) { return error == EAGAIN; }  // On Linux EWOULDBLOCK is the same number.

// Waits until the socket is ready; done means go on.
base::Result<Transfer> wait_ready(const Fd& socket, short events, const Deadline& deadline) {
  pollfd entry{socket.get(), events, 0};
  const int ready = poll_until({&entry, 1}, deadline);
  if (ready < 0) {
    return base::system_error("socket.poll", "cannot wait for a socket", errno);
  }
  return ready == 0 ? Transfer::timed_out : Transfer::done;
}

// Takes ownership of every descriptor in the message at once, so that none can leak on a later error.
std::vector<Fd> take_descriptors(msghdr& message) {
  std::vector<Fd> arrived;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      arrived.emplace_back(fd);
    }
  }
  return arrived;
}

}  // namespace

base::Result<std::pair<Fd, Fd>> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return base::system_error("socket.create", "cannot create a pair of sockets", errno);
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

base::Result<Transfer> send_all(const Fd& socket, std::span<const std::byte> bytes, std::span<const int> descriptors,
                                std::chrono::nanoseconds limit) {
  if (descriptors.size() > kMostDescriptors || (bytes.empty() && !descriptors.empty())) {
    return base::internal_error("socket.descriptors",
                                "descriptors must travel with at least one byte, at most 253 at a time");
  }
  const Deadline deadline(limit);
  ControlBuffer control;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    // sendmsg does not write through iov_base.
    iovec part{const_cast<std::byte*>(bytes.data() + sent), bytes.size() - sent};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (sent == 0 && !descriptors.empty()) {
      message.msg_control = control.bytes.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t count = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (is_closed(errno)) {
      return Transfer::closed;
    } else if (must_wait(errno)) {
      ASSAY_TRY_ASSIGN(const Transfer ready, wait_ready(socket, POLLOUT, deadline));
      if (ready != Transfer::done) {
        return ready;
      }
    } else if (errno != EINTR) {
      return base::system_error("socket.send", "cannot send to a socket", errno);
    }
  }
  return Transfer::done;
}

base::Result<Transfer> receive_all(const Fd& socket, std::span<std::byte> bytes, std::vector<Fd>* descriptors,
                                   std::size_t most_descriptors, std::chrono::nanoseconds limit,
                                   std::chrono::nanoseconds spin) {
  const Deadline deadline(limit);
  const auto spun_enough = std::chrono::steady_clock::now() + spin;
  ControlBuffer control;
  std::size_t received = 0;
  while (received < bytes.size()) {
    iovec part{bytes.data() + received, bytes.size() - received};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    // Without a control buffer the kernel drops what a peer attached before it ever gets a number here.
    const bool wanted = descriptors != nullptr && descriptors->size() < most_descriptors;
    if (wanted) {
      message.msg_control = control.bytes.data();
      message.msg_controllen = control.bytes.size();
    }
    const ssize_t count = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0) {
      if (is_closed(errno)) {
        return Transfer::closed;
      }
      if (must_wait(errno)) {
        if (spin.count() > 0 && std::chrono::steady_clock::now() < spun_enough) {
          continue;
        }
        ASSAY_TRY_ASSIGN(const Transfer ready, wait_ready(socket, POLLIN, deadline));
        if (ready != Transfer::done) {
          return ready;
        }
      } else if (errno != EINTR) {
        return base::system_error("socket.receive", "cannot receive from a socket", errno);
      }
      continue;
    }
    if (wanted) {
      for (Fd& fd : take_descriptors(message)) {
        if (descriptors->size() < most_descriptors) {
          descriptors->push_back(std::move(fd));
        }
      }
      if ((message.msg_flags & MSG_CTRUNC) != 0 && descriptors->size() < most_descriptors) {
        return base::environment_error("socket.descriptors_lost",
                                       "a descriptor was lost on arrival: raise the limit on open files (ulimit -n)");
      }
    }
    if (count == 0) {
      return Transfer::closed;
    }
    received += static_cast<std::size_t>(count);
  }
  return Transfer::done;
}

}  // namespace assay::os
