#include <assay/os/deadline.hpp>

#include <poll.h>

#include <cerrno>
#include <ctime>

namespace assay::os {

int poll_until(std::span<pollfd> descriptors, const Deadline& deadline) {
  while (true) {
    const std::chrono::nanoseconds left = deadline.left();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timespec limit{};
    limit.tv_sec = seconds.count();
    limit.tv_nsec = (left - seconds).count();
    const int ready = ::ppoll(descriptors.data(), descriptors.size(), &limit, nullptr);
    if (ready >= 0 || errno != EINTR) {
      return ready;
    }
  }
}

}  // namespace assay::os
