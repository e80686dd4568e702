#include <assay/cli/interrupt.hpp>

#include <gtest/gtest.h>
#include <signal.h>

namespace assay::cli {
namespace {

TEST(InterruptNoticeDeathTest, SaysHowToGoOnAndDiesByTheSignal) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const InterruptNotice notice("stopped; continue with: assay campaign resume tune");
          ::raise(signal);
        },
        testing::KilledBySignal(signal), "continue with: assay campaign resume tune");
  }
}

TEST(InterruptNoticeTest, LeavesTheHandlersAsTheyWere) {
  struct sigaction before{};
  struct sigaction during{};
  struct sigaction after{};
  ASSERT_EQ(::sigaction(SIGINT, nullptr, &before), 0);
  {
    const InterruptNotice notice("x");
    ASSERT_EQ(::sigaction(SIGINT, nullptr, &during), 0);
  }
  ASSERT_EQ(::sigaction(SIGINT, nullptr, &after), 0);
  EXPECT_NE(during.sa_handler, before.sa_handler);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(InterruptNoticeDeathTest, LongMessagesAreCutNotOverrun) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const InterruptNotice notice("begin" + std::string(4000, 'x'));
        ::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "beginxxx");
}

}  // namespace
}  // namespace assay::cli
