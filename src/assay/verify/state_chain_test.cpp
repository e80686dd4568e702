#include <assay/verify/state_chain.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include <assay/operators/gated_delta_rule.hpp>
#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::verify {
namespace {

using namespace operators::gdn_decode;

float widened(std::uint16_t bits) { return tensor::from_bfloat16(bits); }

/// One step in float32; `spoil` sees each element of the new state.
void run_step(operators::OperatorTrial& trial, const std::function<float(float)>& spoil) {
  const auto scale = static_cast<float>(trial.scalar(kScale));
  for (std::size_t head = 0; head < trial.axis("batch_size") * kValueHeads; ++head) {
    const std::size_t first_key = head / kValueHeadsPerQueryHead * kHeadSize;
    const auto q = trial.in<std::uint16_t>(kQ).subspan(first_key, kHeadSize);
    const auto k = trial.in<std::uint16_t>(kK).subspan(first_key, kHeadSize);
    const float a = widened(trial.in<std::uint16_t>(kA)[head]) + trial.in<float>(kDtBias)[head % kValueHeads];
    const float g = std::exp(-std::exp(trial.in<float>(kALog)[head % kValueHeads]) *
                             static_cast<float>(operators::softplus(static_cast<double>(a))));
    const float beta = 1 / (1 + std::exp(-widened(trial.in<std::uint16_t>(kB)[head])));
    for (std::size_t i = 0; i < kHeadSize; ++i) {
      const std::size_t row = head * kHeadSize + i;
      const auto old = trial.in<float>(kState).subspan(row * kHeadSize, kHeadSize);
      const auto now = trial.out<float>(kNewState).subspan(row * kHeadSize, kHeadSize);
      float predicted = 0;
      for (std::size_t j = 0; j < kHeadSize; ++j) {
        predicted += g * old[j] * widened(k[j]);
      }
      const float delta = beta * (widened(trial.in<std::uint16_t>(kV)[row]) - predicted);
      float output = 0;
      for (std::size_t j = 0; j < kHeadSize; ++j) {
        now[j] = spoil(g * old[j] + delta * widened(k[j]));
        output += now[j] * widened(q[j]);
      }
      trial.out<std::uint16_t>(kOutput)[row] = tensor::to_bfloat16(scale * output);
    }
  }
}

/// Follows a chain of the operator's length. Returns how the last step was wrong by itself, and at the end of the chain.
std::pair<std::string, std::string> follow(std::uint64_t seed, const std::function<float(float)>& spoil) {
  const operators::Operator& op = *operators::find_operator("gdn_decode_qk4_v8_d128_k_last");
  const operators::Chain chain = op.chain().value();
  operators::OperatorTrial trial(op, chain.workload);
  StateChain followed(op);
  const auto generator = op.make_generator(seed);
  Layout layout;
  std::vector<std::byte> memory;
  std::string alone;
  for (std::uint64_t step = 0; step < chain.steps; ++step) {
    generator->fill_stress(chain.kind, chain.workload, step, trial.arguments());
    followed.feed(trial.arguments());
    run_step(trial, spoil);
    layout.outputs.clear();
    memory.clear();
    for (std::size_t i = 0; i < trial.output_count(); ++i) {
      const tensor::View& view = trial.output(i);
      layout.outputs.push_back({view.name, view.dtype, view.shape, memory.size(), view.bytes.size()});
      memory.insert(memory.end(), view.bytes.begin(), view.bytes.end());
    }
    layout.outputs_size = memory.size();
    const auto done = followed.follow(trial.axes(), trial.arguments(), layout, memory);
    EXPECT_TRUE(done) << done.error().text();
    if (const std::string wrong = trial.judge(trial.reference()); !wrong.empty()) {
      alone = wrong;
    }
  }
  EXPECT_EQ(followed.steps(), chain.steps);
  const auto finding = followed.check();
  return {alone, finding ? finding->message : ""};
}

TEST(StateChain, AnHonestKernelsErrorsDoNotAddUp) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const auto [alone, chained] = follow(seed, [](float value) { return value; });
    EXPECT_EQ(alone, "") << seed;
    EXPECT_EQ(chained, "") << seed;
  }
}

// Each of these stays within what one step may err by, so that only the chain can tell.
TEST(StateChain, ShowsWhatOneStepHides) {
  const auto drifts = [](float value) { return value * (1 - 3e-6F); };
  const auto loses_digits = [](float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= 0xffffffc0U;  // 18 significant bits, cut off.
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  };
  const auto leaks = [](float value) { return value + 2e-6F * std::fabs(value); };
  for (const std::function<float(float)>& spoil :
       {std::function<float(float)>(drifts), std::function<float(float)>(loses_digits),
        std::function<float(float)>(leaks)}) {
    const auto [alone, chained] = follow(7, spoil);
    EXPECT_EQ(alone, "");
    EXPECT_THAT(chained, testing::AllOf(testing::HasSubstr("after 64 steps"), testing::HasSubstr("new_state")));
  }
}

TEST(StateChain, AtLeast64StepsOfTheContestsOperator) {
  EXPECT_GE(operators::find_operator("gdn_decode_qk4_v8_d128_k_last")->chain()->steps, 64U);
  EXPECT_FALSE(operators::find_operator("dsa_topk_indexer_fp8_h64_d128_topk2048_ps64")->chain());
}

}  // namespace
}  // namespace assay::verify
