#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include <assay/archive/archive.hpp>
#include <assay/archive/sample_bundle.hpp>
#include <assay/base/random.hpp>

namespace assay::archive {
namespace {

constexpr int kCannotMount = 77;

bool write_text(const char* path, const std::string& text) {
  std::ofstream stream(path);
  stream << text << std::flush;
  return stream.good();
}

// Root gets a mount namespace of its own; others get one inside a user namespace in which they are root.
bool enter_private_mounts() {
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) {
    return false;
  }
  if (user != 0 && !(write_text("/proc/self/setgroups", "deny") &&
                     write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
                     write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1"))) {
    return false;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Runs `body` in a child with a tmpfs of that size, which nobody else sees, mounted on `folder`. `body` returns what
// went wrong ("" if nothing); so does this. Skips where a private mount is not allowed.
void on_small_disk(const os::Path& folder, const std::string& size, const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::string failure;
    int code = 0;
    if (!enter_private_mounts() || ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) {
      failure = std::strerror(errno);
      code = kCannotMount;
    } else {
      failure = body();
      code = failure.empty() ? 0 : 1;
    }
    static_cast<void>(!::write(ends[1], failure.data(), failure.size()));
    ::_exit(code);
  }
  ::close(ends[1]);
  std::string failure;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    failure.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotMount) {
    GTEST_SKIP() << "no private tmpfs can be mounted here: " << failure;
  }
  EXPECT_EQ(status, 0) << failure;
}

// Fills the disk until that much is left.
bool leave_free(const os::Path& file, std::uintmax_t bytes) {
  std::error_code error;
  std::filesystem::remove(file, error);
  const auto space = std::filesystem::space(file.parent_path(), error);
  if (error || space.available < bytes) {
    return false;
  }
  const std::string chunk(static_cast<std::size_t>(space.available - bytes), 'f');
  return os::write_file_atomic(file, chunk).has_value();
}

std::string problems_of(const Archive& archive) {
  const auto report = archive.verify();
  if (!report) {
    return "verify failed: " + report.error().text();
  }
  return report->problems.empty() ? std::string() : "a problem: " + report->problems.front();
}

// Text that does not compress: the store would make room for anything else.
std::string noise(std::size_t size, const std::string& name) {
  base::Philox random(1, base::stream_id(name));
  std::string text(size, ' ');
  std::generate(text.begin(), text.end(), [&] { return static_cast<char>(' ' + random.next_below(95)); });
  return text;
}

// Ingests one bundle of about 100 KiB with so much space left; the disk is filled after the bundle was written.
std::string ingest_with_space(const os::Path& root, Archive& archive, int number, std::uintmax_t space, int& refused) {
  const std::string id = "e-" + std::to_string(number);
  const auto request = sample_request(id, "candidate " + id);
  Files files = sample_files(request, sample_evaluation(request));
  for (char name = 'a'; name < 'k'; ++name) {
    files[std::string(1, name) + ".log"] = noise(10000, id + name);
  }
  write_bundle(archive.spool() / id, files);
  const os::Path filler = root.parent_path() / "filler";
  if (!leave_free(filler, space)) {
    return "the disk could not be filled up to " + std::to_string(space);
  }
  const auto before = archive.evaluations("", "").value().size();
  const auto ingested = archive.ingest(archive.spool() / id, "c", Append{"c", number, {{"evaluated", "{}"}}});
  std::filesystem::remove(filler);
  if (!ingested) {
    ++refused;
    if (ingested.error().owner != base::Owner::environment) {
      return "with " + std::to_string(space) + " bytes free: " + ingested.error().text();
    }
    if (archive.evaluations("", "").value().size() != before || archive.events("c")->size() != before) {
      return "rows of a refused bundle with " + std::to_string(space) + " bytes free";
    }
    if (const std::string problem = problems_of(archive); !problem.empty()) {
      return "after a refusal with " + std::to_string(space) + " bytes free: " + problem;
    }
    const auto again = archive.ingest(archive.spool() / id, "c", Append{"c", number, {{"evaluated", "{}"}}});
    if (!again) {
      return "with space again: " + again.error().text();
    }
  }
  return problems_of(archive);
}

class DiskFullTest : public testing::Test {
 protected:
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "full-").value();
};

TEST_F(DiskFullTest, AnIngestionThatDoesNotFitLeavesNothingHalfWritten) {
  on_small_disk(folder_.path(), "8m", [&]() -> std::string {
    const os::Path root = folder_.path() / "archive";
    auto archive = Archive::open_writer(root);
    if (!archive) {
      return archive.error().text();
    }
    if (!archive->create_campaign({"c", "scale", "{}", ""})) {
      return "no campaign";
    }
    int refused = 0;
    int number = 0;
    // From nothing at all, past the blobs, into the transaction, up to enough.
    for (std::uintmax_t space = 0; space <= 400U << 10U; space += 20U << 10U) {
      if (std::string failure = ingest_with_space(root, *archive, number++, space, refused); !failure.empty()) {
        return failure;
      }
    }
    if (refused < 3 || refused == number) {
      return std::to_string(refused) + " of " + std::to_string(number) + " were refused: the test tests nothing";
    }
    return {};
  });
}

TEST_F(DiskFullTest, AFullDiskIsNamedAsSuch) {
  on_small_disk(folder_.path(), "1m", [&]() -> std::string {
    auto archive = Archive::open_writer(folder_.path() / "archive");
    if (!archive) {
      return archive.error().text();
    }
    if (!leave_free(folder_.path() / "filler", 0)) {
      return "the disk could not be filled";
    }
    std::string body = R"({"text": ")" + std::string(300000, 'x') + "\"}";
    const auto created = archive->create_campaign({"c", "scale", body, ""});
    if (created) {
      return "300 KB fitted on a full disk";
    }
    return created.error().code == "archive.disk_full" ? std::string() : created.error().text();
  });
}

TEST_F(DiskFullTest, AnArchiveThatCannotBeCreatedIsAnEnvironmentError) {
  on_small_disk(folder_.path(), "1m", [&]() -> std::string {
    const os::Path root = folder_.path() / "archive";
    for (std::uintmax_t space = 0; space <= 160U << 10U; space += 16U << 10U) {
      if (!leave_free(folder_.path() / "filler", space)) {
        return "the disk could not be filled";
      }
      const auto archive = Archive::open_writer(root);
      if (!archive && archive.error().owner != base::Owner::environment) {
        return archive.error().text();
      }
      if (space == 0 && archive) {
        return "an archive was created on a full disk";
      }
    }
    std::filesystem::remove(folder_.path() / "filler");
    const auto archive = Archive::open_writer(root);
    return archive ? problems_of(*archive) : archive.error().text();
  });
}

}  // namespace
}  // namespace assay::archive
