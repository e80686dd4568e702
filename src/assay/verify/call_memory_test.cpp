#include <assay/verify/call_memory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

namespace assay::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

task::Definition definition() {
  task::Definition d;
  d.name = "d";
  d.axes = {{"B", {task::Axis::Kind::variable, 0, {}}}, {"N", {task::Axis::Kind::constant, 3, {}}}};
  d.inputs = {{"x", {std::vector<std::string>{"B", "N"}, tensor::DType::float32, {}}},
              {"scale", {std::nullopt, tensor::DType::float32, {}}},
              {"i", {std::vector<std::string>{"B"}, tensor::DType::int8, {}}}};
  d.outputs = {{"y", {std::vector<std::string>{"B", "N"}, tensor::DType::bfloat16, {}}},
               {"z", {std::vector<std::string>{"B"}, tensor::DType::float32, {}}}};
  return d;
}

task::Workload workload(std::int64_t batch = 5) {
  task::Workload w;
  w.uuid = "u";
  w.axes = {{"B", batch}};
  w.inputs = {{"x", task::RandomInput{}}, {"scale", task::ScalarInput{2.0}}, {"i", task::RandomInput{}}};
  return w;
}

Layout layout(std::int64_t batch = 5) { return *make_layout(definition(), workload(batch)); }

std::vector<std::byte> memory_for(const Layout& l) { return std::vector<std::byte>(l.outputs_size); }

RC_GTEST_PROP(Layout, AlignsEverythingAndKeepsGuardBandsBetween, ()) {
  const Layout l = layout(*rc::gen::inRange<std::int64_t>(1, 4000));
  std::size_t end = 0;
  for (const Place& place : l.outputs) {
    RC_ASSERT(place.offset % Layout::kAlignment == 0);
    RC_ASSERT(place.offset >= end + Layout::kGuardBand);
    end = place.offset + place.bytes;
  }
  RC_ASSERT(l.outputs_size >= end + Layout::kGuardBand);
}

TEST(Layout, FollowsTheDefinitionsOrderAndTypes) {
  const Layout l = layout();
  ASSERT_EQ(l.inputs.size(), 3U);
  EXPECT_EQ(l.inputs[0]->bytes, 5U * 3 * 4);
  EXPECT_FALSE(l.inputs[1]);
  EXPECT_EQ(l.inputs[2]->bytes, 5U);
  EXPECT_EQ(l.outputs[0].bytes, 5U * 3 * 2);
  EXPECT_THAT(l.outputs[0].shape, ElementsAre(5, 3));
}

TEST(Layout, AScalarOutputIsAnInputError) {
  task::Definition d = definition();
  d.outputs[0].second.shape.reset();
  const auto result = make_layout(d, workload());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().owner, base::Owner::input);
  EXPECT_THAT(result.error().message, HasSubstr("'y'"));
}

TEST(InputArguments, AreViewsAndScalarsInOrder) {
  const Layout l = layout();
  std::vector<std::byte> memory(l.inputs_size);
  const auto arguments = input_arguments(definition(), workload(), l, memory);
  ASSERT_TRUE(arguments);
  EXPECT_EQ(std::get<tensor::View>((*arguments)[0]).bytes.data(), memory.data() + l.inputs[0]->offset);
  EXPECT_DOUBLE_EQ(std::get<double>(std::get<operators::Scalar>((*arguments)[1])), 2.0);
}

TEST(InputArguments, AMissingScalarIsNamed) {
  const Layout l = layout();
  std::vector<std::byte> memory(l.inputs_size);
  task::Workload w = workload();
  w.inputs[1].second = task::RandomInput{};
  const auto arguments = input_arguments(definition(), w, l, memory);
  ASSERT_FALSE(arguments);
  EXPECT_THAT(arguments.error().message, HasSubstr("/inputs/scale"));
}

TEST(PoisonWords, AreNanOrHugeOrAboutOneInEveryFloatingTypeAndVary) {
  std::set<std::uint32_t> words;
  int nan = 0;
  int huge = 0;
  constexpr int kCalls = 600;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    const std::uint32_t word = Poison::draw(3, call).word;
    words.insert(word);
    const float whole = __builtin_bit_cast(float, word);
    const float half = tensor::from_bfloat16(static_cast<std::uint16_t>(word & 0xffffU));
    const float narrow = tensor::from_float16(static_cast<std::uint16_t>(word & 0xffffU));
    ASSERT_EQ(std::isnan(whole), std::isnan(half));
    ASSERT_EQ(std::isnan(whole), std::isnan(narrow));
    nan += std::isnan(whole) ? 1 : 0;
    if (whole > 1e8F) {
      ++huge;
      EXPECT_GT(half, 1e8F);
      EXPECT_GT(narrow, 20.0F);
    } else if (!std::isnan(whole)) {
      for (const float value : {whole, half, narrow}) {
        EXPECT_GE(value, 1.0F);
        EXPECT_LT(value, 2.0F);
      }
    }
  }
  EXPECT_GT(words.size(), 400U);
  EXPECT_NEAR(nan, kCalls / 3, 60);
  EXPECT_NEAR(huge, kCalls / 3, 60);
}

TEST(ShiftedLayout, MovesEveryTensorAndGuardsWhatItSkips) {
  const Layout l = layout();
  const Layout moved = shifted(l, 8192);
  ASSERT_EQ(moved.outputs.size(), l.outputs.size());
  for (std::size_t i = 0; i < l.outputs.size(); ++i) {
    EXPECT_EQ(moved.outputs[i].offset, l.outputs[i].offset + 8192);
    EXPECT_EQ(moved.outputs[i].bytes, l.outputs[i].bytes);
  }
  for (std::size_t i = 0; i < l.inputs.size(); ++i) {
    ASSERT_EQ(moved.inputs[i].has_value(), l.inputs[i].has_value());
    if (l.inputs[i]) {
      EXPECT_EQ(moved.inputs[i]->offset, l.inputs[i]->offset + 8192);
    }
  }
  EXPECT_EQ(moved.inputs_size, l.inputs_size + 8192);
  std::vector<std::byte> memory(moved.outputs_size);
  const OutputGuard guard(moved, memory, 1, 2);
  EXPECT_FALSE(guard.check());
  memory[17] ^= std::byte{1};
  EXPECT_TRUE(guard.check()) << "the bytes before the first tensor are watched";
}

TEST(OutputGuardTest, WithoutPoisonTheTensorsKeepWhatTheyHold) {
  const Layout l = layout();
  std::vector<std::byte> memory(l.outputs_size, std::byte{0x5a});
  const OutputGuard guard(l, memory, 1, 2, false);
  EXPECT_EQ(memory[l.outputs[0].offset], std::byte{0x5a});
  EXPECT_FALSE(guard.check()) << "the guard bands are there all the same";
}

TEST(OutputGuardTest, AnUntouchedMemoryIsIntactAndAllPoison) {
  const Layout l = layout();
  auto memory = memory_for(l);
  const OutputGuard guard(l, memory, 1, 2);
  EXPECT_FALSE(guard.check());
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_TRUE(guard.untouched(l.outputs[0], i));
  }
}

TEST(OutputGuardTest, AWrittenElementIsNoLongerUntouched) {
  const Layout l = layout();
  auto memory = memory_for(l);
  const OutputGuard guard(l, memory, 1, 2);
  memory[l.outputs[0].offset + 2 * 7] ^= std::byte{1};
  EXPECT_FALSE(guard.untouched(l.outputs[0], 7));
  EXPECT_TRUE(guard.untouched(l.outputs[0], 6));
  EXPECT_TRUE(guard.untouched(l.outputs[0], 8));
  EXPECT_FALSE(guard.check());
}

TEST(OutputGuardTest, EveryGuardByteIsWatched) {
  const Layout l = layout();
  auto memory = memory_for(l);
  std::set<std::size_t> inside;
  for (const Place& place : l.outputs) {
    for (std::size_t i = 0; i < place.bytes; ++i) {
      inside.insert(place.offset + i);
    }
  }
  for (std::size_t at = 0; at < l.outputs_size; at += (at % 509 == 0 ? 1U : 13U)) {
    const OutputGuard guard(l, memory, 9, at);
    memory[at] ^= std::byte{0x10};
    EXPECT_EQ(guard.check().has_value(), inside.count(at) == 0) << at;
  }
}

TEST(OutputGuardTest, SaysWhereOneElementPastTheEndIs) {
  const Layout l = layout();
  auto memory = memory_for(l);
  const OutputGuard guard(l, memory, 1, 2);
  memory[l.outputs[1].offset + l.outputs[1].bytes + 1] ^= std::byte{1};
  const auto finding = guard.check();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, "guard_overwritten");
  EXPECT_EQ(finding->tensor, "z");
  EXPECT_THAT(finding->message, HasSubstr("element 1 past the end of z"));
}

TEST(OutputGuardTest, CanariesDifferFromCallToCall) {
  const Layout l = layout();
  auto one = memory_for(l);
  auto two = memory_for(l);
  const OutputGuard first(l, one, 1, 2);
  const OutputGuard second(l, two, 1, 3);
  EXPECT_NE(one[0], two[0]);
  // What a candidate remembers of an earlier call's guard band does not restore this one's.
  two[0] = one[0];
  EXPECT_TRUE(second.check());
}

TEST(Locate, FindsElementsAndDistances) {
  const Layout l = layout();
  const auto x = static_cast<std::int64_t>(l.inputs[0]->offset);
  const Located inside = locate(l, false, x + 4 * 7 + 1);
  EXPECT_TRUE(inside.inside);
  EXPECT_EQ(inside.tensor, "x");
  EXPECT_THAT(*inside.index, ElementsAre(2, 1));
  EXPECT_EQ(inside.text, "x[2, 1]");
  EXPECT_THAT(locate(l, false, x - 4).text, HasSubstr("element 1 before the start of x"));
  EXPECT_THAT(locate(l, false, x - 5).text, HasSubstr("element 2 before the start of x"));
  EXPECT_THAT(locate(l, false, x + 60 + 8).text, HasSubstr("element 3 past the end of x"));
  EXPECT_THAT(locate(l, false, -100000).text, HasSubstr("before the start of x"));
  EXPECT_THAT(locate(l, true, 100000).text, HasSubstr("past the end of z"));
}

}  // namespace
}  // namespace assay::verify
