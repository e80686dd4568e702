#include <assay/base/background.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace assay::base {
namespace {

TEST(BackgroundTest, DoesOnePieceAfterTheOther) {
  Background background;
  background.wait();  // Nothing to wait for.
  std::vector<int> done;
  for (int i = 0; i < 100; ++i) {
    background.begin([&done, i] { done.push_back(i); });
    background.wait();
    ASSERT_EQ(done.size(), static_cast<std::size_t>(i) + 1);
    EXPECT_EQ(done.back(), i);
  }
}

TEST(BackgroundTest, TheCallerGoesOnMeanwhile) {
  std::atomic<bool> goes_on = false;
  std::atomic<bool> done = false;
  Background background;
  background.begin([&] {
    goes_on.wait(false);
    done = true;
  });
  EXPECT_FALSE(done);
  goes_on = true;
  goes_on.notify_all();
  background.wait();
  EXPECT_TRUE(done);
}

TEST(BackgroundTest, WorkThatWasBegunIsDoneBeforeTheEnd) {
  std::atomic<int> done = 0;
  for (int i = 0; i < 20; ++i) {
    Background background;
    background.begin([&] { ++done; });
  }
  EXPECT_EQ(done, 20);
  const Background unused;
}

TEST(BackgroundDeathTest, APieceThatWasNotWaitedForIsADefect) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // There is another thread, which a fork alone would lose.
  Background background;
  std::atomic<bool> ends = false;
  background.begin([&] { ends.wait(false); });
  EXPECT_DEATH(background.begin([] {}), "work_");
  ends = true;
  ends.notify_all();
}

}  // namespace
}  // namespace assay::base
