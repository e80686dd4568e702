#include <assay/blob/blob_store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include <assay/base/random.hpp>
#include <assay/blob/compression.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::blob {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

class BlobStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = os::TemporaryDirectory::create(::testing::TempDir(), "assay-blob-");
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    auto store = BlobStore::open(directory_->path() / "deep" / "store");
    ASSERT_TRUE(store);
    store_.emplace(std::move(*store));
  }

  void overwrite(const base::Digest& digest, std::string_view bytes) const {
    std::ofstream(store_->path_of(digest), std::ios::binary) << bytes;
  }

  void expect_corrupt(const base::Digest& digest) const {
    const auto content = store_->get(digest);
    ASSERT_FALSE(content);
    EXPECT_EQ(content.error().code, "blob.corrupt");
    EXPECT_EQ(content.error().owner, base::Owner::environment);
    EXPECT_THAT(content.error().message, HasSubstr(store_->path_of(digest).string()));
    EXPECT_THAT(content.error().message, HasSubstr("delete it and store its content again"));
    EXPECT_EQ(store_->verify(digest).error().code, "blob.corrupt");
  }

  std::optional<os::TemporaryDirectory> directory_;
  std::optional<BlobStore> store_;
};

std::string noise(std::size_t size, std::uint64_t stream) {
  base::Philox random(1, stream);
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>(random.next_u32() & 0xffU);
  }
  return text;
}

TEST_F(BlobStoreTest, names_content_by_its_hash_in_a_layout_that_stays) {
  const base::Digest digest = store_->put("abc").value();
  EXPECT_EQ(digest.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const os::Path expected = directory_->path() / "deep/store/objects/ba" /
                            "7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.zst";
  EXPECT_EQ(store_->path_of(digest), expected);
  EXPECT_EQ(decompress(os::read_file(expected).value()).value(), "abc");
}

TEST_F(BlobStoreTest, keeps_any_number_of_contents) {
  std::map<std::string, base::Digest> contents;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::string content = noise(i * i * 10, i);
    contents[content] = store_->put(content, i % 2 == 0 ? os::Durability::process : os::Durability::power).value();
  }
  std::vector<base::Digest> digests;
  for (const auto& [content, digest] : contents) {
    EXPECT_TRUE(store_->contains(digest));
    EXPECT_EQ(store_->get(digest).value(), content);
    EXPECT_EQ(store_->verify(digest).value(), digest);
    EXPECT_EQ(store_->size_bytes(digest).value(), content.size());
    digests.push_back(digest);
  }
  const std::vector<base::Digest> listed = store_->list().value();
  EXPECT_THAT(listed, UnorderedElementsAreArray(digests));
  EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
}

RC_GTEST_FIXTURE_PROP(BlobStoreTest, gives_back_what_was_put, (const std::vector<std::string>& contents)) {
  SetUp();
  std::set<std::string> distinct;
  for (const std::string& content : contents) {
    const base::Digest digest = store_->put(content).value();
    distinct.insert(content);
    RC_ASSERT(digest == base::sha256(content));
    RC_ASSERT(store_->get(digest).value() == content);
  }
  RC_ASSERT(store_->list().value().size() == distinct.size());
}

TEST_F(BlobStoreTest, survives_reopening) {
  const base::Digest digest = store_->put("kept").value();
  const BlobStore again = BlobStore::open(store_->root()).value();
  EXPECT_EQ(again.get(digest).value(), "kept");
}

TEST_F(BlobStoreTest, writes_the_same_content_once) {
  const base::Digest digest = store_->put("once").value();
  struct stat before{};
  ASSERT_EQ(::stat(store_->path_of(digest).c_str(), &before), 0);
  EXPECT_EQ(store_->put("once").value(), digest);
  struct stat after{};
  ASSERT_EQ(::stat(store_->path_of(digest).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "it was written again";
}

TEST_F(BlobStoreTest, an_unknown_digest_is_an_input_error_that_names_it) {
  const base::Digest digest = base::sha256("never stored");
  EXPECT_FALSE(store_->contains(digest));
  for (const base::Error& error : {store_->get(digest).error(), store_->size_bytes(digest).error()}) {
    EXPECT_EQ(error.code, "blob.not_found");
    EXPECT_EQ(error.owner, base::Owner::input);
    EXPECT_THAT(error.message, HasSubstr(digest.hex()));
  }
  EXPECT_EQ(store_->verify(digest).error().code, "blob.not_found");
}

TEST_F(BlobStoreTest, removes_and_forgets) {
  const base::Digest digest = store_->put("short life").value();
  const base::Digest other = store_->put("long life").value();
  EXPECT_TRUE(store_->remove(digest));
  EXPECT_FALSE(store_->contains(digest));
  EXPECT_TRUE(store_->remove(digest));
  EXPECT_THAT(store_->list().value(), ElementsAre(other));
}

TEST_F(BlobStoreTest, sees_every_flipped_byte) {
  const std::string content = noise(100, 1) + std::string(100, 'x');
  const base::Digest digest = store_->put(content).value();
  const std::string frame = os::read_file(store_->path_of(digest)).value();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    std::string damaged = frame;
    damaged[i] = static_cast<char>(~static_cast<unsigned char>(damaged[i]));
    overwrite(digest, damaged);
    const auto got = store_->get(digest);
    if (!got) {
      ++seen;
      EXPECT_EQ(got.error().code, "blob.corrupt");
    } else {
      EXPECT_EQ(*got, content) << "byte " << i;
    }
  }
  EXPECT_EQ(seen, frame.size());
}

TEST_F(BlobStoreTest, sees_truncated_empty_and_foreign_files) {
  const base::Digest digest = store_->put(noise(10'000, 2)).value();
  const std::string frame = os::read_file(store_->path_of(digest)).value();
  for (const std::size_t size : {frame.size() - 1, frame.size() / 2, std::size_t{5}, std::size_t{0}}) {
    overwrite(digest, std::string_view(frame).substr(0, size));
    expect_corrupt(digest);
  }
  overwrite(digest, "plain text");
  expect_corrupt(digest);
  // A good frame of another content: only the hash can tell.
  overwrite(digest, compress(noise(10'000, 3)).value());
  expect_corrupt(digest);
  ASSERT_TRUE(store_->remove(digest));
  ASSERT_TRUE(os::create_directories(store_->path_of(digest)));
  expect_corrupt(digest);
  EXPECT_FALSE(store_->contains(digest));
}

TEST_F(BlobStoreTest, putting_again_mends_a_visibly_damaged_blob) {
  const std::string content = noise(10'000, 4);
  const base::Digest digest = store_->put(content).value();
  for (const std::string& damage : {std::string(), std::string("junk"), compress("other").value()}) {
    overwrite(digest, damage);
    EXPECT_EQ(store_->put(content).value(), digest);
    EXPECT_EQ(store_->get(digest).value(), content);
  }
}

TEST_F(BlobStoreTest, deleting_and_putting_again_mends_the_rest_as_the_error_says) {
  const std::string content = noise(10'000, 5);
  const base::Digest digest = store_->put(content).value();
  std::string frame = os::read_file(store_->path_of(digest)).value();
  frame[frame.size() / 2] = static_cast<char>(frame[frame.size() / 2] ^ 1);
  overwrite(digest, frame);
  expect_corrupt(digest);
  ASSERT_TRUE(store_->remove(digest));
  ASSERT_TRUE(store_->put(content));
  EXPECT_EQ(store_->get(digest).value(), content);
}

TEST_F(BlobStoreTest, many_processes_may_put_the_same_at_once) {
  constexpr std::uint64_t kContents = 20;
  std::vector<int> children;
  for (int i = 0; i < 4; ++i) {
    const int pid = ::fork();
    if (pid == 0) {
      bool good = true;
      for (std::uint64_t c = 0; c < kContents; ++c) {
        const std::string content = noise(50'000, c);
        const auto digest = store_->put(content);
        good = good && digest && store_->get(*digest).value_or("") == content;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const int pid : children) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(store_->list().value().size(), kContents);
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::seconds(0)).value(), 0U);
}

TEST_F(BlobStoreTest, a_writer_killed_in_the_middle_leaves_only_a_temporary_that_is_cleaned) {
  const std::string content = noise(100'000, 6);
  const int result = os::testing::in_fork([&] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const rlimit limit{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &limit);  // SIGXFSZ comes after 5000 bytes of the blob.
    return store_->put(content) ? 1 : 2;
  });
  ASSERT_EQ(result, -SIGXFSZ);
  const base::Digest digest = base::sha256(content);
  EXPECT_FALSE(store_->contains(digest));
  EXPECT_THAT(store_->list().value(), IsEmpty());
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::hours(1)).value(), 0U) << "it may be alive";
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::seconds(0)).value(), 1U);
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::seconds(0)).value(), 0U);
  EXPECT_EQ(store_->put(content).value(), digest);
  EXPECT_EQ(store_->get(digest).value(), content);
}

TEST_F(BlobStoreTest, writers_killed_at_any_moment_never_leave_a_bad_blob) {
  for (int i = 0; i < 40; ++i) {
    const int pid = ::fork();
    if (pid == 0) {
      for (std::uint64_t c = 0;; ++c) {
        static_cast<void>(store_->put(noise(20'000, 1000 + c)));
      }
    }
    ::usleep(static_cast<useconds_t>(i * 300));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  const std::vector<base::Digest> digests = store_->list().value();
  EXPECT_FALSE(digests.empty());
  for (const base::Digest& digest : digests) {
    EXPECT_TRUE(store_->verify(digest));
  }
  EXPECT_TRUE(store_->remove_stale_temporaries(std::chrono::seconds(0)));
}

TEST_F(BlobStoreTest, a_failing_disk_is_the_environments_and_leaves_nothing) {
  const int result = os::testing::in_fork([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto digest = store_->put(noise(100'000, 7));
    return !digest && digest.error().owner == base::Owner::environment ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::seconds(0)).value(), 0U);
}

TEST_F(BlobStoreTest, ignores_what_is_not_a_blob) {
  const base::Digest digest = store_->put("blob").value();
  const os::Path folder = store_->path_of(digest).parent_path();
  for (const char* name : {"README", "00.zst", ".zst", ".assay-x.tmp"}) {
    ASSERT_TRUE(os::write_file_atomic(folder / name, "x"));
  }
  ASSERT_TRUE(os::create_directories(store_->root() / "objects" / "backup"));
  ASSERT_TRUE(os::write_file_atomic(store_->root() / "objects" / "note", "x"));
  EXPECT_THAT(store_->list().value(), ElementsAre(digest));
  EXPECT_EQ(store_->remove_stale_temporaries(std::chrono::seconds(0)).value(), 1U);
  EXPECT_EQ(os::list_directory(folder).value().size(), 4U);
}

TEST_F(BlobStoreTest, says_which_folder_cannot_be_a_store) {
  ASSERT_TRUE(os::write_file_atomic(directory_->path() / "file", "x"));
  const auto store = BlobStore::open(directory_->path() / "file");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().owner, base::Owner::environment);
  EXPECT_THAT(store.error().text(), HasSubstr((directory_->path() / "file").string()));
}

}  // namespace
}  // namespace assay::blob
