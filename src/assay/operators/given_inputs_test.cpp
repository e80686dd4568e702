#include <assay/operators/given_inputs.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>
#include <assay/operators/trial_for_test.hpp>

namespace assay::operators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Operator& op_named(std::string_view name) {
  const Operator* found = find_operator(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

constexpr const char* kDecode = "gdn_decode_qk4_v8_d128_k_last";
constexpr const char* kPrefill = "gdn_prefill_qk2_v4_d16_k_last";
constexpr const char* kTopk = "dsa_topk_indexer_fp8_h8_d32_topk64_ps16";
constexpr const char* kAttention = "dsa_sparse_attention_h4_ckv32_kpe8_topk64_ps16";
constexpr const char* kMoe = "moe_fp8_block_scale_ds_routing_topk4_ng4_kg2_e4_h256_i256";

task::Workload workload_of(const std::string& uuid, task::AxisValues axes, std::vector<std::int64_t> lengths = {}) {
  task::Workload workload;
  workload.uuid = uuid;
  workload.axes = std::move(axes);
  workload.lengths = std::move(lengths);
  return workload;
}

task::Workload workload_of(std::string_view name) {
  if (name == kDecode) {
    return workload_of("d", {{"batch_size", 3}});
  }
  if (name == kPrefill) {
    return workload_of("p", {{"total_seq_len", 70}, {"num_seqs", 3}, {"len_cu_seqlens", 4}}, {30, 0, 40});
  }
  if (name == kTopk) {
    return workload_of("t", {{"batch_size", 3}, {"max_num_pages", 9}, {"num_pages", 40}}, {100, 1, 17});
  }
  if (name == kAttention) {
    return workload_of("a", {{"num_tokens", 3}, {"num_pages", 30}}, {64, 3, 0});
  }
  task::Workload moe = workload_of("m", {{"seq_len", 7}});
  moe.inputs = {{"local_expert_offset", task::ScalarInput{std::int64_t{4}}},
                {"routed_scaling_factor", task::ScalarInput{2.5}}};
  return moe;
}

/// A dataset's contents of some inputs: those of a call that somebody else generated.
class Source {
 public:
  Source(std::string_view name, std::vector<std::size_t> positions) : trial_(op_named(name), workload_of(name)) {
    op_named(name).make_generator(77)->fill(workload_of(name), 5, trial_.arguments());
    given_.bytes.resize(trial_.arguments().size());
    for (const std::size_t position : positions) {
      given_.bytes[position] = trial_.input(position).bytes;
    }
  }
  GivenInputs in(Variation variation) {
    given_.variation = variation;
    return given_;
  }
  OperatorTrial& trial() { return trial_; }

 private:
  OperatorTrial trial_;
  GivenInputs given_;
};

OperatorTrial filled(std::string_view name, std::uint64_t call, const GivenInputs& given) {
  OperatorTrial trial(op_named(name), workload_of(name));
  op_named(name).make_generator(3)->fill_given(workload_of(name), call, given, trial.arguments());
  return trial;
}

std::vector<std::byte> bytes(OperatorTrial& trial, std::size_t position) {
  return {trial.input(position).bytes.begin(), trial.input(position).bytes.end()};
}

std::vector<double> sorted_magnitudes(const ExpectedValues& values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](double value) { return std::fabs(value); });
  std::sort(result.begin(), result.end());
  return result;
}

struct Case {
  const char* name;
  std::vector<std::size_t> files;  ///< What the contest keeps in files.
};

std::vector<Case> cases() {
  return {{kDecode, {0, 1, 2, 3, 4, 5, 6, 7}},
          {kPrefill, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
          {kTopk, {dsa_topk_indexer::kSeqLens, dsa_topk_indexer::kBlockTable}},
          {kAttention, {dsa_sparse_attention::kSparseIndices}},
          {kMoe, {moe_fp8_block_scale::kLogits, moe_fp8_block_scale::kBias}}};
}

TEST(GivenInputs, WithoutVariationTheyAreJustThat) {
  for (const auto& [name, files] : cases()) {
    Source source(name, files);
    OperatorTrial trial = filled(name, 2, source.in(Variation::none));
    for (const std::size_t file : files) {
      EXPECT_EQ(bytes(trial, file), bytes(source.trial(), file)) << name << " " << file;
    }
    std::vector<ExpectedValues> outputs;
    const auto done = op_named(name).reference(trial.axes(), trial.const_arguments(), outputs);
    EXPECT_TRUE(done) << done.error().text();
  }
}

TEST(GivenInputs, EachVariationIsNewAndRepeatable) {
  for (const auto& [name, files] : cases()) {
    Source source(name, files);
    std::set<std::vector<std::byte>> seen;
    for (std::uint64_t call = 0; call < 6; ++call) {
      OperatorTrial trial = filled(name, call, source.in(Variation::symmetric));
      OperatorTrial again = filled(name, call, source.in(Variation::symmetric));
      std::vector<std::byte> all;
      for (std::size_t i = 0; i < trial.arguments().size(); ++i) {
        if (std::holds_alternative<tensor::View>(trial.arguments()[i])) {
          const auto part = bytes(trial, i);
          EXPECT_EQ(part, bytes(again, i)) << name << " " << i;
          all.insert(all.end(), part.begin(), part.end());
        }
      }
      seen.insert(all);
      EXPECT_EQ(op_named(name).least_work(trial.axes(), trial.const_arguments()).bytes,
                op_named(name).least_work(source.trial().axes(), source.trial().const_arguments()).bytes)
          << name << ": what decides how long a call takes stays";
    }
    EXPECT_EQ(seen.size(), 6U) << name;
  }
}

// The signs of rows and columns are none of the rule's business: the outputs are those of the given contents, with signs.
TEST(GivenInputs, SignsChangeNoMagnitudeOfAnOutput) {
  for (const char* name : {kDecode, kPrefill}) {
    Source source(name, name == kDecode ? cases()[0].files : cases()[1].files);
    OperatorTrial as_given = filled(name, 1, source.in(Variation::none));
    OperatorTrial varied = filled(name, 1, source.in(Variation::symmetric));
    const auto expected = as_given.reference();
    const auto found = varied.reference();
    for (std::size_t output = 0; output < as_given.output_count(); ++output) {
      EXPECT_NE(found[output], expected[output]) << name;
      const std::vector<double> one = sorted_magnitudes(expected[output]);
      const std::vector<double> other = sorted_magnitudes(found[output]);
      for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_NEAR(other[i], one[i], 1e-12 * (1 + one[i])) << name << " output " << output;
      }
    }
  }
}

// Generated pages belong to the table that is given: none that a row reads is left empty.
TEST(GivenInputs, PagesThatATableNamesAreFilled) {
  Source source(kTopk, cases()[2].files);
  OperatorTrial trial = filled(kTopk, 3, source.in(Variation::symmetric));
  const auto table = trial.in<std::int32_t>(dsa_topk_indexer::kBlockTable);
  const auto cache = trial.input(dsa_topk_indexer::kCache).bytes;
  const std::size_t page_bytes = cache.size() / 40;
  for (std::size_t entry = 0; entry < 7; ++entry) {  // Row 0 has 100 tokens of 16 a page.
    const auto page = cache.subspan(static_cast<std::size_t>(table[entry]) * page_bytes, page_bytes);
    EXPECT_TRUE(std::any_of(page.begin(), page.end(), [](std::byte one) { return one != std::byte{0}; })) << entry;
  }
  const auto given = source.trial().in<std::int32_t>(dsa_topk_indexer::kBlockTable);
  EXPECT_EQ((table[0] - given[0] + 40) % 40, (table[1] - given[1] + 40) % 40) << "all pages moved alike";
  Source indices(kAttention, cases()[3].files);
  OperatorTrial attention = filled(kAttention, 3, indices.in(Variation::symmetric));
  const auto ids = attention.in<std::int32_t>(dsa_sparse_attention::kSparseIndices);
  const auto ckv = attention.in<std::uint16_t>(dsa_sparse_attention::kCkvCache);
  for (std::size_t slot = 0; slot < 64; ++slot) {
    ASSERT_GE(ids[slot], 0);
    const auto key = ckv.subspan(static_cast<std::size_t>(ids[slot]) * 32, 32);
    EXPECT_TRUE(std::any_of(key.begin(), key.end(), [](std::uint16_t one) { return one != 0; })) << slot;
  }
}

TEST(GivenInputs, AnyOtherOperatorTakesIntegersAlwaysAndValuesOnce) {
  const std::vector<float> given_values(4, 7.0F);
  const std::vector<std::int32_t> given_ids = {4, 3, 2, 1};
  class Plain final : public InputGenerator {
    void fill(const task::Workload&, std::uint64_t, std::span<Argument> arguments) override {
      for (const Argument& argument : arguments) {
        std::ranges::fill(std::get<tensor::View>(argument).bytes, std::byte{1});
      }
    }
    void perturb(std::uint64_t, std::uint64_t, std::span<Argument>) override {}
    void fill_stress(std::size_t, const task::Workload&, std::uint64_t, std::span<Argument>) override {}
  };
  std::vector<float> values(4);
  std::vector<std::int32_t> ids(4);
  std::vector<Argument> arguments = {
      tensor::View{"x", tensor::DType::float32, {4}, std::as_writable_bytes(std::span(values))},
      tensor::View{"ids", tensor::DType::int32, {4}, std::as_writable_bytes(std::span(ids))}};
  GivenInputs given{{std::as_bytes(std::span(given_values)), std::as_bytes(std::span(given_ids))}, Variation::none};
  Plain().fill_given({}, 0, given, arguments);
  EXPECT_EQ(values, given_values);
  EXPECT_EQ(ids, given_ids);
  given.variation = Variation::symmetric;
  Plain().fill_given({}, 1, given, arguments);
  EXPECT_NE(values, given_values);
  EXPECT_EQ(ids, given_ids);
}

// What a request can hold and a generator could not lay out.
TEST(OperatorWorkloads, LengthsThatDoNotFitAreTheRequestsFault) {
  const auto fault = [](const char* name, std::vector<std::int64_t> lengths) {
    task::Workload workload = workload_of(name);
    workload.lengths = std::move(lengths);
    const auto result = op_named(name).check_workload(workload);
    if (!result) {
      EXPECT_EQ(result.error().owner, base::Owner::input);
    }
    return result ? std::string() : result.error().text();
  };
  EXPECT_EQ(fault(kTopk, {144, 0, 1}), "");
  EXPECT_EQ(fault(kTopk, {}), "");
  EXPECT_THAT(fault(kTopk, {1, 2}), AllOf(HasSubstr("workload t: /lengths"), HasSubstr("batch_size is 3")));
  EXPECT_THAT(fault(kTopk, {1, 145, 1}), AllOf(HasSubstr("/lengths/1"), HasSubstr("145"), HasSubstr("144")));
  EXPECT_THAT(fault(kTopk, {1, -1, 1}), HasSubstr("/lengths/1"));
  EXPECT_EQ(fault(kAttention, {64, 0, 1}), "");
  EXPECT_THAT(fault(kAttention, {65, 0, 1}), AllOf(HasSubstr("/lengths/0"), HasSubstr("topk")));
  EXPECT_THAT(fault(kAttention, {0}), HasSubstr("num_tokens"));
  EXPECT_EQ(fault(kPrefill, {70, 0, 0}), "");
  EXPECT_THAT(fault(kPrefill, {70, 1, 0}), AllOf(HasSubstr("add up to 71"), HasSubstr("total_seq_len is 70")));
  EXPECT_THAT(fault(kPrefill, {70}), HasSubstr("num_seqs is 3"));
  EXPECT_THAT(fault(kPrefill, {71, 0, 0}), HasSubstr("/lengths/0"));
}

TEST(OperatorWorkloads, AxesThatContradictEachOtherAreTheRequestsFault) {
  task::Workload prefill = workload_of(kPrefill);
  prefill.axes.back().second = 9;
  const auto starts = op_named(kPrefill).check_workload(prefill);
  ASSERT_FALSE(starts);
  EXPECT_THAT(starts.error().text(), AllOf(HasSubstr("/axes/len_cu_seqlens"), HasSubstr("num_seqs is 3")));
  task::Workload topk = workload_of(kTopk);
  topk.axes.back().second = std::int64_t{1} << 31U;
  const auto pages = op_named(kTopk).check_workload(topk);
  ASSERT_FALSE(pages);
  EXPECT_THAT(pages.error().text(), AllOf(HasSubstr("/axes/num_pages"), HasSubstr("int32")));
}

TEST(OperatorWorkloads, GivenContentsThatNoCallCanHaveAreNamed) {
  const auto fault = [](const char* name, const char* input, std::size_t position, std::size_t element, auto value) {
    Source source(name, {});
    tensor::View& view = source.trial().input(position);
    store(view.bytes, element, value);
    const auto result = op_named(name).check_given(workload_of(name), {{input, tensor::as_const(view)}});
    return result ? std::string() : result.error().text();
  };
  using namespace dsa_topk_indexer;
  EXPECT_EQ(fault(kTopk, "block_table", kBlockTable, 6, std::int32_t{39}), "");
  EXPECT_THAT(fault(kTopk, "block_table", kBlockTable, 6, std::int32_t{40}), HasSubstr("block_table[0, 6] is 40"));
  EXPECT_THAT(fault(kTopk, "block_table", kBlockTable, 6, std::int32_t{-1}), HasSubstr("block_table[0, 6]"));
  EXPECT_EQ(fault(kTopk, "block_table", kBlockTable, 7, std::int32_t{-1}), "") << "beyond the row's 100 tokens";
  EXPECT_THAT(fault(kTopk, "seq_lens", kSeqLens, 2, std::int32_t{145}), HasSubstr("seq_lens[2] is 145"));
  EXPECT_THAT(fault(kAttention, "sparse_indices", dsa_sparse_attention::kSparseIndices, 65, std::int32_t{480}),
              AllOf(HasSubstr("sparse_indices[1, 1] is 480"), HasSubstr("below 480")));
  EXPECT_EQ(fault(kAttention, "sparse_indices", dsa_sparse_attention::kSparseIndices, 65, std::int32_t{479}), "");
  EXPECT_THAT(fault(kPrefill, "cu_seqlens", gdn_prefill::kCuSeqlens, 3, std::int64_t{71}),
              HasSubstr("cu_seqlens[3] is 71"));
  EXPECT_THAT(fault(kPrefill, "cu_seqlens", gdn_prefill::kCuSeqlens, 1, std::int64_t{60}), HasSubstr("cu_seqlens[2]"));
}

}  // namespace
}  // namespace assay::operators
