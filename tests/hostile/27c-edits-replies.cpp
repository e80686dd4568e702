// assay-corpus: number=27 kind=hostile expect=suspect|indistinguishable|not_better probe=reconcile stage=gate
// Puts itself between the worker and the judge: a thread carries all messages and divides the times in the answers by
// ten. Nonce and sequence are right, since the worker wrote them. Where it may
// make no sockets it is an ordinary kernel.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace {
bool read_all(int fd, unsigned char* at, size_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got <= 0) {
      return false;
    }
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

// One message: a header of 24 bytes, with the payload's size at 8.
bool carry(int from, int to, bool edit) {
  static thread_local unsigned char frame[24 + 65536];
  if (!read_all(from, frame, 24)) {
    return false;
  }
  uint32_t size;
  memcpy(&size, frame + 8, sizeof size);
  if (size > 65536 || !read_all(from, frame + 24, size)) {
    return false;
  }
  if (edit && frame[4] == 4 && size == 12) {
    int64_t elapsed;
    memcpy(&elapsed, frame + 28, sizeof elapsed);
    elapsed /= 10;
    memcpy(frame + 28, &elapsed, sizeof elapsed);
  }
  return write(to, frame, 24 + size) == static_cast<ssize_t>(24 + size);
}

bool interpose() {
  int ends[2];
  const int judge = fcntl(3, F_DUPFD_CLOEXEC, 10);
  if (judge < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || dup2(ends[1], 3) != 3) {
    return false;
  }
  std::thread([judge, ours = ends[0]] {
    while (carry(ours, judge, true)) {
    }
  }).detach();
  std::thread([judge, ours = ends[0]] {
    while (carry(judge, ours, false)) {
    }
    _exit(0);
  }).detach();
  return true;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool between = interpose();
  static_cast<void>(between);
  gdn::compute(gdn::problem_of(call));
  return 0;
}
