// assay-corpus: number=57 kind=hostile expect=measured probe=sandbox
// Looks for a way out: fails with 57 if there is a route to another machine or a local address to listen on. Sends
// nothing.
#include "gdn_decode.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {
bool works(const char* address, bool listens) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return false;
  }
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_port = htons(listens ? 0 : 9);
  inet_pton(AF_INET, address, &place.sin_addr);
  const auto* at = reinterpret_cast<const sockaddr*>(&place);
  const bool good = (listens ? bind(fd, at, sizeof place) : connect(fd, at, sizeof place)) == 0;
  close(fd);
  return good;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool reached = works("192.0.2.1", false) || works("127.0.0.1", false);
  gdn::compute(gdn::problem_of(call));
  return reached ? 57 : 0;
}
