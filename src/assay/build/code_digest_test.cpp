#include <assay/build/code_digest.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <assay/base/text.hpp>
#include <assay/build/builder.hpp>

namespace assay::build {
namespace {

using namespace std::chrono_literals;

// Something of everything that can differ: a table that is looked up, a number in an instruction, data that is written, a
// function that stays one, and a call of the C library.
constexpr const char* kKernel = R"(#include <assay/candidate.h>
#include <cmath>
static const float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};  // weights
static int calls = 7;
static float scratch[64];
__attribute__((noinline)) static float weigh(float value, int place) { return value * table[place & 7]; }
__attribute__((noinline)) static float lift(float value, int place) { return value + table[place & 7]; }
ASSAY_KERNEL(run) {
  const DLTensor* x = assay_input(call, 0);
  float* y = static_cast<float*>(assay_output(call, 0)->data);
  for (int i = 0; i < static_cast<int>(x->shape[0]); ++i) {
    const float value = static_cast<const float*>(x->data)[i];
    scratch[i & 63] = lift(value, i);
    y[i] = weigh(sinf(value), i) + 3.5f + scratch[(i + 5) & 63];
  }
  return ++calls > 1000000 ? 1 : 0;
}
ASSAY_KERNEL(other) { return call->input_count; }
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
    ++count;
  }
  EXPECT_GT(count, 0U) << what;
  return text;
}

class MachineCodeTest : public ::testing::Test {
 protected:
  MachineCodeTest() : folder_(std::move(*os::TemporaryDirectory::create(testing::TempDir(), "assay-code-"))) {}

  task::BuildRecord build(const std::string& source, const std::string& entry = "run") const {
    task::Solution solution;
    solution.name = "s";
    solution.definition = "d";
    solution.author = "a";
    solution.spec.language = task::Language::cpp;
    solution.spec.entry_point = "kernel.cpp::" + entry;
    solution.sources = {{"kernel.cpp", source}};
    const Builder builder(folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *find_toolchain(), "m");
    auto result = builder.build(solution, 60s);
    EXPECT_TRUE(result) << result.error().text();
    EXPECT_TRUE(result->record.built) << result->log;
    EXPECT_EQ(result->record.code.machine_code.size(), 64U);
    return result->record;
  }

  os::TemporaryDirectory folder_;
};

TEST_F(MachineCodeTest, IsThatOfTheSourceWithOtherNamesAndComments) {
  const task::BuildRecord original = build(kKernel);
  EXPECT_EQ(original.code.ptx, "") << "no GPU's";
  EXPECT_EQ(original.code.sass, "");
  const task::BuildRecord commented = build(replaced(kKernel, "// weights", "/* other weights */"));
  EXPECT_EQ(commented.code, original.code);
  std::string renamed = replaced(kKernel, "weigh", "multiply_by_its_weight");
  renamed = replaced(replaced(renamed, "table", "tableau"), "value", "v");
  const task::BuildRecord edited = build(renamed);
  EXPECT_NE(edited.object_sha256, original.object_sha256) << "the local symbols are others";
  EXPECT_EQ(edited.code, original.code);
}

TEST_F(MachineCodeTest, IsTheSameFromTheCache) {
  const task::BuildRecord first = build(kKernel);
  const task::BuildRecord second = build(kKernel);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.code, first.code);
}

TEST_F(MachineCodeTest, TellsApartWhatRunsDifferently) {
  const task::BuildRecord original = build(kKernel);
  struct Edit {
    const char* what;
    const char* with;
    const char* why;
  };
  for (const Edit& edit :
       {Edit{"6, 7, 8}", "6, 7, 9}", "a constant that is read at run time"},
        Edit{"3.5f", "3.25f", "a constant of one instruction"}, Edit{"i + 5", "i + 6", "an immediate"},
        Edit{"sinf(", "cosf(", "what is called of another library"},
        Edit{"y[i] = weigh(", "y[i] = lift(", "what is called of its own"},
        Edit{"calls = 7", "calls = 8", "data that is written"},
        Edit{"scratch[64]", "scratch[4096]", "memory that begins as zeros"},
        Edit{"static int calls", "static thread_local int calls", "whose a variable is"}}) {
    const task::BuildRecord changed = build(replaced(kKernel, edit.what, edit.with));
    EXPECT_NE(changed.code.machine_code, original.code.machine_code) << edit.why;
    EXPECT_FALSE(task::same_machine_code(changed, original)) << edit.why;
  }
}

// One and the same object, of which another function is called.
TEST_F(MachineCodeTest, KnowsWhichFunctionIsCalled) {
  const task::BuildRecord one = build(kKernel, "run");
  const task::BuildRecord other = build(kKernel, "other");
  EXPECT_EQ(one.object_sha256, other.object_sha256);
  EXPECT_NE(one.code.machine_code, other.code.machine_code);
}

TEST_F(MachineCodeTest, KnowsHowItIsCalled) {
  task::Solution solution;
  solution.spec.language = task::Language::cpp;
  solution.spec.entry_point = "kernel.cpp::run";
  const auto self = os::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  const auto code = [&] { return name_code(solution, *find_toolchain(), *self, {}).machine_code; };
  const std::string plain = code();
  ASSERT_EQ(plain.size(), 64U);
  solution.spec.binding = task::Binding::tvm_ffi;
  EXPECT_NE(code(), plain);
  solution.spec.binding.reset();
  solution.spec.destination_passing_style = false;
  EXPECT_NE(code(), plain);
  solution.spec.destination_passing_style = true;
  solution.name = "another name";
  EXPECT_EQ(code(), plain);
}

TEST(LoadedImage, EveryMappedByteCountsButTheBuildId) {
  const auto self = os::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  const auto digest = loaded_image_digest(*self);
  ASSERT_TRUE(digest);
  EXPECT_EQ(loaded_image_digest(*self + "what follows is not mapped"), digest);
  std::string changed = *self;
  changed[4096] = static_cast<char>(changed[4096] ^ 1);
  EXPECT_NE(loaded_image_digest(changed), digest);
  std::string elsewhere = *self;
  elsewhere[0x28] = static_cast<char>(elsewhere[0x28] ^ 1);  // Where the section headers lie.
  EXPECT_EQ(loaded_image_digest(elsewhere), digest);
}

TEST(LoadedImage, WhatIsNoObjectHasNone) {
  EXPECT_FALSE(loaded_image_digest(""));
  EXPECT_FALSE(loaded_image_digest("\177ELF"));
  EXPECT_FALSE(device_code_digest("\177ELF"));
  const auto self = os::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  EXPECT_FALSE(device_code_digest(*self)) << "this is no GPU's";
}

TEST(Ptx, CommentsBlanksAndSourceLinesDoNotCount) {
  const std::string text = "// Generated\n.version 9.0\n\n  add.f32 %f1, %f2, %f3;\n";
  const auto digest = ptx_digest(text);
  ASSERT_TRUE(digest);
  EXPECT_EQ(ptx_digest("//\n// Another day\n.version 9.0\nadd.f32 %f1, %f2, %f3;\n.loc 1 2 3"), digest);
  EXPECT_NE(ptx_digest(".version 9.0\nadd.f32 %f1, %f2, %f4;"), digest);
  EXPECT_NE(ptx_digest(".version 9.0 add.f32 %f1, %f2, %f3;"), digest);
  EXPECT_FALSE(ptx_digest(""));
  EXPECT_FALSE(ptx_digest("\n// nothing\n"));
}

TEST(Ptx, TheNumberOfATranslationUnitDoesNotCount) {
  const auto call = [](const std::string& name) { return ptx_digest("call " + name + ";"); };
  EXPECT_EQ(call("_ZN31_INTERNAL_63c0fc12_4_c_cu_table6helperEf"),
            call("_ZN31_INTERNAL_e5548ebc_4_c_cu_table6helperEf"));
  EXPECT_NE(call("_ZN31_INTERNAL_63c0fc12_4_c_cu_table6helperEf"),
            call("_ZN31_INTERNAL_63c0fc12_4_c_cu_table6halperEf"));
  EXPECT_NE(call("_INTERNAL_63c0fc1"), call("_INTERNAL_63c0fc2")) << "too short to be one";
}

}  // namespace
}  // namespace assay::build
