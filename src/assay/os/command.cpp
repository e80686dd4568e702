// Running a command to its end: the part of process.hpp that is built on Process.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <assay/base/text.hpp>
#include <assay/os/deadline.hpp>
#include <assay/os/process.hpp>

namespace assay::os {
namespace {

// A descendant that escaped may hold the pipe open after the program's end; what is in the pipe is read for
// so long.
constexpr std::chrono::milliseconds kDrain(100);

class OutputPipe {
 public:
  OutputPipe(Fd fd, std::size_t limit) : fd_(std::move(fd)), limit_(limit) {}

  [[nodiscard]] bool open() const { return fd_.valid(); }
  [[nodiscard]] pollfd entry() const { return {fd_.get(), POLLIN, 0}; }

  // Reads what is there; closes at the end.
  base::Result<void> read_available(CommandResult& result) {
    std::array<char, 65536> buffer;  // NOLINT: read fills it
    const ssize_t count = ::read(fd_.get(), buffer.data(), buffer.size());
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) {
        return {};
      }
      return base::system_error("process.output", "cannot read a command's output", errno);
    }
    if (count == 0) {
      fd_.reset();
      return {};
    }
    const auto got = static_cast<std::size_t>(count);
    result.written += got;
    const std::size_t room = limit_ - std::min(limit_, result.output.size());
    result.output.append(buffer.data(), std::min(got, room));
    result.output_truncated = result.output_truncated || got > room;
    return {};
  }

  base::Result<void> drain(CommandResult& result) {
    const Deadline deadline(kDrain);
    while (open()) {
      pollfd waiting = entry();
      if (poll_until({&waiting, 1}, deadline) <= 0) {
        return {};
      }
      ASSAY_TRY(read_available(result));
      if (deadline.passed()) {
        return {};
      }
    }
    return {};
  }

 private:
  Fd fd_;
  std::size_t limit_;
};

}  // namespace

base::Result<CommandResult> run_command(ProcessOptions options, std::chrono::nanoseconds time_limit,
                                        std::size_t output_limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return base::system_error("process.pipe", "cannot create a pipe", errno);
  }
  OutputPipe pipe{Fd(ends[0]), output_limit};
  Fd write_end(ends[1]);
  // Our end only: the program's must block as usual.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  options.standard_output = write_end.get();
  options.standard_error = write_end.get();

  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline(time_limit);
  ASSAY_TRY_ASSIGN(Process process, Process::spawn(options));
  write_end.reset();
  CommandResult result;
  while (true) {
    std::array<pollfd, 2> waiting = {pipe.entry(), pollfd{process.pidfd().get(), POLLIN, 0}};
    const int ready = poll_until(waiting, deadline);
    if (ready < 0) {
      return base::system_error("process.wait", "cannot wait for a command", errno);
    }
    if (waiting[1].revents != 0) {
      break;
    }
    // A program that writes without end keeps its pipe ready for ever: the clock decides.
    if (ready == 0 || deadline.passed()) {
      result.timed_out = true;
      process.kill();
      break;
    }
    ASSAY_TRY(pipe.read_available(result));
  }
  ASSAY_TRY_ASSIGN(const std::optional<ExitStatus> status, process.wait_for(std::chrono::nanoseconds(0)));
  ASSAY_CHECK(status.has_value());
  result.status = *status;
  result.out_of_memory = process.out_of_memory();
  result.wall = std::chrono::steady_clock::now() - start;
  ASSAY_TRY(pipe.drain(result));
  return result;
}

std::optional<Path> find_program(const std::string& name) {
  const auto runs = [](const Path& candidate) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0;
  };
  const char* path = std::getenv("PATH");
  if (name.starts_with('/')) {
    return runs(name) ? std::optional<Path>(name) : std::nullopt;
  }
  if (name.empty() || name.find('/') != std::string::npos) {
    return std::nullopt;
  }
  for (const std::string& folder : base::split(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path, ':')) {
    // An empty or relative entry would run whatever lies in the current folder.
    if (!folder.starts_with('/')) {
      continue;
    }
    Path candidate = Path(folder) / name;
    if (runs(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace assay::os
