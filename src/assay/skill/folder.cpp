#include <assay/skill/folder.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include <assay/base/text.hpp>

namespace assay::skill {
namespace {

class FolderReader {
 public:
  explicit FolderReader(SkillFolder& folder) : folder_(folder) {}

  void read(const os::Path& below, int depth) {
    auto names = os::list_directory(folder_.path / below);
    if (!names) {
      report(below, names.error().text());
      return;
    }
    for (const std::string& name : *names) {
      read_entry(below / name, depth);
    }
  }

 private:
  void report(const os::Path& file, std::string message) {
    folder_.problems.push_back({"skill.file", (folder_.path / file).string(), 0, "", std::move(message)});
  }

  void read_entry(const os::Path& file, int depth) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(folder_.path / file, error);
    if (status.type() == std::filesystem::file_type::directory) {
      if (depth == kDeepestSkillFolder) {
        report(file, fmt::format("lies deeper than {} folders: move it up", kDeepestSkillFolder));
      } else {
        read(file, depth + 1);
      }
      return;
    }
    if (status.type() != std::filesystem::file_type::regular) {
      report(file, "is a link or no regular file: put the file itself here");
      return;
    }
    if (folder_.files.size() == kMostSkillFiles) {
      if (!told_of_count_) {
        report(file, fmt::format("is one file more than the {} that a skill may have: remove some", kMostSkillFiles));
        told_of_count_ = true;
      }
      return;
    }
    auto content = os::read_file(folder_.path / file, kLargestSkillFile);
    if (!content) {
      report(file, content.error().text());
      return;
    }
    const bool executable = (status.permissions() & std::filesystem::perms::owner_exec) != std::filesystem::perms::none;
    folder_.files.push_back({file.generic_string(), std::move(*content), executable});
  }

  SkillFolder& folder_;
  bool told_of_count_ = false;
};

}  // namespace

const SkillFile* SkillFolder::find(std::string_view file) const {
  const auto found = std::find_if(files.begin(), files.end(), [&](const SkillFile& one) { return one.path == file; });
  return found == files.end() ? nullptr : &*found;
}

SkillFolder read_skill_folder(const os::Path& path) {
  SkillFolder folder;
  folder.path = path.lexically_normal();
  std::error_code error;
  // "." has no name of its own.
  const os::Path real = std::filesystem::weakly_canonical(folder.path, error);
  folder.name = (error ? folder.path : real).filename().string();
  FolderReader(folder).read("", 0);
  std::sort(folder.files.begin(), folder.files.end(),
            [](const SkillFile& a, const SkillFile& b) { return a.path < b.path; });
  return folder;
}

base::Result<std::vector<os::Path>> find_skill_folders(const os::Path& path) {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(path));
  if (std::find(names.begin(), names.end(), kSkillFile) != names.end()) {
    return std::vector<os::Path>{path};
  }
  std::vector<os::Path> folders;
  for (const std::string& name : names) {
    std::error_code error;
    if (!name.starts_with('.') && std::filesystem::is_directory(path / name, error)) {
      folders.push_back(path / name);
    }
  }
  if (folders.empty()) {
    return base::input_error("skill.none", fmt::format("{} holds no skill: name a folder with a {}, or one with such "
                                                       "folders in it",
                                                       path.string(), kSkillFile));
  }
  return folders;
}

}  // namespace assay::skill
