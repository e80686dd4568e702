#include <assay/operators/gdn_prefill/operator.hpp>

#include <fmt/format.h>
#include <array>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_prefill/comparison.hpp>
#include <assay/operators/gdn_prefill/generator.hpp>
#include <assay/operators/gdn_prefill/given.hpp>
#include <assay/operators/gdn_prefill/reference.hpp>
#include <assay/operators/workload_lengths.hpp>

namespace assay::operators::gdn_prefill {
namespace {

Interface make_interface(const Dimensions& dimensions) {
  using enum tensor::DType;
  const auto constant = [](std::size_t value) { return std::optional(static_cast<std::int64_t>(value)); };
  const std::vector<std::string> query{"total_seq_len", "num_q_heads", "head_size"};
  const std::vector<std::string> key{"total_seq_len", "num_k_heads", "head_size"};
  const std::vector<std::string> value{"total_seq_len", "num_v_heads", "head_size"};
  const std::vector<std::string> state{"num_seqs", "num_v_heads", "head_size", "head_size"};
  const std::vector<std::string> gate{"total_seq_len", "num_v_heads"};
  const std::vector<std::string> head{"num_v_heads"};
  return {
      .name = fmt::format("gdn_prefill_qk{}_v{}_d{}_k_last", dimensions.query_heads, dimensions.value_heads,
                          dimensions.head_size),
      .axes = {{"total_seq_len", std::nullopt},
               {"num_seqs", std::nullopt},
               {"num_q_heads", constant(dimensions.query_heads)},
               {"num_k_heads", constant(dimensions.query_heads)},
               {"num_v_heads", constant(dimensions.value_heads)},
               {"head_size", constant(dimensions.head_size)},
               {"len_cu_seqlens", std::nullopt}},
      .inputs = {{"q", {query, bfloat16}},
                 {"k", {key, bfloat16}},
                 {"v", {value, bfloat16}},
                 {"state", {state, float32}},
                 {"A_log", {head, float32}},
                 {"a", {gate, bfloat16}},
                 {"dt_bias", {head, float32}},
                 {"b", {gate, bfloat16}},
                 {"cu_seqlens", {std::vector<std::string>{"len_cu_seqlens"}, int64}},
                 {"scale", {std::nullopt, float32}}},
      .outputs = {{"output", {value, bfloat16}}, {"new_state", {state, float32}}},
  };
}

class GdnPrefill final : public Operator {
 public:
  explicit GdnPrefill(const Dimensions& dimensions) : dimensions_(dimensions), interface_(make_interface(dimensions)) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] base::Result<void> check_workload(const task::Workload& workload) const override {
    const std::int64_t sequences = *task::find(workload.axes, "num_seqs");
    const std::int64_t starts = *task::find(workload.axes, "len_cu_seqlens");
    if (starts - 1 != sequences) {
      return base::input_error(
          "workload.axes", fmt::format("workload {}: /axes/len_cu_seqlens: is {}, but num_seqs is {}: give one more",
                                       workload.uuid, starts, sequences));
    }
    const auto tokens = static_cast<std::size_t>(*task::find(workload.axes, "total_seq_len"));
    return check_lengths(
        workload,
        {.count_axis = "num_seqs", .most = tokens, .most_is = "total_seq_len", .total_axis = "total_seq_len"});
  }

  [[nodiscard]] base::Result<void> check_given(const task::Workload& workload,
                                               const task::Named<tensor::ConstView>& inputs) const override {
    const tensor::ConstView* starts = task::find(inputs, "cu_seqlens");
    return starts == nullptr ? base::Result<void>() : check_given_starts(workload, starts->bytes);
  }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(dimensions_, seed);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    return make_stress_trial(dimensions_, interface_.name, seed, index, largest_bytes);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(dimensions_, axes, inputs, outputs);
  }

  /// About what `compare` does, without the errors that the reference estimates: for readers of the rule.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output < kOutputCount);
    if (output == kOutput) {
      return {.relative = 0x1p-7, .absolute_of_rms = 0x1p-5, .norm = 0x1p-6, .norm_axes = 2};
    }
    return {.relative = 0x1p-7, .absolute_of_rms = 0x1p-5, .norm = 0x1p-7, .norm_axes = 3};
  }

  // Kernels multiply in bfloat16, so that the state has errors of such factors, though not of bfloat16 sums.
  [[nodiscard]] int working_bits(std::size_t /*output*/) const override { return 8; }
  [[nodiscard]] std::optional<tensor::Mismatch> compare(const task::AxisValues& /*axes*/,
                                                        std::span<const ConstArgument> /*inputs*/, std::size_t output,
                                                        const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected) const override {
    ASSAY_CHECK(output < kOutputCount && expected.size() == kKeptCount);
    const Tolerance tolerance = tolerance_of(dimensions_, static_cast<Output>(output));
    return compare_with_errors(got, expected[output], expected[tolerance.errors], tolerance.block, tolerance.most);
  }

  // Tokens are read and written once; so are states, but that of an empty sequence need not be read. A token and head
  // takes three products with the state (S k, S q and the update), two operations an element each: what it takes more,
  // the decay or the products within a chunk, depends on the algorithm.
  [[nodiscard]] Work least_work(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const override {
    const auto tokens = static_cast<double>(*task::find(axes, "total_seq_len"));
    const auto sequences = static_cast<std::size_t>(*task::find(axes, "num_seqs"));
    const auto starts = tensor_bytes(inputs, kCuSeqlens, "cu_seqlens", tensor::DType::int64, sequences + 1);
    std::size_t empty = 0;
    for (std::size_t i = 0; starts && i < sequences; ++i) {
      empty += load<std::int64_t>(*starts, i) == load<std::int64_t>(*starts, i + 1) ? 1U : 0U;
    }
    const auto heads = static_cast<double>(dimensions_.value_heads);
    const double head_state = static_cast<double>(dimensions_.state_size());
    const double states = 2 * static_cast<double>(sequences) - static_cast<double>(empty);
    return {.bytes = tokens * static_cast<double>(dimensions_.token_bytes()) + states * heads * head_state * 4 +
                     static_cast<double>(sequences + 1) * 8 + 2 * heads * 4,
            .operations = tokens * heads * 6 * head_state};
  }

 private:
  Dimensions dimensions_;
  Interface interface_;
};

}  // namespace

const Operator& contest_instance() {
  static const GdnPrefill operator_instance(kContestDimensions);
  return operator_instance;
}

const Operator& small_instance() {
  static const GdnPrefill operator_instance(kSmallDimensions);
  return operator_instance;
}

std::span<const Operator* const> instances() {
  static const std::array<const Operator*, 2> kInstances = {&contest_instance(), &small_instance()};
  return kInstances;
}

}  // namespace assay::operators::gdn_prefill
