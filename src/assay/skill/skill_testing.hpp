#pragma once

#include <gtest/gtest.h>

#include <string>

#include <assay/os/file.hpp>

namespace assay::skill::testing {

/// A temporary folder of skills.
class SkillsFolder {
 public:
  SkillsFolder() : folder_(os::TemporaryDirectory::create(::testing::TempDir(), "skills-").value()) {}

  [[nodiscard]] os::Path path(const std::string& below = "") const {
    return below.empty() ? folder_.path() : folder_.path() / below;
  }

  /// Writes a file below the folder and returns its path.
  os::Path write(const std::string& file, const std::string& text) const {
    EXPECT_TRUE(os::create_directories(path(file).parent_path()));
    EXPECT_TRUE(os::write_file_atomic(path(file), text));
    return path(file);
  }

  /// Writes a skill that is right, with this text below its front matter, and returns its folder.
  os::Path skill(const std::string& name, const std::string& body = "Do it.\n") const {
    write(name + "/SKILL.md",
          "---\nname: " + name + "\ndescription: Does it. Use when it is to be done.\n---\n" + body);
    return path(name);
  }

 private:
  os::TemporaryDirectory folder_;
};

}  // namespace assay::skill::testing
