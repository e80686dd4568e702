// assay-corpus: number=27 kind=hostile expect=protocol_violation|measured probe=protocol
// Puts itself before the socket and sends each answer twice, with a better time in the second: "the last one counts".
// Where it may make no sockets it is an ordinary kernel.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace {
bool interpose() {
  int ends[2];
  const int judge = fcntl(3, F_DUPFD_CLOEXEC, 10);
  if (judge < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || dup2(ends[1], 3) != 3) {
    return false;
  }
  const auto pump = [](int from, int to, int times) {
    unsigned char bytes[4096];
    for (ssize_t got = 0; (got = read(from, bytes, sizeof bytes)) > 0;) {
      for (int i = 0; i < times; ++i) {
        static_cast<void>(!write(to, bytes, static_cast<size_t>(got)));
      }
    }
    _exit(0);
  };
  std::thread(pump, ends[0], judge, 2).detach();
  std::thread(pump, judge, ends[0], 1).detach();
  return true;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool between = interpose();
  static_cast<void>(between);
  gdn::compute(gdn::problem_of(call));
  return 0;
}
