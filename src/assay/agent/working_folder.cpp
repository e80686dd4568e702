#include <assay/agent/working_folder.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include <assay/agent/event_line.hpp>
#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

namespace files = std::filesystem;

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

// Walks the tree by descriptors, so that a name cannot become another thing in between.
class Collector {
 public:
  base::Result<void> folder(const os::Path& path, const std::string& inside, int depth) {
    if (depth > kDeepestFolder) {
      return fault(fmt::format("{} lies deeper than {} folders", inside, kDeepestFolder));
    }
    ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(path));
    for (const std::string& name : names) {
      if (!left_.fault.empty()) {
        return {};
      }
      ASSAY_TRY(entry(path / name, inside.empty() ? name : inside + "/" + name, depth));
    }
    return {};
  }

  LeftSources finish() {
    if (left_.fault.empty() && left_.sources.empty()) {
      left_.fault = fmt::format("no file is left in {}/", kCandidateFolder);
    }
    if (!left_.fault.empty()) {
      left_.sources.clear();
    }
    std::sort(left_.sources.begin(), left_.sources.end(),
              [](const task::SourceFile& a, const task::SourceFile& b) { return a.path < b.path; });
    return std::move(left_);
  }

 private:
  base::Result<void> fault(std::string what) {
    left_.fault = std::move(what);
    return {};
  }

  base::Result<void> entry(const os::Path& path, const std::string& inside, int depth) {
    if (inside != base::printable(inside) || inside.find('\n') != std::string::npos) {
      return fault("a file's name holds what cannot be printed");
    }
    const os::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat facts{};
    if (!file.valid() || ::fstat(file.get(), &facts) != 0) {
      return fault(fmt::format("{} cannot be read: is it a link?", inside));
    }
    if (S_ISDIR(facts.st_mode)) {
      return folder(path, inside, depth + 1);
    }
    if (!S_ISREG(facts.st_mode)) {
      return fault(fmt::format("{} is no regular file", inside));
    }
    bytes_ += static_cast<std::uint64_t>(facts.st_size);
    if (left_.sources.size() == kMostSources || bytes_ > kMostSourceBytes) {
      return fault(fmt::format("more than {} files or {}", kMostSources, base::human_bytes(kMostSourceBytes)));
    }
    task::SourceFile source{inside, std::string(static_cast<std::size_t>(facts.st_size), '\0')};
    std::size_t have = 0;
    while (have < source.content.size()) {
      const ssize_t count = ::read(file.get(), source.content.data() + have, source.content.size() - have);
      if (count < 0 && errno != EINTR) {
        return base::system_error("agent.folder", "cannot read " + path.string(), errno);
      }
      if (count == 0) {
        break;
      }
      have += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    source.content.resize(have);
    left_.sources.push_back(std::move(source));
    return {};
  }

  LeftSources left_;
  std::uint64_t bytes_ = 0;
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

base::Result<LeftSources> read_left_sources(const os::Path& folder) {
  const os::Path candidate = folder / kCandidateFolder;
  std::error_code error;
  Collector collector;
  // The agent may have put anything in its place.
  if (files::symlink_status(candidate, error).type() == files::file_type::directory) {
    ASSAY_TRY(collector.folder(candidate, "", 0));
  }
  return collector.finish();
}

}  // namespace assay::agent
