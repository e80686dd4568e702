#include <assay/mcp/relay.hpp>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

#include <assay/mcp/socket.hpp>
#include <assay/os/deadline.hpp>

namespace assay::mcp {
namespace {

constexpr std::chrono::hours kQuiet(1);

// Hands on what is there; says whether there may be more.
bool pass(int from, int to, std::vector<char>& buffer) {
  const ssize_t count = ::read(from, buffer.data(), buffer.size());
  if (count <= 0) {
    return count < 0 && (errno == EINTR || errno == EAGAIN);
  }
  for (ssize_t at = 0; at < count;) {
    const ssize_t written = ::write(to, buffer.data() + at, static_cast<std::size_t>(count - at));
    if (written < 0 && errno != EINTR) {
      return false;
    }
    at += written > 0 ? written : 0;
  }
  return true;
}

}  // namespace

base::Result<void> relay(const os::Path& socket, int input, int output) {
  ::signal(SIGPIPE, SIG_IGN);
  ASSAY_TRY_ASSIGN(const os::Fd server, connect_to(socket));
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (true) {
    std::array<pollfd, 2> waiting = {pollfd{input, POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
    if (os::poll_until(waiting, os::Deadline(kQuiet)) < 0) {
      return base::system_error("mcp.relay", "cannot wait", errno);
    }
    // What the server has said is handed on before the client's end is looked at.
    if (waiting[1].revents != 0 && !pass(server.get(), output, buffer)) {
      return {};
    }
    if (waiting[0].revents != 0 && !pass(input, server.get(), buffer)) {
      return {};
    }
  }
}

}  // namespace assay::mcp
