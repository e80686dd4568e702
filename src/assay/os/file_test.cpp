#include <assay/os/file.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created = TemporaryDirectory::create(::testing::TempDir(), "assay-file-");
    ASSERT_TRUE(created);
    directory_.emplace(std::move(*created));
  }
  [[nodiscard]] Path at(std::string_view name) const { return directory_->path() / name; }

  std::optional<TemporaryDirectory> directory_;
};

mode_t mode_of(const Path& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST_F(FileTest, reads_what_was_written) {
  const std::string content("a\0b\xff\n", 5);
  ASSERT_TRUE(write_file_atomic(at("x"), content));
  EXPECT_EQ(read_file(at("x")).value(), content);
  ASSERT_TRUE(write_file_atomic(at("x"), "", Durability::power));
  EXPECT_EQ(read_file(at("x")).value(), "");
  const std::string large(3'000'001, 'z');
  ASSERT_TRUE(write_file_atomic(at("x"), large, Durability::power));
  EXPECT_EQ(read_file(at("x")).value(), large);
  EXPECT_THAT(list_directory(directory_->path()).value(), ElementsAre("x"));
}

TEST_F(FileTest, reads_files_that_do_not_tell_their_size) {
  EXPECT_THAT(read_file("/proc/self/status").value(), HasSubstr("Name:"));
}

TEST_F(FileTest, missing_files_and_folders_are_input_errors_that_name_the_path) {
  for (const Path& path : {at("gone"), at("gone/deeper")}) {
    const auto content = read_file(path);
    ASSERT_FALSE(content);
    EXPECT_EQ(content.error().owner, base::Owner::input);
    EXPECT_EQ(content.error().code, "file.not_found");
    EXPECT_THAT(content.error().message, HasSubstr(path.string()));
    EXPECT_EQ(list_directory(path).error().code, "file.not_found");
  }
  const auto folder = read_file(directory_->path());
  EXPECT_EQ(folder.error().owner, base::Owner::input);
  EXPECT_EQ(folder.error().code, "file.not_regular");
  EXPECT_THAT(folder.error().message, HasSubstr("folder"));
}

TEST_F(FileTest, does_not_wait_for_the_writer_of_a_fifo) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(at("fifo")).error().code, "file.not_regular");
}

TEST_F(FileTest, refuses_more_than_the_limit) {
  ASSERT_TRUE(write_file_atomic(at("x"), "12345"));
  EXPECT_EQ(read_file(at("x"), 5).value(), "12345");
  const auto refused = read_file(at("x"), 4);
  EXPECT_EQ(refused.error().code, "file.too_large");
  EXPECT_THAT(refused.error().message, HasSubstr("4 B"));
  EXPECT_EQ(read_file("/proc/self/status", 10).error().code, "file.too_large");
}

TEST_F(FileTest, replacing_keeps_the_mode_and_creating_obeys_the_umask) {
  ASSERT_TRUE(write_file_atomic(at("new"), "1"));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(mode_of(at("new")), 0666U & ~mask);
  ASSERT_EQ(::chmod(at("new").c_str(), 0600), 0);
  ASSERT_TRUE(write_file_atomic(at("new"), "2"));
  EXPECT_EQ(mode_of(at("new")), 0600U);
  EXPECT_EQ(read_file(at("new")).value(), "2");
}

TEST_F(FileTest, an_open_reader_keeps_the_old_content) {
  ASSERT_TRUE(write_file_atomic(at("x"), "old"));
  std::ifstream reader(at("x"));
  ASSERT_TRUE(write_file_atomic(at("x"), "new"));
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(FileTest, writing_into_nowhere_or_onto_a_folder_fails_and_leaves_nothing) {
  const auto nowhere = write_file_atomic(at("gone/x"), "1");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().owner, base::Owner::environment);
  EXPECT_THAT(nowhere.error().message, HasSubstr(at("gone/x").string()));
  EXPECT_THAT(nowhere.error().message, HasSubstr("check that the path exists"));
  ASSERT_TRUE(os::create_directories(at("folder")));
  EXPECT_EQ(write_file_atomic(at("folder"), "1").error().code, "file.not_regular");
  EXPECT_THAT(list_directory(directory_->path()).value(), ElementsAre("folder"));
}

// Runs in a mount namespace of its own; 100 means that mounting does not work here.
int fill_a_small_disk(const Path& folder) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
    return 100;
  }
  if (!write_file_atomic(folder / "x", "old content")) {
    return 1;
  }
  for (const Durability durability : {Durability::process, Durability::power}) {
    const auto written = write_file_atomic(folder / "x", std::string(1'000'000, 'z'), durability);
    if (written || written.error().owner != base::Owner::environment) {
      return 2;
    }
    const std::string& message = written.error().message;
    if (message.find((folder / "x").string()) == std::string::npos ||
        message.find("free some space") == std::string::npos) {
      return 3;
    }
    if (read_file(folder / "x").value_or("") != "old content") {
      return 4;
    }
    if (list_directory(folder).value() != std::vector<std::string>{"x"}) {
      return 5;
    }
  }
  return 0;
}

TEST_F(FileTest, a_full_disk_keeps_the_old_content_and_leaves_no_temporary) {
  const int result = testing::in_fork([&] { return fill_a_small_disk(directory_->path()); });
  if (result == 100) {
    GTEST_SKIP() << "cannot mount a small tmpfs here (needs root)";
  }
  EXPECT_EQ(result, 0);
}

TEST_F(FileTest, a_file_size_limit_is_an_error_as_well) {
  const int result = testing::in_fork([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return write_file_atomic(at("x"), std::string(5000, 'z')) ? 1 : 0;
  });
  EXPECT_EQ(result, 0);
  EXPECT_THAT(list_directory(directory_->path()).value(), IsEmpty());
}

TEST_F(FileTest, a_killed_writer_leaves_the_old_content_and_a_name_that_is_recognised) {
  ASSERT_TRUE(write_file_atomic(at("x"), "old"));
  // SIGXFSZ kills the writer in the middle of its write.
  const int result = testing::in_fork([&] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return write_file_atomic(at("x"), std::string(5000, 'z')) ? 1 : 0;
  });
  EXPECT_EQ(result, -SIGXFSZ);
  EXPECT_EQ(read_file(at("x")).value(), "old");
  const std::vector<std::string> names = list_directory(directory_->path()).value();
  EXPECT_EQ(std::count_if(names.begin(), names.end(), is_temporary_name), 1);
  EXPECT_FALSE(is_temporary_name("x"));
}

TEST_F(FileTest, creates_folders_and_reports_a_file_in_the_way) {
  ASSERT_TRUE(os::create_directories(at("a/b/c")));
  ASSERT_TRUE(os::create_directories(at("a/b/c")));
  ASSERT_TRUE(write_file_atomic(at("a/file"), ""));
  const auto blocked = os::create_directories(at("a/file/d"));
  ASSERT_FALSE(blocked);
  EXPECT_THAT(blocked.error().message, HasSubstr(at("a/file/d").string()));
  EXPECT_EQ(list_directory(at("a/file")).error().code, "file.not_directory");
}

TEST_F(FileTest, removes_trees_without_following_links) {
  ASSERT_TRUE(os::create_directories(at("keep")));
  ASSERT_TRUE(write_file_atomic(at("keep/x"), "1"));
  ASSERT_TRUE(os::create_directories(at("tree/deep")));
  ASSERT_EQ(::symlink(at("keep").c_str(), at("tree/deep/link").c_str()), 0);
  ASSERT_TRUE(remove_tree(at("tree")));
  EXPECT_FALSE(std::filesystem::exists(at("tree")));
  EXPECT_EQ(read_file(at("keep/x")).value(), "1");
  EXPECT_TRUE(remove_tree(at("tree")));
}

TEST_F(FileTest, removes_folders_that_refuse_their_owner) {
  ASSERT_TRUE(os::create_directories(at("tree/locked/deep")));
  ASSERT_EQ(::chmod(at("tree/locked").c_str(), 0), 0);
  // Root is refused nothing; another user is.
  const int result = testing::in_fork([&] {
    if (::geteuid() == 0) {
      for (const char* name : {"tree/locked/deep", "tree/locked", "tree", "."}) {
        if (::chown(at(name).c_str(), 65534, 65534) != 0) {
          return 2;
        }
      }
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
        return 3;
      }
    }
    return remove_tree(at("tree")) ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_FALSE(std::filesystem::exists(at("tree")));
}

TEST_F(FileTest, renames_and_names_both_paths_in_errors) {
  ASSERT_TRUE(write_file_atomic(at("a"), "1"));
  ASSERT_TRUE(write_file_atomic(at("b"), "2"));
  ASSERT_TRUE(rename_path(at("a"), at("b")));
  EXPECT_EQ(read_file(at("b")).value(), "1");
  const auto failed = rename_path(at("a"), at("c"));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(at("a").string()));
  EXPECT_THAT(failed.error().message, HasSubstr(at("c").string()));
}

TEST_F(FileTest, replaces_a_folder_with_everything_in_it) {
  ASSERT_TRUE(os::create_directories(at("new") / "sub"));
  ASSERT_TRUE(write_file_atomic(at("new") / "sub" / "f", "new"));
  ASSERT_TRUE(replace_folder(at("new"), at("place")));
  EXPECT_EQ(read_file(at("place") / "sub" / "f").value(), "new");
  ASSERT_TRUE(os::create_directories(at("newer")));
  ASSERT_TRUE(write_file_atomic(at("newer") / "g", "newer"));
  ASSERT_TRUE(replace_folder(at("newer"), at("place")));
  EXPECT_EQ(read_file(at("place") / "g").value(), "newer");
  EXPECT_FALSE(std::filesystem::exists(at("place") / "sub")) << "what was there is gone";
  EXPECT_EQ(list_directory(directory_->path()).value(), std::vector<std::string>{"place"}) << "and left nothing";
}

TEST_F(FileTest, replacing_a_folder_that_is_a_file_fails_and_keeps_both) {
  ASSERT_TRUE(os::create_directories(at("new")));
  ASSERT_TRUE(write_file_atomic(at("place"), "old"));
  const auto failed = replace_folder(at("new"), at("place"));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(at("place").string()));
  EXPECT_EQ(read_file(at("place")).value(), "old");
  EXPECT_TRUE(std::filesystem::exists(at("new")));
}

TEST_F(FileTest, syncs_files_and_folders) {
  ASSERT_TRUE(write_file_atomic(at("a"), "1"));
  EXPECT_TRUE(sync_path(at("a")));
  EXPECT_TRUE(sync_path(directory_->path()));
  EXPECT_FALSE(sync_path(at("gone")));
}

TEST_F(FileTest, lists_sorted_names) {
  for (const char* name : {"b", "a", ".c"}) {
    ASSERT_TRUE(write_file_atomic(at(name), ""));
  }
  EXPECT_THAT(list_directory(directory_->path()).value(), ElementsAre(".c", "a", "b"));
}

TEST_F(FileTest, finds_the_folder_of_the_running_program) {
  const Path folder = executable_directory().value();
  EXPECT_TRUE(std::filesystem::exists(folder / "assay_os_test"));
}

TEST_F(FileTest, temporary_directories_are_private_and_go_with_their_contents) {
  Path path;
  {
    auto made = TemporaryDirectory::create(directory_->path(), "scratch-");
    ASSERT_TRUE(made);
    const TemporaryDirectory moved(std::move(*made));
    path = moved.path();
    EXPECT_EQ(mode_of(path), 0700U);
    EXPECT_TRUE(path.filename().string().starts_with("scratch-"));
    ASSERT_TRUE(write_file_atomic(path / "x", "1"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto nowhere = TemporaryDirectory::create(at("gone"), "x");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr(at("gone").string()));
}

TEST_F(FileTest, a_lock_is_held_by_one_and_freed_by_death) {
  {
    const auto held = FileLock::try_acquire(at("lock"));
    ASSERT_TRUE(held);
    const auto second = FileLock::try_acquire(at("lock"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "lock.held");
    EXPECT_EQ(second.error().owner, base::Owner::environment);
    EXPECT_THAT(second.error().message, HasSubstr(at("lock").string()));
  }
  EXPECT_EQ(testing::in_fork([&] {
              const auto held = FileLock::try_acquire(at("lock"));
              return held ? ::kill(::getpid(), SIGKILL) : 1;
            }),
            -SIGKILL);
  EXPECT_TRUE(FileLock::try_acquire(at("lock")));
  EXPECT_EQ(FileLock::try_acquire(at("gone/lock")).error().code, "lock.open");
}

}  // namespace
}  // namespace assay::os
