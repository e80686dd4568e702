#include <assay/operators/dsa_topk_indexer/reference.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/placement.hpp>
#include <assay/operators/dsa_topk_indexer/trial_for_test.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The same scores in another form and another precision: token by token, each key scaled first, everything summed in
/// long double with the heads innermost, [token, d, head].
std::vector<long double> scores_token_by_token(const Call& call, std::size_t row) {
  const auto [heads, head_size, topk, page_size] = call.dimensions;
  std::vector<long double> scores;
  for (std::size_t position = 0; position < call.length(row); ++position) {
    const std::size_t page = static_cast<std::size_t>(call.page(row, position / page_size));
    const auto bytes = call.cache.subspan(page * page_size * (head_size + 4), page_size * (head_size + 4));
    const auto scale = load<float>(bytes.subspan(page_size * head_size), position % page_size);
    std::vector<long double> sums(heads);
    for (std::size_t d = 0; d < head_size; ++d) {
      const auto bits = load<std::uint8_t>(bytes, position % page_size * head_size + d);
      const long double key =
          static_cast<long double>(tensor::from_float8_e4m3fn(bits)) * static_cast<long double>(scale);
      for (std::size_t head = 0; head < heads; ++head) {
        const auto q = load<std::uint8_t>(call.query, (row * heads + head) * head_size + d);
        sums[head] += static_cast<long double>(tensor::from_float8_e4m3fn(q)) * key;
      }
    }
    long double score = 0;
    for (std::size_t head = 0; head < heads; ++head) {
      score += static_cast<long double>(call.weights[row * heads + head]) * std::max(sums[head], 0.0L);
    }
    scores.push_back(score);
  }
  return scores;
}

std::set<double> ids_of(std::span<const double> indices) {
  std::set<double> ids(indices.begin(), indices.end());
  ids.erase(-1);
  return ids;
}

/// Holds the reference against the second implementation, which partitions (nth_element) where the reference sorts.
void expect_agreement(OperatorTrial& trial, const Dimensions& dimensions, const std::string& what) {
  const auto expected = trial.reference();
  const Call call = call_of(trial, dimensions);
  std::size_t at = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    const auto indices = std::span<const double>(expected[kIndices]).subspan(row * dimensions.topk, dimensions.topk);
    ASSERT_EQ(std::count_if(indices.begin(), indices.end(), [](double id) { return id >= 0; }),
              static_cast<std::ptrdiff_t>(call.kept(row)))
        << what << " row " << row;
    if (!call.is_long(row)) {
      for (std::size_t position = 0; position < call.length(row); ++position) {
        ASSERT_EQ(indices[position], static_cast<double>(call.token(row, position))) << what;
      }
      continue;
    }
    const std::vector<long double> scores = scores_token_by_token(call, row);
    long double square = 0;
    long double error = 0;
    std::map<double, long double> score_of;
    for (std::size_t position = 0; position < scores.size(); ++position) {
      square += scores[position] * scores[position];
      error = std::max(error, std::fabs(scores[position] - static_cast<long double>(expected[kScores][at + position])));
      score_of[static_cast<double>(call.token(row, position))] = scores[position];
    }
    at += scores.size();
    const long double rms = std::sqrt(square / static_cast<long double>(scores.size()));
    ASSERT_LE(error, 1e-10L * rms) << what << " row " << row;

    std::vector<long double> best = scores;
    const auto end = best.begin() + static_cast<std::ptrdiff_t>(dimensions.topk);
    std::nth_element(best.begin(), end - 1, best.end(), std::greater<>());
    std::vector<long double> chosen;
    for (const double id : indices) {
      ASSERT_EQ(score_of.count(id), 1U) << what;
      chosen.push_back(score_of[id]);
    }
    std::sort(best.begin(), end);
    std::sort(chosen.begin(), chosen.end());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      ASSERT_LE(std::fabs(chosen[i] - best[i]), 1e-10L * rms) << what << " row " << row;
    }
  }
  EXPECT_EQ(at, expected[kScores].size()) << what;
  EXPECT_EQ(at, expected[kSlacks].size()) << what;
}

TEST(DsaTopkReference, AgreesWithASecondImplementationOnEveryKindOfContentsAndShape) {
  const auto generator = small().make_generator(1);
  for (std::uint64_t index = 0; index < 200; ++index) {
    OperatorTrial trial = stressed_trial(small(), *generator, 1, index);
    expect_agreement(trial, kSmall, fmt::format("small {}", index));
  }
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>{0}, {1}, {63, 64, 65}, {15, 16, 17, 79, 80, 81}, {500, 3, 333}}) {
    OperatorTrial trial = official_trial(small(), make_workload(kSmall, lengths, "second"), 4);
    expect_agreement(trial, kSmall, "small");
  }
  OperatorTrial trial = official_trial(contest(), make_workload(kContest, {2049, 100, 0}, "second"), 4);
  expect_agreement(trial, kContest, "contest");
}

/// Rows of 66 tokens, of which the 64 highest are chosen. Everything is 0, but for scales of 1.
class DsaTopkByHand : public testing::Test {
 protected:
  DsaTopkByHand() : trial_(small(), make_workload(kSmall, {66, 66}, "hand", 5, 3)) {
    for (std::size_t row = 0; row < 2; ++row) {
      store(trial_.input(kSeqLens).bytes, row, std::int32_t{66});
      for (std::size_t entry = 0; entry < 5; ++entry) {
        // Row 0 has pages 5, 4, 3, 2, 1; row 1 has 6 to 10.
        store(trial_.input(kBlockTable).bytes, row * 5 + entry,
              static_cast<std::int32_t>(row == 0 ? 5 - entry : 6 + entry));
      }
    }
    for (std::size_t token = 0; token < trial_.axis("num_pages") * 16; ++token) {
      store(trial_.input(kCache).bytes.subspan(kSmall.scale_at(token)), 0, 1.0F);
    }
  }

  void set_query(std::size_t row, std::size_t head, std::size_t d, float value) {
    store(trial_.input(kQuery).bytes, (row * 8 + head) * 32 + d, tensor::to_float8_e4m3fn(value));
  }
  void set_key(std::size_t token, std::size_t d, float value) {
    store(trial_.input(kCache).bytes, kSmall.key_at(token) + d, tensor::to_float8_e4m3fn(value));
  }
  void set_scale(std::size_t token, float scale) {
    store(trial_.input(kCache).bytes.subspan(kSmall.scale_at(token)), 0, scale);
  }
  void set_weight(std::size_t row, std::size_t head, float weight) {
    store(trial_.input(kWeights).bytes, row * 8 + head, weight);
  }
  [[nodiscard]] std::vector<double> row(const ExpectedValues& values, std::size_t row, std::size_t size) const {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * size);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

  OperatorTrial trial_;
};

TEST_F(DsaTopkByHand, AScoreIsTheWeightedSumOfPositiveProducts) {
  // Position 20 of row 0 lies on its second page, number 4, at place 4: token 68.
  set_query(0, 0, 0, 2);
  set_query(0, 1, 1, 1);
  set_query(0, 7, 31, -4);
  set_weight(0, 0, 3);
  set_weight(0, 1, -5);
  set_weight(0, 7, 0.5F);
  set_key(68, 0, 1.5F);
  set_key(68, 1, 8);
  set_key(68, 31, -16);
  set_scale(68, 0.25F);
  // 1/4 (3 * 2 * 1.5 - 5 * 8 + 1/2 * 64) = 1/4 (9 - 40 + 32).
  EXPECT_DOUBLE_EQ(trial_.reference()[kScores][20], 0.25);
  set_key(68, 1, -8);  // Now the second head's product is negative, and counts nothing.
  EXPECT_DOUBLE_EQ(trial_.reference()[kScores][20], 0.25 * 41);
  set_key(68, 31, 16);
  EXPECT_DOUBLE_EQ(trial_.reference()[kScores][20], 0.25 * 9);
  set_scale(68, 0);
  EXPECT_EQ(trial_.reference()[kScores][20], 0);
}

TEST_F(DsaTopkByHand, TheHighestAreChosenAndTheLowestLeftOut) {
  set_query(0, 3, 5, 1);
  set_weight(0, 3, -1);
  set_query(1, 3, 5, 1);
  set_weight(1, 3, 2);
  // Row 0: two tokens score less than 0. Position 7 is token 87, position 65 (page 1, place 1) token 17.
  set_key(87, 5, 3);
  set_key(17, 5, 0.5F);
  // Row 1: one scores more than 0, token 160 at position 64.
  set_key(160, 5, 1);
  const auto outputs = trial_.reference();
  const auto first = row(outputs[kIndices], 0, 64);
  EXPECT_EQ(std::count(first.begin(), first.end(), 87), 0);
  EXPECT_EQ(std::count(first.begin(), first.end(), 17), 0);
  EXPECT_EQ(ids_of(first).size(), 64U);
  EXPECT_EQ(row(outputs[kIndices], 1, 64)[0], 160) << "the highest comes first";
  EXPECT_EQ(outputs[kScores][7], -3);
  EXPECT_EQ(outputs[kScores][65], -0.5);
  EXPECT_EQ(outputs[kScores][66 + 64], 2);
  // Equal scores in the order of positions: row 1 leaves out the last two that score 0.
  EXPECT_EQ(row(outputs[kIndices], 1, 64)[1], 96);
  EXPECT_EQ(ids_of(row(outputs[kIndices], 1, 64)).count(159), 0U);
  EXPECT_EQ(ids_of(row(outputs[kIndices], 1, 64)).count(161), 0U);
}

TEST_F(DsaTopkByHand, ShortRowsKeepEveryTokenInOrderAndPadTheRest) {
  store(trial_.input(kSeqLens).bytes, 0, std::int32_t{18});
  store(trial_.input(kSeqLens).bytes, 1, std::int32_t{0});
  const auto outputs = trial_.reference();
  const auto first = row(outputs[kIndices], 0, 64);
  EXPECT_EQ(first[0], 80);
  EXPECT_EQ(first[15], 95);
  EXPECT_EQ(first[16], 64);
  EXPECT_EQ(first[17], 65);
  EXPECT_EQ(std::count(first.begin() + 18, first.end(), -1), 46);
  const auto second = row(outputs[kIndices], 1, 64);
  EXPECT_EQ(std::count(second.begin(), second.end(), -1), 64);
  EXPECT_TRUE(outputs[kScores].empty());
}

TEST_F(DsaTopkByHand, ANaNComesFirstAndItsSlackIsInfinite) {
  store(trial_.input(kCache).bytes, kSmall.key_at(70) + 3, std::uint8_t{0x7f});
  set_weight(0, 0, 1);
  set_query(0, 0, 3, 1);
  const auto outputs = trial_.reference();
  EXPECT_EQ(row(outputs[kIndices], 0, 64)[0], 70);
  EXPECT_TRUE(std::isnan(outputs[kScores][22]));
  EXPECT_TRUE(std::isinf(outputs[kSlacks][22]));
  EXPECT_TRUE(std::isfinite(outputs[kSlacks][23]));
}

TEST_F(DsaTopkByHand, AScoreThatFloat32MayNotHoldHasAnInfiniteSlack) {
  set_weight(0, 0, 1e30F);
  set_query(0, 0, 3, 1);
  set_key(70, 3, 1);
  set_scale(70, 1e9F);  // 1e39.
  set_key(71, 3, 1);
  set_scale(71, 1e7F);  // 1e37.
  const auto outputs = trial_.reference();
  EXPECT_TRUE(std::isinf(outputs[kSlacks][22]));
  EXPECT_NEAR(outputs[kSlacks][23], 0x1p-14 * 1e37, 1e28);
}

TEST(DsaTopkReference, TheSlackIsAPartOfWhatIsAddedUpAndNeverLessThanUnderflow) {
  OperatorTrial trial = official_trial(small(), make_workload(kSmall, {100}, "slack"), 3);
  const auto outputs = trial.reference();
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_GT(outputs[kSlacks][i], 0x1p-14 * std::fabs(outputs[kScores][i]));
  }
  std::memset(trial.input(kCache).bytes.data(), 0, trial.input(kCache).bytes.size());
  const auto zeros = trial.reference();
  EXPECT_GT(zeros[kSlacks][5], 0);
  EXPECT_LT(zeros[kSlacks][5], 1e-33);
}

// Properties -------------------------------------------------------------------------------------------------------

std::vector<std::vector<double>> rows_of(const ExpectedValues& values, std::size_t size) {
  std::vector<std::vector<double>> rows;
  for (auto at = values.begin(); at != values.end(); at += static_cast<std::ptrdiff_t>(size)) {
    rows.emplace_back(at, at + static_cast<std::ptrdiff_t>(size));
  }
  return rows;
}

/// Copies a row's own inputs, which all tensors but the cache have in front.
void copy_row(OperatorTrial& from, std::size_t from_row, OperatorTrial& to, std::size_t to_row) {
  for (const std::size_t input : {kQuery, kWeights, kSeqLens, kBlockTable}) {
    const std::size_t size = from.input(input).bytes.size() / from.axis("batch_size");
    std::memcpy(to.input(input).bytes.data() + to_row * size, from.input(input).bytes.data() + from_row * size, size);
  }
}

TEST(DsaTopkProperty, RowsDoNotTouchEachOtherWhateverTheirOrderOrBatch) {
  const task::Workload workload = make_workload(kSmall, {300, 10, 65, 0, 170}, "rows");
  OperatorTrial all = official_trial(small(), workload, 5);
  const auto together = rows_of(all.reference()[kIndices], 64);
  const auto subset = [&](const std::vector<std::size_t>& rows) {
    task::Workload part = workload;
    part.axes[0].second = static_cast<std::int64_t>(rows.size());
    OperatorTrial trial(small(), part);
    std::memcpy(trial.input(kCache).bytes.data(), all.input(kCache).bytes.data(), all.input(kCache).bytes.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      copy_row(all, rows[i], trial, i);
    }
    return rows_of(trial.reference()[kIndices], 64);
  };
  EXPECT_THAT(subset({4, 2, 0, 3, 1}), ElementsAre(together[4], together[2], together[0], together[3], together[1]));
  EXPECT_THAT(subset({2}), ElementsAre(together[2]));
  EXPECT_THAT(subset({0, 4}), ElementsAre(together[0], together[4]));
}

TEST(DsaTopkProperty, PagesMayLieAnywhere) {
  const task::Workload workload = make_workload(kSmall, {300, 90}, "pages");
  OperatorTrial trial = official_trial(small(), workload, 6);
  OperatorTrial moved(small(), workload);
  copy_row(trial, 0, moved, 0);
  copy_row(trial, 1, moved, 1);
  const std::size_t pages = trial.axis("num_pages");
  std::vector<std::int32_t> to(pages);
  std::iota(to.begin(), to.end(), 0);
  base::Philox random(1, 2);
  shuffle<std::int32_t>(to, random);
  for (std::size_t page = 0; page < pages; ++page) {
    std::memcpy(moved.input(kCache).bytes.data() + static_cast<std::size_t>(to[page]) * kSmall.page_bytes(),
                trial.input(kCache).bytes.data() + page * kSmall.page_bytes(), kSmall.page_bytes());
  }
  for (std::int32_t& page : moved.in<std::int32_t>(kBlockTable)) {
    page = to[static_cast<std::size_t>(page)];
  }
  auto expected = trial.reference()[kIndices];
  for (double& id : expected) {
    const auto token = static_cast<std::size_t>(std::max(id, 0.0));
    id = id < 0 ? id : static_cast<double>(static_cast<std::size_t>(to[token / 16]) * 16 + token % 16);
  }
  EXPECT_EQ(moved.reference()[kIndices], expected);
}

TEST(DsaTopkProperty, HeadsMayChangePlacesAndPositiveFactorsChangeNothing) {
  OperatorTrial trial = official_trial(small(), make_workload(kSmall, {300, 90}, "factors"), 7);
  const auto before = trial.reference();
  for (float& weight : trial.in<float>(kWeights)) {
    weight *= 0x1p20F;
  }
  for (std::size_t token = 0; token < trial.axis("num_pages") * 16; ++token) {
    const auto scale = trial.input(kCache).bytes.subspan(kSmall.scale_at(token));
    store(scale, 0, load<float>(scale, 0) * 0x1p-7F);
  }
  const auto scaled = trial.reference();
  EXPECT_EQ(scaled[kIndices], before[kIndices]);
  EXPECT_EQ(scaled[kScores][17], before[kScores][17] * 0x1p13);
  const auto query = trial.in<std::uint8_t>(kQuery);
  std::swap_ranges(query.begin(), query.begin() + 32, query.begin() + 5 * 32);
  std::swap(trial.in<float>(kWeights)[0], trial.in<float>(kWeights)[5]);
  EXPECT_EQ(trial.reference()[kIndices], before[kIndices]);
}

TEST(DsaTopkReference, ArgumentsThatDoNotFitAreErrors) {
  OperatorTrial trial = official_trial(small(), make_workload(kSmall, {70, 3}, "errors"), 8);
  std::vector<ExpectedValues> outputs;
  const auto expect_error = [&](const task::AxisValues& axes, std::span<const ConstArgument> inputs, base::Owner owner,
                                const char* part) {
    const auto result = small().reference(axes, inputs, outputs);
    ASSERT_FALSE(result.has_value()) << part;
    EXPECT_EQ(result.error().owner, owner);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  };
  const auto inputs = trial.const_arguments();
  EXPECT_TRUE(small().reference(trial.axes(), inputs, outputs).has_value());
  expect_error({}, inputs, base::Owner::internal, "batch_size");
  expect_error(trial.axes(), std::span(inputs).first(4), base::Owner::internal, "five inputs");
  auto axes = trial.axes();
  for (auto& [name, value] : axes) {
    value += name == "num_pages" ? 1 : 0;
  }
  expect_error(axes, inputs, base::Owner::internal, "input 1 (k_index_cache_fp8)");
  auto wrong = inputs;
  std::get<tensor::ConstView>(wrong[kWeights]).dtype = tensor::DType::int32;
  expect_error(trial.axes(), wrong, base::Owner::internal, "input 2 (weights) must be a tensor of 16 elements");
}

TEST(DsaTopkReference, LengthsAndPagesOutOfRangeAreNamed) {
  OperatorTrial trial = official_trial(small(), make_workload(kSmall, {70, 3}, "range"), 8);
  std::vector<ExpectedValues> outputs;
  const auto error = [&] {
    const auto result = small().reference(trial.axes(), trial.const_arguments(), outputs);
    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(result.error().owner, base::Owner::input);
    return result.error().message;
  };
  const std::span<std::int32_t> lengths = trial.in<std::int32_t>(kSeqLens);
  const std::span<std::int32_t> table = trial.in<std::int32_t>(kBlockTable);
  lengths[1] = 81;
  EXPECT_THAT(error(), HasSubstr("seq_lens[1] must be from 0 to max_num_pages * page_size = 80; it is 81"));
  lengths[1] = -1;
  EXPECT_THAT(error(), HasSubstr("seq_lens[1]"));
  lengths[1] = 17;
  table[5 + 1] = static_cast<std::int32_t>(trial.axis("num_pages"));
  EXPECT_THAT(error(), HasSubstr("block_table[1, 1] must be a page of the cache"));
  table[5 + 1] = -1;
  EXPECT_THAT(error(), HasSubstr("it is -1"));
  lengths[1] = 16;
  EXPECT_TRUE(small().reference(trial.axes(), trial.const_arguments(), outputs).has_value())
      << "what lies beyond a row's end means nothing";
}

}  // namespace
}  // namespace assay::operators::dsa_topk_indexer
