#include <assay/verify/reference_cache.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

namespace assay::verify {
namespace {

using Outputs = std::vector<operators::ExpectedValues>;

operators::ExpectedValues values(std::initializer_list<double> list) { return {list.begin(), list.end()}; }

class ReferenceCacheTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kLimit = 4096;

  ReferenceCacheTest()
      : folder_(os::TemporaryDirectory::create(testing::TempDir(), "reference-cache-").value()),
        cache_(folder_.path() / "references", kLimit) {}

  [[nodiscard]] os::Path file(const base::Digest& key) const { return folder_.path() / "references" / key.hex(); }
  void change(const base::Digest& key, std::size_t at) const {
    std::string content = os::read_file(file(key)).value();
    content[at] = static_cast<char>(content[at] ^ 1);
    ASSERT_TRUE(os::write_file_atomic(file(key), content).has_value());
  }
  void use_at(const base::Digest& key, int hours_ago) const {
    std::filesystem::last_write_time(file(key),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  }

  os::TemporaryDirectory folder_;
  ReferenceCache cache_;
  base::Digest key_ = base::sha256("key");
};

TEST_F(ReferenceCacheTest, ReturnsWhatWasStoredToTheBit) {
  const Outputs outputs = {values({1.5, -0.0, std::numeric_limits<double>::infinity(), 5e-324}), values({}),
                           values({42})};
  EXPECT_FALSE(cache_.load(key_));
  ASSERT_TRUE(cache_.store(key_, outputs).has_value());
  const auto loaded = cache_.load(key_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, outputs);
  EXPECT_TRUE(std::signbit((*loaded)[0][1]));
  ASSERT_TRUE(cache_.store(key_, Outputs{values({std::nan("")})}).has_value());
  EXPECT_TRUE(std::isnan((*cache_.load(key_))[0][0]));
}

TEST_F(ReferenceCacheTest, AnotherKeyIsAMiss) {
  ASSERT_TRUE(cache_.store(key_, Outputs{values({1})}).has_value());
  EXPECT_FALSE(cache_.load(base::sha256("other")));
}

TEST_F(ReferenceCacheTest, AnyChangedByteIsFoundAndTheFileRemoved) {
  const Outputs outputs = {values({1, 2})};
  ASSERT_TRUE(cache_.store(key_, outputs).has_value());
  const std::size_t size = std::filesystem::file_size(file(key_));
  for (std::size_t at = 0; at < size; ++at) {
    ASSERT_TRUE(cache_.store(key_, outputs).has_value());
    change(key_, at);
    EXPECT_FALSE(cache_.load(key_)) << "byte " << at;
    EXPECT_FALSE(std::filesystem::exists(file(key_))) << "byte " << at;
  }
  ASSERT_TRUE(cache_.store(key_, outputs).has_value());
  EXPECT_TRUE(cache_.load(key_)) << "computed again, it is kept again";
}

TEST_F(ReferenceCacheTest, AFileThatWasCutShortIsAMiss) {
  for (const std::size_t length : {0U, 5U, 30U, 80U}) {
    ASSERT_TRUE(cache_.store(key_, Outputs{values({1, 2, 3, 4})}).has_value());
    std::filesystem::resize_file(file(key_), length);
    EXPECT_FALSE(cache_.load(key_)) << length;
  }
}

TEST_F(ReferenceCacheTest, AFileUnderAnotherKeysNameIsAMiss) {
  const base::Digest other = base::sha256("other");
  ASSERT_TRUE(cache_.store(key_, Outputs{values({1})}).has_value());
  std::filesystem::rename(file(key_), file(other));
  EXPECT_FALSE(cache_.load(other));
}

TEST_F(ReferenceCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  const Outputs large = {operators::ExpectedValues(140)};  // 1,120 bytes and a frame: three fit.
  std::vector<base::Digest> keys;
  for (const char* name : {"a", "b", "c"}) {
    keys.push_back(base::sha256(name));
    ASSERT_TRUE(cache_.store(keys.back(), large).has_value());
  }
  use_at(keys[0], 3);
  use_at(keys[1], 2);
  use_at(keys[2], 1);
  EXPECT_TRUE(cache_.load(keys[0])) << "marks it as used now";
  ASSERT_TRUE(cache_.store(base::sha256("d"), large).has_value());
  EXPECT_TRUE(cache_.load(keys[0]));
  EXPECT_FALSE(cache_.load(keys[1]));
  EXPECT_TRUE(cache_.load(keys[2]));
  EXPECT_TRUE(cache_.load(base::sha256("d")));
}

TEST_F(ReferenceCacheTest, WhatIsLargerThanTheLimitIsNotKept) {
  ASSERT_TRUE(cache_.store(key_, Outputs{values({1})}).has_value());
  ASSERT_TRUE(cache_.store(base::sha256("large"), Outputs{operators::ExpectedValues(kLimit)}).has_value());
  EXPECT_FALSE(cache_.load(base::sha256("large")));
  EXPECT_TRUE(cache_.load(key_)) << "and drives out nothing";
}

TEST_F(ReferenceCacheTest, AFolderThatCannotBeMadeIsAnEnvironmentError) {
  ASSERT_TRUE(os::write_file_atomic(folder_.path() / "file", "").has_value());
  const ReferenceCache cache(folder_.path() / "file" / "references", kLimit);
  const auto stored = cache.store(key_, Outputs{values({1})});
  ASSERT_FALSE(stored.has_value());
  EXPECT_EQ(stored.error().owner, base::Owner::environment);
}

}  // namespace
}  // namespace assay::verify
