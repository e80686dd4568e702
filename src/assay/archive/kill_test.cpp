#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>

#include <assay/archive/archive.hpp>
#include <assay/archive/sample_bundle.hpp>
#include <assay/base/random.hpp>

namespace assay::archive {
namespace {

constexpr int kKills = 40;
constexpr int kWholeRunsAtMost = 400;

std::string id_of(std::int64_t number) { return fmt::format("e-{}", number); }

// What a campaign does, for ever: a bundle appears in the spool and is ingested with its event. Says the number of
// each that was acknowledged. Begins where the journal ends, as `resume` does.
[[noreturn]] void ingest_for_ever(const os::Path& root, int acknowledge) {
  auto archive = Archive::open_writer(root);
  if (!archive) {
    fmt::print(stderr, "{}\n", archive.error().text());
    ::_exit(1);
  }
  if (!archive->campaign("c").value()) {
    static_cast<void>(archive->create_campaign({"c", "scale", "{}", ""}));
  }
  for (auto last = static_cast<std::int64_t>(archive->events("c")->size());; ++last) {
    const std::string id = id_of(last + 1);
    const os::Path bundle = archive->spool() / id;
    if (!std::filesystem::exists(bundle)) {
      put_sample(archive->spool(), id, fmt::format("candidate {}", last / 2));
    }
    const auto ingested =
        archive->ingest(bundle, "c", Append{"c", last, {{"evaluated", fmt::format(R"({{"id":"{}"}})", id)}}});
    if (!ingested) {
      fmt::print(stderr, "{}\n", ingested.error().text());
      ::_exit(1);
    }
    const std::int64_t number = last + 1;
    static_cast<void>(!::write(acknowledge, &number, sizeof number));
  }
}

void sleep_for(std::chrono::microseconds time) {
  const timespec span{static_cast<time_t>(time.count() / 1'000'000),
                      static_cast<long>(time.count() % 1'000'000) * 1000};
  ::nanosleep(&span, nullptr);
}

// Runs the loop, kills it after that time, and returns the last number that it acknowledged (0: none).
std::int64_t run_and_kill(const os::Path& root, std::chrono::microseconds time) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const int child = ::fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    ::close(ends[0]);
    ingest_for_ever(root, ends[1]);
  }
  ::close(ends[1]);
  sleep_for(time);
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the loop ended by itself";
  std::int64_t last = 0;
  std::int64_t number = 0;
  while (::read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number)) {
    last = number;
  }
  ::close(ends[0]);
  return last;
}

// Every event has its evaluation and the other way round, everything acknowledged is there, and all of it is sound.
void expect_whole(const Archive& archive, std::int64_t acknowledged) {
  const auto report = archive.verify();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->problems, testing::IsEmpty());
  if (!archive.campaign("c").value()) {
    EXPECT_EQ(acknowledged, 0);
    return;
  }
  const auto events = archive.events("c").value();
  const auto evaluations = archive.evaluations("c", "").value();
  ASSERT_EQ(events.size(), evaluations.size());
  EXPECT_GE(static_cast<std::int64_t>(events.size()), acknowledged);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string id = id_of(static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(events[i].body, fmt::format(R"({{"id":"{}"}})", id));
    EXPECT_EQ(evaluations[i].id, id);
  }
}

TEST(KillTest, AKilledWriterLosesNothingAndLeavesNothingHalf) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "kill-").value();
  const os::Path root = folder.path() / "archive";
  base::Philox random(20260729, base::stream_id("archive.kill_test"));
  std::int64_t acknowledged = 0;
  // The time is drawn from below what opening takes up to a few ingestions; a slow machine widens it until something
  // is ingested.
  std::uint64_t longest_us = 40'000;
  for (int kill = 0; kill < kKills; ++kill) {
    const std::int64_t before = acknowledged;
    acknowledged = std::max(acknowledged, run_and_kill(root, std::chrono::microseconds(random.next_below(longest_us))));
    if (acknowledged == before && kill % 4 == 3) {
      longest_us += longest_us / 2;
    }
    const auto archive = Archive::open_writer(root);
    ASSERT_TRUE(archive) << "after kill " << kill << ": " << archive.error().text();
    expect_whole(*archive, acknowledged);
    if (testing::Test::HasFailure()) {
      FAIL() << "after kill " << kill;
    }
    if (acknowledged > kWholeRunsAtMost) {
      longest_us = std::max<std::uint64_t>(longest_us / 2, 1'000);
    }
  }
  EXPECT_GE(acknowledged, 5) << "the kills came too early to test anything";

  // What the kills left behind goes, and the archive stays as it is.
  auto archive = Archive::open_writer(root).value();
  ASSERT_TRUE(archive.collect_garbage());
  expect_whole(archive, acknowledged);
  const auto entries = os::list_directory(archive.spool()).value();
  for (const std::string& entry : entries) {
    EXPECT_THAT(entry, testing::StartsWith(id_of(static_cast<std::int64_t>(archive.events("c")->size()) + 1)));
  }
}

}  // namespace
}  // namespace assay::archive
