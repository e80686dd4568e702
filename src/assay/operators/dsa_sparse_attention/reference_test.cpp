#include <assay/operators/dsa_sparse_attention/reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <assay/operators/dsa_sparse_attention/float32_for_test.hpp>
#include <assay/operators/dsa_sparse_attention/rows.hpp>
#include <assay/operators/dsa_sparse_attention/stress.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

using testing::HasSubstr;
using Outputs = std::vector<ExpectedValues>;

constexpr std::uint64_t kReferenceBytes = std::uint64_t{4} << 20U;

OperatorTrial filled(const Dimensions& dimensions, const task::Workload& workload, std::uint64_t seed,
                     std::uint64_t call = 0) {
  OperatorTrial trial(operator_of(dimensions), workload);
  operator_of(dimensions).make_generator(seed)->fill(workload, call, trial.arguments());
  return trial;
}

double finite_rms(const ExpectedValues& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    sum += std::isfinite(value) ? value * value : 0;
    count += std::isfinite(value) ? 1 : 0;
  }
  return count == 0 ? 0 : std::sqrt(sum / count);
}

/// Holds two sets of outputs together: special values alike, others within `tolerance` of the RMS.
void expect_agree(const Outputs& got, const Outputs& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t output = 0; output < got.size(); ++output) {
    ASSERT_EQ(got[output].size(), expected[output].size());
    const double allowed = tolerance * finite_rms(expected[output]);
    for (std::size_t i = 0; i < got[output].size(); ++i) {
      if (std::isfinite(expected[output][i])) {
        ASSERT_LE(std::fabs(got[output][i] - expected[output][i]), allowed)
            << what << " output " << output << " at " << i;
      } else {
        ASSERT_EQ(got[output][i], expected[output][i]) << what << " output " << output << " at " << i;
      }
    }
  }
}

/// The same in one pass and another order: keys in blocks of seven from the last slot to the first, one head at a time,
/// in base 2, with the sums so far rescaled whenever the maximum rises.
Outputs in_one_pass(const Dimensions& dimensions, OperatorTrial& trial) {
  const CallView call(dimensions, trial.arguments());
  const double factor = trial.scalar(kSmScale) / std::log(2.0);
  Outputs outputs(kOutputCount);
  outputs[kOutput].assign(call.rows() * dimensions.heads * dimensions.ckv, 0.0);
  outputs[kLse].assign(call.rows() * dimensions.heads, -std::numeric_limits<double>::infinity());
  for (std::size_t at = 0; at < outputs[kLse].size(); ++at) {
    const std::size_t row = at / dimensions.heads;
    const Elements q_nope = call.q_nope(row, at % dimensions.heads);
    const Elements q_pe = call.q_pe(row, at % dimensions.heads);
    auto slots = call.valid_slots(row);
    std::reverse(slots.begin(), slots.end());
    double maximum = -std::numeric_limits<double>::infinity();
    double sum = 0;
    double* values = outputs[kOutput].data() + at * dimensions.ckv;
    for (std::size_t first = 0; first < slots.size(); first += 7) {
      const std::size_t last = std::min(first + 7, slots.size());
      std::vector<double> logits;
      for (std::size_t s = first; s < last; ++s) {
        const std::size_t token = call.token(row, slots[s]);
        double dot = 0;
        for (std::size_t i = dimensions.kpe; i-- > 0;) {
          dot += static_cast<double>(q_pe[i]) * static_cast<double>(call.kpe(token)[i]);
        }
        for (std::size_t i = dimensions.ckv; i-- > 0;) {
          dot += static_cast<double>(q_nope[i]) * static_cast<double>(call.ckv(token)[i]);
        }
        logits.push_back(dot * factor);
      }
      const double risen = std::max(maximum, *std::max_element(logits.begin(), logits.end()));
      const double rescale = std::exp2(maximum - risen);
      sum *= rescale;
      std::for_each(values, values + dimensions.ckv, [&](double& value) { value *= rescale; });
      maximum = risen;
      for (std::size_t s = first; s < last; ++s) {
        const double weight = std::exp2(logits[s - first] - maximum);
        const Elements key = call.ckv(call.token(row, slots[s]));
        sum += weight;
        for (std::size_t i = 0; i < dimensions.ckv; ++i) {
          values[i] += weight * static_cast<double>(key[i]);
        }
      }
    }
    if (!slots.empty()) {
      std::for_each(values, values + dimensions.ckv, [&](double& value) { value /= sum; });
      outputs[kLse][at] = maximum + std::log2(sum);
    }
  }
  return outputs;
}

TEST(DsaSparseAttentionReference, AgreesWithOnePassOverBlocksFromTheLast) {
  const auto generator = small_instance().make_generator(21);
  for (std::uint64_t index = 0; index < 100; ++index) {
    const StressTrial stress = small_instance().stress_trial(21, index, kReferenceBytes);
    OperatorTrial trial(small_instance(), stress.workload);
    generator->fill_stress(stress.kind, stress.workload, 0, trial.arguments());
    expect_agree(trial.reference(), in_one_pass(kSmall, trial), 1e-10,
                 std::string(kStressKinds[stress.kind].name) + " " + std::to_string(index));
  }
  for (std::int64_t rows = 1; rows <= 9; ++rows) {
    OperatorTrial trial = filled(kSmall, make_workload(kSmall, rows, 5 * rows, "usual"), 22);
    expect_agree(trial.reference(), in_one_pass(kSmall, trial), 1e-10, "usual " + std::to_string(rows));
  }
}

TEST(DsaSparseAttentionReference, AgreesWithOnePassAtTheSizeOfTheContest) {
  OperatorTrial trial = filled(kContest, make_workload(kContest, 3, 40, "contest", {2048, 65, 1}), 23);
  expect_agree(trial.reference(), in_one_pass(kContest, trial), 1e-10, "contest");
}

/// One row of two heads' worth of numbers that can be worked out by hand, in a cache of two pages.
class DsaSparseAttentionByHand : public testing::Test {
 protected:
  DsaSparseAttentionByHand() : trial_(small_instance(), make_workload(kSmall, 1, 2, "hand")) {
    for (std::size_t slot = 0; slot < kSmall.topk; ++slot) {
      call().set_index(0, slot, kNoToken);
    }
    set_scale(1);
  }
  CallView call() { return {kSmall, trial_.arguments()}; }
  void set_scale(double scale) { trial_.arguments()[kSmScale] = Scalar(scale); }
  double output(std::size_t head, std::size_t i) { return trial_.reference()[kOutput][head * kSmall.ckv + i]; }
  double lse(std::size_t head) { return trial_.reference()[kLse][head]; }

  OperatorTrial trial_;
};

TEST_F(DsaSparseAttentionByHand, ARowOfNothingIsZeroAndMinusInfinity) {
  const auto outputs = trial_.reference();
  EXPECT_TRUE(std::all_of(outputs[kOutput].begin(), outputs[kOutput].end(), [](double value) { return value == 0; }));
  for (const double value : outputs[kLse]) {
    EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
  }
}

TEST_F(DsaSparseAttentionByHand, OneTokenIsItsValueAndItsLogit) {
  // Page 1, token 3: index 19, in the last slot.
  call().set_index(0, kSmall.topk - 1, 19);
  call().ckv(19).set(0, 2);
  call().ckv(19).set(31, -3);
  call().kpe(19).set(7, 5);
  call().q_nope(0, 1).set(31, 4);
  call().q_pe(0, 1).set(7, 0.5F);
  set_scale(0.25);
  EXPECT_DOUBLE_EQ(output(1, 0), 2);
  EXPECT_DOUBLE_EQ(output(1, 31), -3);
  EXPECT_DOUBLE_EQ(lse(1), 0.25 * (-12 + 2.5) / std::log(2.0));
  EXPECT_DOUBLE_EQ(output(0, 0), 2) << "the other heads see the same values";
  EXPECT_DOUBLE_EQ(lse(0), 0);
}

TEST_F(DsaSparseAttentionByHand, TwoTokensShareByTheirLogits) {
  // Logits 0 and ln 3, up to the rounding of ln 3 to bfloat16: weights 1/4 and 3/4.
  call().set_index(0, 0, 4);
  call().set_index(0, 9, 30);
  call().ckv(4).set(5, 8);
  call().ckv(30).set(5, 16);
  call().kpe(30).set(0, 1);
  call().q_pe(0, 2).set(0, 1.1F);
  const double weight = std::exp(static_cast<double>(call().q_pe(0, 2)[0]));
  EXPECT_NEAR(weight, 3, 0.02);
  EXPECT_DOUBLE_EQ(output(2, 5), (8 + 16 * weight) / (1 + weight));
  EXPECT_DOUBLE_EQ(lse(2), std::log2(1 + weight));
  EXPECT_DOUBLE_EQ(output(3, 5), 12) << "equal logits: the mean";
  EXPECT_DOUBLE_EQ(lse(3), 1) << "log2 of two";
}

TEST_F(DsaSparseAttentionByHand, ATokenNamedTwiceCountsTwice) {
  call().ckv(4).set(0, 3);
  call().ckv(5).set(0, 9);
  for (const auto& [slot, token] : {std::pair{2U, 4}, {3U, 5}, {60U, 5}}) {
    call().set_index(0, slot, token);
  }
  EXPECT_DOUBLE_EQ(output(0, 0), (3.0 + 9 + 9) / 3);
  EXPECT_DOUBLE_EQ(lse(0), std::log2(3.0));
}

TEST_F(DsaSparseAttentionByHand, LargeLogitsNeitherOverflowNorVanish) {
  call().set_index(0, 0, 1);
  call().set_index(0, 1, 2);
  call().ckv(1).set(0, 1);
  call().ckv(2).set(0, 1);
  call().ckv(2).set(1, 4);
  for (const float sign : {1.0F, -1.0F}) {
    call().q_nope(0, 0).set(0, sign * 16384);
    EXPECT_DOUBLE_EQ(output(0, 0), 1);
    EXPECT_DOUBLE_EQ(output(0, 1), 2);
    EXPECT_DOUBLE_EQ(lse(0), static_cast<double>(sign) * 16384 / std::log(2.0) + 1);
  }
}

TEST(DsaSparseAttentionProperty, TheOrderOfASlotDoesNotMatter) {
  OperatorTrial trial = filled(kSmall, make_workload(kSmall, 4, 40, "order"), 31);
  const auto before = trial.reference();
  const CallView call(kSmall, trial.arguments());
  base::Philox random(1, 2);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    std::vector<std::int32_t> ids;
    for (std::size_t slot = 0; slot < kSmall.topk; ++slot) {
      ids.push_back(call.index(row, slot));
    }
    shuffle(random, ids);
    for (std::size_t slot = 0; slot < kSmall.topk; ++slot) {
      call.set_index(row, slot, ids[slot]);
    }
  }
  expect_agree(trial.reference(), before, 1e-12, "shuffled");
}

TEST(DsaSparseAttentionProperty, WherePagesLieDoesNotMatter) {
  const task::Workload workload = make_workload(kSmall, 3, 12, "pages");
  OperatorTrial from = filled(kSmall, workload, 32);
  OperatorTrial to = filled(kSmall, workload, 32);
  const CallView source(kSmall, from.arguments());
  const CallView target(kSmall, to.arguments());
  base::Philox random(3, 4);
  const auto moved = draw_distinct(random, source.pages(), source.pages());
  const auto place = [&](std::size_t token) {
    return moved[token / kSmall.page_size] * kSmall.page_size + token % kSmall.page_size;
  };
  for (std::size_t token = 0; token < source.tokens(); ++token) {
    std::ranges::copy(source.ckv(token).bytes(), target.ckv(place(token)).bytes().begin());
    std::ranges::copy(source.kpe(token).bytes(), target.kpe(place(token)).bytes().begin());
  }
  for (std::size_t row = 0; row < source.rows(); ++row) {
    for (const std::size_t slot : source.valid_slots(row)) {
      target.set_index(row, slot, static_cast<std::int32_t>(place(source.token(row, slot))));
    }
  }
  expect_agree(to.reference(), from.reference(), 0, "moved");
}

TEST(DsaSparseAttentionProperty, PowersOfTwoPassThrough) {
  const task::Workload workload = make_workload(kSmall, 2, 20, "powers");
  const auto scale_tensor = [](OperatorTrial& trial, Input input, float factor) {
    Elements elements(trial.input(input).bytes);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements.set(i, elements[i] * factor);
    }
  };
  OperatorTrial trial = filled(kSmall, workload, 33);
  auto expected = trial.reference();
  // Queries times 8 and the factor by 8: nothing changes.
  scale_tensor(trial, kQNope, 8);
  scale_tensor(trial, kQPe, 8);
  trial.arguments()[kSmScale] = Scalar(trial.scalar(kSmScale) / 8);
  expect_agree(trial.reference(), expected, 0, "queries and factor");
  // Values times 2^20 and their queries by it: the same weights of larger values.
  scale_tensor(trial, kCkvCache, 0x1p20F);
  scale_tensor(trial, kQNope, 0x1p-20F);
  std::for_each(expected[kOutput].begin(), expected[kOutput].end(), [](double& value) { value *= 0x1p20; });
  expect_agree(trial.reference(), expected, 0, "values and queries");
}

TEST(DsaSparseAttentionProperty, RowsDoNotTouchEachOther) {
  OperatorTrial whole = filled(kSmall, make_workload(kSmall, 5, 60, "split"), 34);
  const auto together = whole.reference();
  for (std::size_t row = 0; row < 5; ++row) {
    OperatorTrial alone(small_instance(), make_workload(kSmall, 1, 60, "split"));
    for (const Input input : {kQNope, kQPe, kSparseIndices}) {
      const auto& to = alone.input(input).bytes;
      std::ranges::copy(whole.input(input).bytes.subspan(row * to.size(), to.size()), to.begin());
    }
    for (const Input input : {kCkvCache, kKpeCache}) {
      std::ranges::copy(whole.input(input).bytes, alone.input(input).bytes.begin());
    }
    alone.arguments()[kSmScale] = Scalar(whole.scalar(kSmScale));
    const auto outputs = alone.reference();
    for (std::size_t output = 0; output < kOutputCount; ++output) {
      const auto begin = together[output].begin() + static_cast<std::ptrdiff_t>(row * outputs[output].size());
      EXPECT_TRUE(std::equal(outputs[output].begin(), outputs[output].end(), begin)) << row;
    }
  }
}

TEST(DsaSparseAttentionProperty, TokensThatNobodyNamesAreNotRead) {
  OperatorTrial trial = filled(kSmall, make_workload(kSmall, 2, 30, "poison"), 35);
  const auto before = trial.reference();
  const CallView call(kSmall, trial.arguments());
  std::vector<bool> named(call.tokens(), false);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (const std::size_t slot : call.valid_slots(row)) {
      named[call.token(row, slot)] = true;
    }
  }
  for (std::size_t token = 0; token < call.tokens(); ++token) {
    if (!named[token]) {
      std::ranges::fill(call.ckv(token).bytes(), std::byte{0xff});
      std::ranges::fill(call.kpe(token).bytes(), std::byte{0xff});
    }
  }
  expect_agree(trial.reference(), before, 0, "poisoned");
}

TEST(DsaSparseAttentionReference, IndicesThatAreNoTokensAreNamed) {
  OperatorTrial trial = filled(kSmall, make_workload(kSmall, 2, 3, "range"), 36);
  const CallView call(kSmall, trial.arguments());
  Outputs outputs;
  for (const std::int32_t bad : {-2, 48, std::numeric_limits<std::int32_t>::max()}) {
    call.set_index(1, 5, bad);
    const auto result = small_instance().reference(trial.axes(), trial.const_arguments(), outputs);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().owner, base::Owner::input);
    EXPECT_THAT(result.error().message, HasSubstr("sparse_indices[1, 5]"));
    EXPECT_THAT(result.error().message, HasSubstr("= 47; it is " + std::to_string(bad)));
  }
  call.set_index(1, 5, 47);
  EXPECT_TRUE(small_instance().reference(trial.axes(), trial.const_arguments(), outputs).has_value());
}

TEST(DsaSparseAttentionReference, ArgumentsThatDoNotFitAreErrors) {
  OperatorTrial trial = filled(kSmall, make_workload(kSmall, 1, 2, "fit"), 37);
  auto inputs = trial.const_arguments();
  Outputs outputs;
  const auto expect_error = [&](const task::AxisValues& axes, const char* part) {
    const auto result = small_instance().reference(axes, inputs, outputs);
    ASSERT_FALSE(result.has_value()) << part;
    EXPECT_EQ(result.error().owner, base::Owner::internal);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  };
  expect_error({}, "num_tokens");
  expect_error({{"num_tokens", 1}}, "num_pages");
  expect_error({{"num_tokens", 0}, {"num_pages", 2}}, "num_tokens > 0");
  expect_error({{"num_tokens", 1}, {"num_pages", 3}}, "input 2 (ckv_cache)");
  expect_error({{"num_tokens", 2}, {"num_pages", 2}}, "input 0 (q_nope)");
  std::swap(inputs[kSmScale], inputs[kSparseIndices]);
  expect_error(trial.axes(), "input 4 (sparse_indices) must be a tensor of 64 elements of int32");
  inputs = trial.const_arguments();
  inputs[kSmScale] = inputs[kKpeCache];
  expect_error(trial.axes(), "(sm_scale) must be a scalar");
  inputs.pop_back();
  expect_error(trial.axes(), "six inputs");
}

TEST(DsaSparseAttentionDeathTest, ArgumentsOfAnotherShapeAreBugs) {
  OperatorTrial trial(small_instance(), make_workload(kSmall, 2, 2, "shape"));
  EXPECT_DEATH(CallView(kContest, trial.arguments()), "indices_.size");
  EXPECT_DEATH(CallView(kSmall, trial.arguments().first(5)), "kInputCount");
}

}  // namespace
}  // namespace assay::operators::dsa_sparse_attention
