#include <assay/base/time.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace assay::base {
namespace {

using std::chrono::system_clock;

TEST(Utc, KnownInstants) {
  EXPECT_EQ(to_utc(system_clock::time_point()), "1970-01-01T00:00:00Z");
  EXPECT_EQ(to_utc(system_clock::from_time_t(951'827'696)), "2000-02-29T12:34:56Z");
  EXPECT_EQ(to_utc(system_clock::from_time_t(4'102'444'799)), "2099-12-31T23:59:59Z");
}

TEST(Utc, DropsFractions) {
  EXPECT_EQ(to_utc(system_clock::from_time_t(59) + std::chrono::milliseconds(999)), "1970-01-01T00:00:59Z");
}

TEST(Utc, DoesNotFollowTheLocalZone) {
  const char* before = std::getenv("TZ");
  const std::string saved = before == nullptr ? "" : before;
  setenv("TZ", "Asia/Kathmandu", 1);
  tzset();
  EXPECT_EQ(to_utc(system_clock::from_time_t(951'827'696)), "2000-02-29T12:34:56Z");
  if (before == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", saved.c_str(), 1);
  }
  tzset();
}

TEST(Utc, NowHasTheShapeAndLiesBetweenTwoReadings) {
  const std::string before = to_utc(system_clock::now());
  const std::string now = utc_now();
  const std::string after = to_utc(system_clock::now());
  EXPECT_THAT(now, testing::MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+Z"));
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

}  // namespace
}  // namespace assay::base
