#include <assay/execute/judge_log.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <assay/base/text.hpp>

namespace assay::execute {

base::Result<JudgeLog> JudgeLog::create(const os::Path& path, std::uint64_t limit) {
  os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.valid()) {
    return base::system_error("judge.log", fmt::format("{}: cannot be created", path.string()), errno);
  }
  return JudgeLog(std::move(file), limit);
}

void JudgeLog::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void JudgeLog::append(std::string_view bytes) {
  const std::uint64_t room = limit_ - std::min(seen_, limit_);
  write(bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size()))));
  seen_ += bytes.size();
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kTailBytes));
  if (tail_.size() > kTailBytes) {
    tail_.erase(0, tail_.size() - kTailBytes);
  }
}

void JudgeLog::finish() {
  if (seen_ > limit_) {
    const std::uint64_t rest = std::min<std::uint64_t>(seen_ - limit_, tail_.size());
    write(fmt::format("\n[{} left out]\n", base::human_bytes(seen_ - limit_ - rest)));
    write(std::string_view(tail_).substr(tail_.size() - static_cast<std::size_t>(rest)));
  }
  file_.reset();
}

std::string JudgeLog::last_lines(std::size_t lines) const {
  std::vector<std::string> all = base::split(base::trim(tail_), '\n');
  if (all.size() > lines) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
  }
  return base::printable(base::join(all, "\n"));
}

}  // namespace assay::execute
