#include <assay/build/binding.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace assay::build {
namespace {

using ::testing::HasSubstr;

task::Solution bound_solution(const std::string& source, std::optional<task::Binding> binding = std::nullopt) {
  task::Solution solution;
  solution.name = "s";
  solution.spec.language = task::Language::cpp;
  solution.spec.entry_point = "k.cpp::run";
  solution.spec.binding = binding;
  solution.sources = {{"k.cpp", source}};
  return solution;
}

TEST(Binding, NamesBothSymbols) {
  EXPECT_EQ(exported_symbol(bound_solution("")), "assay_kernel_run");
  EXPECT_EQ(tvm_ffi_symbol(bound_solution("")), "__tvm_ffi_run");
}

TEST(Binding, TvmFfiIsStatedOrSeen) {
  EXPECT_TRUE(may_use_tvm_ffi(bound_solution("", task::Binding::tvm_ffi)));
  EXPECT_TRUE(may_use_tvm_ffi(bound_solution("#include <tvm/ffi/tvm_ffi.h>\n")));
  EXPECT_FALSE(may_use_tvm_ffi(bound_solution("#include <assay/candidate.h>\n")));
  EXPECT_FALSE(may_use_tvm_ffi(bound_solution("#include <tvm/ffi/tvm_ffi.h>\n", task::Binding::torch)));
  task::Solution python = bound_solution("", task::Binding::tvm_ffi);
  python.spec.language = task::Language::python;
  EXPECT_FALSE(may_use_tvm_ffi(python));
}

TEST(Binding, WhatCannotBeCalledIsRefusedWithTheRemedy) {
  EXPECT_TRUE(check_binding(bound_solution("", task::Binding::tvm_ffi)));
  const auto torch = check_binding(bound_solution("", task::Binding::torch));
  ASSERT_FALSE(torch);
  EXPECT_EQ(torch.error().owner, base::Owner::input);
  EXPECT_THAT(torch.error().text(), HasSubstr("/spec/binding"));
  task::Solution value = bound_solution("", task::Binding::tvm_ffi);
  value.spec.destination_passing_style = false;
  const auto returning = check_binding(value);
  ASSERT_FALSE(returning);
  EXPECT_EQ(returning.error().owner, base::Owner::input);
  EXPECT_THAT(returning.error().text(), HasSubstr("/spec/destination_passing_style"));
  value.spec.binding.reset();
  EXPECT_TRUE(check_binding(value)) << "our own header has one style: the field does not matter";
  task::Solution endless = bound_solution("");
  endless.spec.entry_point = "k.cpp::" + std::string(2000, 'x');
  EXPECT_FALSE(check_binding(endless));
}

TEST(Binding, AbsentHeadersAreTheMachinesFault) {
  const auto absent = tvm_ffi_header_texts("/nowhere");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().owner, base::Owner::environment);
  EXPECT_THAT(absent.error().text(), HasSubstr("./dev setup"));
}

TEST(Binding, AnyChangeOfAHeaderShows) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-binding-");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(os::create_directories(folder->path() / "tvm" / "ffi"));
  std::ofstream(folder->path() / "tvm" / "ffi" / "a.h") << "one";
  const std::string before = tvm_ffi_header_texts(folder->path()).value();
  std::ofstream(folder->path() / "tvm" / "ffi" / "a.h") << "two";
  const std::string changed = tvm_ffi_header_texts(folder->path()).value();
  EXPECT_NE(changed, before);
  ASSERT_TRUE(os::rename_path(folder->path() / "tvm" / "ffi" / "a.h", folder->path() / "tvm" / "ffi" / "b.h"));
  EXPECT_NE(tvm_ffi_header_texts(folder->path()).value(), changed);
}

}  // namespace
}  // namespace assay::build
