#include <assay/os/library.hpp>

#include <gtest/gtest.h>

namespace assay::os {
namespace {

TEST(LoadsLibrary, WhatIsThereAndNotWhatIsNot) {
  EXPECT_TRUE(loads_library("libm.so.6"));
  EXPECT_TRUE(loads_library("libm.so.6")) << "asking does not spoil the answer";
  EXPECT_FALSE(loads_library("libassay-is-not-there.so.1"));
  EXPECT_FALSE(loads_library("/etc/hostname"));
}

}  // namespace
}  // namespace assay::os
