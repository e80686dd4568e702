#include <assay/mcp/serve.hpp>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

#include <assay/agent/line_splitter.hpp>
#include <assay/mcp/session.hpp>
#include <assay/os/deadline.hpp>

namespace assay::mcp {
namespace {

// How often calls that wait are looked after.
constexpr std::chrono::milliseconds kTick(50);
constexpr std::chrono::hours kLong(1);

// Writes all of it; says whether anybody still reads.
base::Result<bool> write_line(int output, const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t at = 0; at < whole.size();) {
    const ssize_t count = ::write(output, whole.data() + at, whole.size() - at);
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      return false;
    }
    if (count < 0 && errno != EINTR) {
      return base::system_error("mcp.output", "cannot write to the client", errno);
    }
    at += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

}  // namespace

base::Result<void> serve(Toolbox& toolbox, const std::string& version, int input, int output) {
  ::signal(SIGPIPE, SIG_IGN);  // A client that is gone is told by write.
  base::Result<bool> written = true;
  Session session(toolbox, version, [&](const std::string& line) {
    if (written && *written) {
      written = write_line(output, line);
    }
  });
  agent::LineSplitter splitter(kLongestLine, [&](std::string_view line, agent::LineSplitter::Ending ending) {
    if (ending == agent::LineSplitter::Ending::oversized) {
      session.refuse_long_line();
    } else if (ending == agent::LineSplitter::Ending::newline) {
      session.receive(line, std::chrono::steady_clock::now());
    }  // A line that ends with the input was cut off.
  });
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (written && *written) {
    std::array<pollfd, 1> waiting = {pollfd{input, POLLIN, 0}};
    const bool ticks = session.waiting();
    const int ready = os::poll_until(waiting, ticks ? os::Deadline(kTick) : os::Deadline(kLong));
    if (ready < 0) {
      return base::system_error("mcp.input", "cannot wait for the client", errno);
    }
    session.look_after(std::chrono::steady_clock::now());
    if (ready == 0) {
      continue;
    }
    const ssize_t count = ::read(input, buffer.data(), buffer.size());
    if (count == 0) {
      return {};
    }
    if (count < 0 && errno == ECONNRESET) {
      return {};
    }
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      return base::system_error("mcp.input", "cannot read what the client writes", errno);
    }
    if (count > 0) {
      splitter.feed(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
  }
  return written ? base::Result<void>() : tl::unexpected(written.error());
}

}  // namespace assay::mcp
