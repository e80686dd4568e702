#include <assay/service/archive_care.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

class ArchiveCareTest : public testing::Test {
 protected:
  void fill() {
    EvaluateOptions options;
    options.candidate = world_.kernel("fast.cpp", "cost=50");
    const auto report = evaluate(world_.context(), options);
    ASSERT_TRUE(report) << report.error().text();
  }

  os::Path a_blob() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.context().places.archive / "blobs")) {
      if (entry.is_regular_file()) {
        return entry.path();
      }
    }
    return {};
  }

  rehearsal::World world_;
};

TEST_F(ArchiveCareTest, WithoutAnArchiveAllThreeSaySoAndMakeNone) {
  EXPECT_EQ(verify_archive(world_.context()).error().owner, base::Owner::input);
  EXPECT_EQ(collect_garbage(world_.context()).error().owner, base::Owner::input);
  EXPECT_EQ(archive_statistics(world_.context()).error().owner, base::Owner::input);
  EXPECT_FALSE(std::filesystem::exists(world_.context().places.archive));
}

TEST_F(ArchiveCareTest, ASoundArchiveHasNoProblems) {
  fill();
  const auto report = verify_archive(world_.context());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->problems, testing::IsEmpty());
  EXPECT_EQ(encode(*report)["ok"], true);
  EXPECT_EQ(encode(*report)["evaluations"], 1);
}

TEST_F(ArchiveCareTest, ADamagedBlobIsFound) {
  fill();
  const os::Path blob = a_blob();
  const std::string content = os::read_file(blob).value();
  std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
  world_.write(blob, content.substr(0, content.size() / 2));
  const auto report = verify_archive(world_.context());
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->problems, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(encode(*report)["ok"], false);
}

TEST_F(ArchiveCareTest, GarbageIsWhatNothingNames) {
  fill();
  const auto before = archive_statistics(world_.context());
  ASSERT_TRUE(before) << before.error().text();
  const auto nothing = collect_garbage(world_.context());
  ASSERT_TRUE(nothing) << nothing.error().text();
  EXPECT_EQ(nothing->blobs_removed, 0U);
  EXPECT_EQ(archive_statistics(world_.context())->blobs, before->blobs);
  EXPECT_EQ(encode(*nothing)["bytes_freed"], 0);
}

TEST_F(ArchiveCareTest, StatisticsCount) {
  fill();
  world_.write(world_.context().places.build_cache / "a" / "object.so", std::string(1234, 'x'));
  const auto statistics = archive_statistics(world_.context());
  ASSERT_TRUE(statistics) << statistics.error().text();
  EXPECT_EQ(statistics->candidates, 2U);
  EXPECT_EQ(statistics->evaluations, 1U);
  EXPECT_EQ(statistics->campaigns, 0U);
  EXPECT_GT(statistics->blobs, 4U);
  EXPECT_GT(statistics->blob_bytes, 0U);
  EXPECT_GT(statistics->database_bytes, 0U);
  EXPECT_EQ(statistics->build_cache_bytes, 1234U);
  EXPECT_EQ(encode(*statistics)["build_cache_bytes"], 1234);
}

TEST_F(ArchiveCareTest, FailingInputsAreListedWithWhomTheyCaught) {
  EvaluateOptions options;
  options.candidate = world_.kernel("wrong.cpp", "incorrect");
  ASSERT_TRUE(evaluate(world_.context(), options));
  const auto kept = failing_inputs(world_.context(), "");
  ASSERT_TRUE(kept) << kept.error().text();
  ASSERT_EQ(kept->size(), 1U);
  EXPECT_EQ(kept->front().candidate, "wrong");
  EXPECT_EQ(encode(*kept)[0]["name"], "wrong");
  EXPECT_EQ(encode(*kept)[0]["failures"], 1);
  EXPECT_TRUE(encode(*kept)[0]["input"].contains("seed"));
  EXPECT_EQ(failing_inputs(world_.context(), "scale")->size(), 1U);
  EXPECT_TRUE(failing_inputs(world_.context(), "other")->empty());
}

}  // namespace
}  // namespace assay::service
