#include <assay/agent/working_folder.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include <assay/agent/candidate_sources.hpp>
#include <assay/agent/event_line.hpp>
#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

namespace files = std::filesystem;

constexpr std::size_t kLongestShownName = 80;

base::Result<void> open_to_everybody(const os::Path& path) {
  std::error_code error;
  const bool folder = files::is_directory(path, error);
  const files::perms all = folder
                               ? files::perms::all
                               : files::perms::owner_read | files::perms::owner_write | files::perms::group_read |
                                     files::perms::group_write | files::perms::others_read | files::perms::others_write;
  files::permissions(path, all, error);
  if (error) {
    return base::system_error("agent.folder", "cannot open " + path.string() + " to the agent", error.value());
  }
  return {};
}

base::Result<void> put_file(const os::Path& path, const std::string& content) {
  ASSAY_TRY(os::write_file_atomic(path, content));
  return open_to_everybody(path);
}

// Walks the tree by descriptors, so that a name cannot become another thing in between. Nothing that it meets is an error of
// ours: an agent may leave whatever it likes.
class Collector {
 public:
  explicit Collector(const task::Solution& origin) : origin_(origin) {}

  void folder(const os::Path& path, const std::string& inside, int depth) {
    if (depth > kDeepestFolder) {
      ignore(inside);
      return;
    }
    const auto names = os::list_directory(path);
    if (!names) {
      left_.fault = fmt::format("{}/ cannot be read", inside.empty() ? kCandidateFolder : inside.c_str());
      return;
    }
    for (const std::string& name : *names) {
      if (left_.fault.empty()) {
        entry(path / name, name, inside.empty() ? name : inside + "/" + name, depth);
      }
    }
  }

  LeftSources finish() {
    std::sort(left_.sources.begin(), left_.sources.end(),
              [](const task::SourceFile& a, const task::SourceFile& b) { return a.path < b.path; });
    if (left_.fault.empty()) {
      left_.fault = left_.sources.empty() ? fmt::format("no file is left in {}/", kCandidateFolder)
                                          : candidate_fault(left_.sources, origin_);
    }
    if (!left_.fault.empty()) {
      left_.sources.clear();
    }
    return std::move(left_);
  }

 private:
  void ignore(const std::string& inside) {
    if (left_.ignored.size() < kMostIgnoredShown) {
      std::string shown = clip(base::printable(inside), kLongestShownName);
      std::replace(shown.begin(), shown.end(), '\n', ' ');
      left_.ignored.push_back(std::move(shown));
    }
    ++left_.ignored_count;
  }

  void entry(const os::Path& path, const std::string& name, const std::string& inside, int depth) {
    if (++seen_ > kMostLeft) {
      left_.fault = fmt::format("more than {} files and folders", kMostLeft);
      return;
    }
    struct stat facts{};
    const bool there = ::lstat(path.c_str(), &facts) == 0;
    if (there && S_ISDIR(facts.st_mode)) {
      name.starts_with('.') ? ignore(inside) : folder(path, inside, depth + 1);
    } else if (name.starts_with('.') || !is_candidate_source(inside, origin_)) {
      ignore(inside);
    } else {
      source(path, inside);
    }
  }

  void source(const os::Path& path, const std::string& inside) {
    const os::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat facts{};
    if (!file.valid() || ::fstat(file.get(), &facts) != 0) {
      left_.fault = fmt::format("{} cannot be read: is it a link?", inside);
      return;
    }
    if (!S_ISREG(facts.st_mode)) {
      left_.fault = fmt::format("{} is no regular file", inside);
      return;
    }
    bytes_ += static_cast<std::uint64_t>(facts.st_size);
    if (left_.sources.size() == kMostSources || bytes_ > kMostSourceBytes) {
      left_.fault = fmt::format("more than {} files or {}", kMostSources, base::human_bytes(kMostSourceBytes));
      return;
    }
    task::SourceFile source{inside, std::string(static_cast<std::size_t>(facts.st_size), '\0')};
    std::size_t have = 0;
    while (have < source.content.size()) {
      const ssize_t count = ::read(file.get(), source.content.data() + have, source.content.size() - have);
      if (count < 0 && errno != EINTR) {
        left_.fault = fmt::format("{} cannot be read", inside);
        return;
      }
      if (count == 0) {
        break;
      }
      have += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    source.content.resize(have);
    left_.sources.push_back(std::move(source));
  }

  const task::Solution& origin_;
  LeftSources left_;
  std::uint64_t bytes_ = 0;
  std::size_t seen_ = 0;
};

constexpr std::size_t kLongestClaim = 300;

std::string claim(const std::optional<EventJson>& stated, std::string_view key, const char* otherwise) {
  std::string text = stated ? clip(base::printable(find_text(*stated, {key})), kLongestClaim) : "";
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? otherwise : text;
}

}  // namespace

std::optional<std::string> read_left_file(const os::Path& folder, const char* name, std::uint64_t most) {
  const os::Path path = folder / name;
  std::error_code error;
  // The agent is dead by now, so that nothing changes between the look and the reading.
  if (files::symlink_status(path, error).type() != files::file_type::regular) {
    return std::nullopt;
  }
  auto text = os::read_file(path, most);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

Hypothesis read_hypothesis(const os::Path& folder) {
  std::optional<EventJson> stated;
  if (const auto text = read_left_file(folder, kHypothesisFile, kMostHypothesisBytes)) {
    stated = parse_event(*text);
  }
  return {claim(stated, "regime", "all"), claim(stated, "limiting_resource", "unknown"),
          claim(stated, "change", "not stated"), claim(stated, "predicted_effect", "not stated")};
}

base::Result<void> lay_out(const os::Path& folder, const std::string& prompt, const std::string& state,
                           const std::vector<task::SourceFile>& sources) {
  ASSAY_TRY(open_to_everybody(folder));
  ASSAY_TRY(put_file(folder / kPromptFile, prompt));
  ASSAY_TRY(put_file(folder / kStateFile, state));
  const os::Path candidate = folder / kCandidateFolder;
  for (const os::Path& below : {candidate, folder / kHomeFolder}) {
    ASSAY_TRY(os::create_directories(below));
    ASSAY_TRY(open_to_everybody(below));
  }
  return add_files(candidate, sources);
}

base::Result<void> add_files(const os::Path& folder, const std::vector<task::SourceFile>& files) {
  for (const task::SourceFile& file : files) {
    os::Path below = folder;
    for (const os::Path& part : os::Path(file.path).parent_path()) {
      below /= part;
      ASSAY_TRY(os::create_directories(below));
      ASSAY_TRY(open_to_everybody(below));
    }
    ASSAY_TRY(put_file(folder / file.path, file.content));
  }
  return {};
}

LeftSources read_left_sources(const os::Path& folder, const task::Solution& origin) {
  const os::Path candidate = folder / kCandidateFolder;
  std::error_code error;
  Collector collector(origin);
  // The agent may have put anything in its place.
  if (files::symlink_status(candidate, error).type() == files::file_type::directory) {
    collector.folder(candidate, "", 0);
  }
  return collector.finish();
}

std::string left_words(const LeftSources& left) {
  std::string words = left.fault.empty() ? std::string() : "; no candidate is left: " + left.fault;
  if (left.ignored_count > 0) {
    words += fmt::format("; ignored, for no build takes it: {}", base::join(left.ignored, ", "));
  }
  if (left.ignored_count > left.ignored.size()) {
    words += fmt::format(" and {} more", left.ignored_count - left.ignored.size());
  }
  return words;
}

}  // namespace assay::agent
