#include <assay/os/fd.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace assay::os {

void Fd::reset() {
  if (fd_ >= 0) {
    // Linux frees the number even when close is interrupted: trying again could close someone else's
    // descriptor.
    ::close(std::exchange(fd_, -1));
  }
}

base::Result<Fd> Fd::duplicate() const {
  const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    return base::system_error("fd.duplicate", "cannot duplicate a file descriptor", errno);
  }
  return Fd(copy);
}

}  // namespace assay::os
