#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/execute/judge_log.hpp>
#include <assay/execute/judge_runner.hpp>
#include <assay/execute/time_limit.hpp>
#include <assay/os/deadline.hpp>
#include <assay/os/process.hpp>
#include <assay/task/bundle.hpp>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves its declaration to us

namespace assay::execute {
namespace {

constexpr int kProgressDescriptor = 3;
constexpr std::size_t kLongestId = 80;
constexpr std::size_t kLinesShown = 12;
// What a dead judge left in its pipes is read for this long at most: a descendant may hold them open for ever.
constexpr std::chrono::milliseconds kDrainLimit(500);

struct Paths {
  os::Path bundle;
  os::Path request;
  os::Path log;
};

// The id becomes a file's name.
base::Result<Paths> paths_of(const std::string& id, const os::Path& spool) {
  const bool good = !id.empty() && id.size() <= kLongestId && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
  });
  if (!good) {
    return base::input_error("request.id",
                             fmt::format("request: /id: \"{}\" must be 1 to {} characters of 0-9, a-z and '-'",
                                         base::printable(id), kLongestId));
  }
  return Paths{spool / id, spool / (id + ".request.json"), spool / (id + ".judge.log")};
}

enum class BundleState : std::uint8_t { absent, complete, in_the_way };

BundleState bundle_state(const os::Path& bundle) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(bundle, error))) {
    return BundleState::absent;
  }
  return std::filesystem::is_regular_file(bundle / task::kManifestFile, error) ? BundleState::complete
                                                                               : BundleState::in_the_way;
}

std::vector<std::pair<std::string, std::string>> judge_environment() {
  std::vector<std::pair<std::string, std::string>> chosen = {{"LANG", "C.UTF-8"}};
  bool has_path = false;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string name(text.substr(0, text.find('=')));
    if (name.size() == text.size()) {
      continue;
    }
    has_path = has_path || name == "PATH";
    if (name == "PATH" || name == "HOME" || name == "TMPDIR" || name.rfind("ASSAY_", 0) == 0) {
      chosen.emplace_back(name, text.substr(name.size() + 1));
    }
  }
  if (!has_path) {
    chosen.emplace_back("PATH", "/usr/local/bin:/usr/bin:/bin");
  }
  return chosen;
}

// A pipe of which we read without blocking; the child's end blocks, as programs expect.
base::Result<std::pair<os::Fd, os::Fd>> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0 || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
    return base::system_error("judge.pipe", "cannot make a pipe for the judge", errno);
  }
  return std::pair(os::Fd(ends[0]), os::Fd(ends[1]));
}

// Reads once and hands the bytes on; closes at the end of the stream.
template <class Take>
void read_once(os::Fd& pipe, const Take& take) {
  std::array<char, 16384> buffer{};
  const ssize_t got = ::read(pipe.get(), buffer.data(), buffer.size());
  if (got > 0) {
    take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    pipe.reset();
  }
}

// One run of a judge: the child, and the two pipes that we read while it lives.
class Judgement {
 public:
  static base::Result<Judgement> start(os::ProcessOptions options, JudgeLog log) {
    ASSAY_TRY_ASSIGN(auto progress, make_pipe());
    ASSAY_TRY_ASSIGN(auto output, make_pipe());
    options.descriptors = {{progress.second.get(), kProgressDescriptor}};
    options.standard_output = output.second.get();
    options.standard_error = output.second.get();
    ASSAY_TRY_ASSIGN(os::Process process, os::Process::spawn(options));
    return Judgement(std::move(process), std::move(progress.first), std::move(output.first), std::move(log));
  }

  // Waits for the end; nullopt if the time was up, and then the judge has been killed.
  base::Result<std::optional<os::ExitStatus>> wait(std::chrono::nanoseconds limit,
                                                   const std::function<void(const Progress&)>& on_progress) {
    const os::Deadline deadline(limit);
    bool ended = false;
    while (!ended && !deadline.passed()) {
      ASSAY_TRY_ASSIGN(ended, pump(deadline, on_progress));
    }
    std::optional<os::ExitStatus> status;
    if (ended) {
      ASSAY_TRY_ASSIGN(status, process_.wait_for(std::chrono::seconds(10)));
    }
    process_.kill();
    watching_ = false;
    const os::Deadline drain(kDrainLimit);
    while ((progress_.valid() || output_.valid()) && !drain.passed()) {
      ASSAY_TRY(pump(drain, on_progress));
    }
    log_.finish();
    return status;
  }

  [[nodiscard]] const JudgeLog& log() const { return log_; }

 private:
  Judgement(os::Process process, os::Fd progress, os::Fd output, JudgeLog log)
      : process_(std::move(process)),
        progress_(std::move(progress)),
        output_(std::move(output)),
        log_(std::move(log)) {}

  // Waits for one of the three and reads what is there; true once the judge has ended.
  base::Result<bool> pump(const os::Deadline& deadline, const std::function<void(const Progress&)>& on_progress) {
    // A closed pipe is -1, which poll ignores; so is the judge once it is dead, or it would end every wait at once.
    std::array<pollfd, 3> waits = {pollfd{watching_ ? process_.pidfd().get() : -1, POLLIN, 0},
                                   pollfd{progress_.get(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0}};
    if (os::poll_until(waits, deadline) < 0) {
      return base::system_error("judge.poll", "cannot wait for the judge", errno);
    }
    if (waits[1].revents != 0) {
      read_once(progress_, [&](std::string_view bytes) {
        if (const auto progress = reader_.feed(bytes); progress && on_progress) {
          on_progress(*progress);
        }
      });
    }
    if (waits[2].revents != 0) {
      read_once(output_, [&](std::string_view bytes) { log_.append(bytes); });
    }
    return waits[0].revents != 0;
  }

  os::Process process_;
  os::Fd progress_;
  os::Fd output_;
  JudgeLog log_;
  ProgressReader reader_;
  bool watching_ = true;
};

std::string died_message(const Paths& paths, const std::string& how, const JudgeLog& log) {
  const std::string lines = log.last_lines(kLinesShown);
  return fmt::format("the judge left no result: {}; its log is {}{}", how, paths.log.string(),
                     lines.empty() ? " (empty)" : ", which ends with:\n" + lines);
}

// Best effort: the bundle holds both, and `assay archive gc` removes what stays.
os::Path finished(const Paths& paths) {
  static_cast<void>(os::remove_tree(paths.request));
  static_cast<void>(os::remove_tree(paths.log));
  return paths.bundle;
}

}  // namespace

LocalJudgeRunner::LocalJudgeRunner(LocalSettings settings) : settings_(std::move(settings)) {}

base::Result<os::Path> LocalJudgeRunner::run(const task::EvaluationRequest& request, const os::Path& spool,
                                             const std::function<void(const Progress&)>& on_progress) {
  ASSAY_TRY_ASSIGN(const Paths paths, paths_of(request.id, spool));
  switch (bundle_state(paths.bundle)) {
    case BundleState::complete:
      return finished(paths);
    case BundleState::in_the_way:
      return base::environment_error(
          "judge.spool_taken", fmt::format("{} is in the way of the result: it is no complete bundle (it lacks {}); "
                                           "move it away and repeat",
                                           paths.bundle.string(), task::kManifestFile));
    case BundleState::absent:
      break;
  }
  ASSAY_TRY(os::create_directories(spool));
  ASSAY_TRY(os::create_directories(settings_.build_cache));
  ASSAY_TRY(os::write_file_atomic(paths.request, base::dump_compact(task::encode(request))));
  ASSAY_TRY_ASSIGN(JudgeLog log, JudgeLog::create(paths.log));

  os::ProcessOptions options;
  options.argv = {settings_.judge.string(),
                  paths.request.string(),
                  "--bundle",
                  paths.bundle.string(),
                  "--cache",
                  settings_.build_cache.string(),
                  "--progress-fd",
                  std::to_string(kProgressDescriptor)};
  options.environment = judge_environment();
  ASSAY_TRY_ASSIGN(Judgement judgement, base::with_context(Judgement::start(std::move(options), std::move(log)),
                                                           "while starting the judge"));
  const std::chrono::nanoseconds planned = settings_.time_limit.value_or(judgement_limit(request));
  const std::chrono::nanoseconds limit = std::min(planned, allowed_.value_or(planned));
  ASSAY_TRY_ASSIGN(const auto status, judgement.wait(limit, on_progress));

  if (bundle_state(paths.bundle) == BundleState::complete) {
    return finished(paths);
  }
  if (!status) {
    return base::environment_error(
        "judge.timed_out",
        died_message(paths, fmt::format("it was stopped after {}", base::human(limit)), judgement.log()));
  }
  return base::environment_error("judge.died", died_message(paths, status->text(), judgement.log()));
}

}  // namespace assay::execute
