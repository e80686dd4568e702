#include <assay/operators/dsa_topk_indexer/operator.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_topk_indexer/call.hpp>
#include <assay/operators/dsa_topk_indexer/comparison.hpp>
#include <assay/operators/dsa_topk_indexer/generator.hpp>
#include <assay/operators/dsa_topk_indexer/given.hpp>
#include <assay/operators/dsa_topk_indexer/layout.hpp>
#include <assay/operators/dsa_topk_indexer/reference.hpp>
#include <assay/operators/dsa_topk_indexer/stress.hpp>
#include <assay/operators/interface.hpp>
#include <assay/operators/workload_lengths.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

Interface make_interface(const Dimensions& dimensions) {
  using enum tensor::DType;
  const auto constant = [](std::size_t value) { return std::optional(static_cast<std::int64_t>(value)); };
  const std::vector<std::string> query{"batch_size", "num_index_heads", "index_head_dim"};
  const std::vector<std::string> cache{"num_pages", "page_size", "kv_cache_num_heads", "head_dim_with_scale"};
  const std::vector<std::string> weights{"batch_size", "num_index_heads"};
  return {
      .name = fmt::format("dsa_topk_indexer_fp8_h{}_d{}_topk{}_ps{}", dimensions.heads, dimensions.head_size,
                          dimensions.topk, dimensions.page_size),
      .axes = {{"batch_size", std::nullopt},
               {"num_index_heads", constant(dimensions.heads)},
               {"index_head_dim", constant(dimensions.head_size)},
               {"page_size", constant(dimensions.page_size)},
               {"topk", constant(dimensions.topk)},
               {"max_num_pages", std::nullopt},
               {"num_pages", std::nullopt},
               {"kv_cache_num_heads", 1},
               {"head_dim_with_scale", constant(dimensions.head_size + sizeof(float))}},
      .inputs = {{"q_index_fp8", {query, float8_e4m3fn}},
                 {"k_index_cache_fp8", {cache, int8}},
                 {"weights", {weights, float32}},
                 {"seq_lens", {std::vector<std::string>{"batch_size"}, int32}},
                 {"block_table", {std::vector<std::string>{"batch_size", "max_num_pages"}, int32}}},
      .outputs = {{"topk_indices", {std::vector<std::string>{"batch_size", "topk"}, int32}}},
  };
}

class DsaTopkIndexer final : public Operator {
 public:
  explicit DsaTopkIndexer(const Dimensions& dimensions)
      : dimensions_(dimensions), interface_(make_interface(dimensions)) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] base::Result<void> check_workload(const task::Workload& workload) const override {
    ASSAY_TRY(check_token_ids(workload, "num_pages", dimensions_.page_size));
    ASSAY_TRY(check_token_ids(workload, "max_num_pages", dimensions_.page_size));
    const auto width = static_cast<std::size_t>(*task::find(workload.axes, "max_num_pages"));
    return check_lengths(
        workload,
        {.count_axis = "batch_size", .most = width * dimensions_.page_size, .most_is = "max_num_pages * page_size"});
  }

  [[nodiscard]] base::Result<void> check_given(const task::Workload& workload,
                                               const task::Named<tensor::ConstView>& inputs) const override {
    const tensor::ConstView* lengths = task::find(inputs, "seq_lens");
    const tensor::ConstView* table = task::find(inputs, "block_table");
    const std::span<const std::byte> none;
    return check_given_rows(dimensions_, workload, lengths ? lengths->bytes : none, table ? table->bytes : none);
  }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(dimensions_, seed);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    return make_stress_trial(dimensions_, seed, index, largest_bytes);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(dimensions_, axes, inputs, outputs);
  }

  // An element has no tolerance: ids are equal or not, and sets are compared.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output == 0);
    return {};
  }

  [[nodiscard]] std::optional<tensor::Mismatch> compare(const task::AxisValues& axes,
                                                        std::span<const ConstArgument> inputs, std::size_t output,
                                                        const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected) const override {
    ASSAY_CHECK(output == 0);
    return compare_sets(checked_call(axes, inputs), got, expected);
  }

  [[nodiscard]] std::optional<tensor::Mismatch> official_compare(
      const task::AxisValues& axes, std::span<const ConstArgument> inputs, std::size_t output,
      const tensor::ConstView& got, std::span<const ExpectedValues> expected) const override {
    return compare_sets_officially(checked_call(axes, inputs), got, expected, official_rule(output));
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const override {
    const Call call = checked_call(axes, inputs);
    Work work;
    work.bytes = static_cast<double>(call.rows * (1 + dimensions_.topk) * sizeof(std::int32_t));
    std::vector<std::size_t> read(call.pages);  // Tokens of each page: a page that rows share is read once.
    for (std::size_t row = 0; row < call.rows; ++row) {
      const std::size_t length = call.length(row);
      work.bytes += static_cast<double>(dimensions_.pages_of(length) * sizeof(std::int32_t));
      if (!call.is_long(row)) {
        continue;
      }
      work.bytes += static_cast<double>(dimensions_.query_bytes() + dimensions_.heads * sizeof(float));
      // A dot product, its ReLU and its weighted sum for each head; the scale.
      work.operations += static_cast<double>(length * (dimensions_.heads * (2 * dimensions_.head_size + 3) + 1));
      for (std::size_t first = 0; first < length; first += dimensions_.page_size) {
        std::size_t& tokens = read[static_cast<std::size_t>(call.page(row, first / dimensions_.page_size))];
        tokens = std::max(tokens, std::min(dimensions_.page_size, length - first));
      }
    }
    for (const std::size_t tokens : read) {
      work.bytes += static_cast<double>(tokens * (dimensions_.head_size + sizeof(float)));
    }
    return work;
  }

 private:
  // Whoever asks has inputs that a generator filled or `reference` accepted.
  [[nodiscard]] Call checked_call(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const {
    base::Result<Call> call = read_call(dimensions_, axes, inputs);
    ASSAY_CHECK(call.has_value());
    return std::move(*call);
  }

  Dimensions dimensions_;
  Interface interface_;
};

}  // namespace

std::span<const Operator* const> instances() {
  static const DsaTopkIndexer contest(Dimensions{});
  static const DsaTopkIndexer small(Dimensions{.heads = 8, .head_size = 32, .topk = 64, .page_size = 16});
  static const std::array<const Operator*, 2> all = {&contest, &small};
  return all;
}

}  // namespace assay::operators::dsa_topk_indexer
