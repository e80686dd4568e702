#include <assay/os/library.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::os {
namespace {

TEST(LoadsLibrary, WhatIsThereAndNotWhatIsNot) {
  EXPECT_TRUE(loads_library("libm.so.6"));
  EXPECT_TRUE(loads_library("libm.so.6")) << "asking does not spoil the answer";
  EXPECT_FALSE(loads_library("libassay-is-not-there.so.1"));
  EXPECT_FALSE(loads_library("/etc/hostname"));
}

TEST(FunctionFinder, FindsAndNamesTheFirstThatIsMissing) {
  FunctionFinder finder(::dlopen(nullptr, RTLD_NOW));
  int (*process)() = nullptr;
  finder.find(process, "getpid");
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(process(), ::getpid());
  EXPECT_EQ(finder.missing(), "");
  void (*absent)() = nullptr;
  finder.find(absent, "no_such_function_1");
  finder.find(absent, "no_such_function_2");
  EXPECT_EQ(absent, nullptr);
  EXPECT_EQ(finder.missing(), "no_such_function_1");
}

}  // namespace
}  // namespace assay::os
