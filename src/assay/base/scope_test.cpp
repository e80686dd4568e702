#include <assay/base/scope.hpp>

#include <gtest/gtest.h>

#include <string>

namespace assay::base {
namespace {

TEST(Defer, RunsAtTheEndInReverse) {
  std::string order;
  {
    const Defer first([&] { order += "1"; });
    const Defer second([&] { order += "2"; });
    order += "body ";
  }
  EXPECT_EQ(order, "body 21");
}

TEST(Defer, RunsOnAnEarlyReturn) {
  bool ran = false;
  const auto leave = [&](bool early) {
    const Defer mark([&] { ran = true; });
    if (early) {
      return 1;
    }
    return 2;
  };
  EXPECT_EQ(leave(true), 1);
  EXPECT_TRUE(ran);
}

TEST(Defer, DismissedDoesNothing) {
  bool ran = false;
  {
    Defer mark([&] { ran = true; });
    mark.dismiss();
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace assay::base
