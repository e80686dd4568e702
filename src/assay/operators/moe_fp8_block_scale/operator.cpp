#include <assay/operators/moe_fp8_block_scale/operator.hpp>

#include <algorithm>
#include <array>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/interface.hpp>
#include <assay/operators/moe_fp8_block_scale/comparison.hpp>
#include <assay/operators/moe_fp8_block_scale/generator.hpp>
#include <assay/operators/moe_fp8_block_scale/reference.hpp>
#include <assay/operators/moe_fp8_block_scale/stress.hpp>

namespace assay::operators::moe_fp8_block_scale {
namespace {

Interface make_interface(const Dimensions& d) {
  using enum tensor::DType;
  using Shape = std::vector<std::string>;
  const auto value = [](std::size_t size) { return std::optional(static_cast<std::int64_t>(size)); };
  return {
      .name = std::string(d.name),
      .axes = {{"seq_len", std::nullopt},
               {"num_experts", value(d.experts)},
               {"num_local_experts", value(d.local_experts)},
               {"hidden_size", value(d.hidden)},
               {"intermediate_size", value(d.intermediate)},
               {"gemm1_out_size", value(d.gemm1_rows())},
               {"num_hidden_blocks", value(d.hidden_blocks())},
               {"num_intermediate_blocks", value(d.intermediate_blocks())},
               {"num_gemm1_out_blocks", value(d.gemm1_blocks())}},
      .inputs = {{"routing_logits", {Shape{"seq_len", "num_experts"}, float32}},
                 {"routing_bias", {Shape{"num_experts"}, bfloat16}},
                 {"hidden_states", {Shape{"seq_len", "hidden_size"}, float8_e4m3fn}},
                 {"hidden_states_scale", {Shape{"num_hidden_blocks", "seq_len"}, float32}},
                 {"gemm1_weights", {Shape{"num_local_experts", "gemm1_out_size", "hidden_size"}, float8_e4m3fn}},
                 {"gemm1_weights_scale",
                  {Shape{"num_local_experts", "num_gemm1_out_blocks", "num_hidden_blocks"}, float32}},
                 {"gemm2_weights", {Shape{"num_local_experts", "hidden_size", "intermediate_size"}, float8_e4m3fn}},
                 {"gemm2_weights_scale",
                  {Shape{"num_local_experts", "num_hidden_blocks", "num_intermediate_blocks"}, float32}},
                 {"local_expert_offset", {std::nullopt, int32}},
                 {"routed_scaling_factor", {std::nullopt, float32}}},
      .outputs = {{"output", {Shape{"seq_len", "hidden_size"}, bfloat16}}},
  };
}

class MoeFp8BlockScale final : public Operator {
 public:
  explicit MoeFp8BlockScale(const Dimensions& dimensions)
      : dimensions_(dimensions), interface_(make_interface(dimensions)) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

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

  // docs/operators/moe_fp8_block_scale.md has the measured errors that these numbers stand on. Each token by itself.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output == 0);
    return {.relative = 0x1p-7,
            .absolute_of_rms = 0.04,
            .norm = 0.013,
            .norm_axes = 1,
            .error_ratio = 1.75,
            .working = 6e-3,
            .usual_part = 0.75};
  }

  // A kernel may store C in fp8 again, as the published ones do: then all rows are held to a reference that does so too.
  // That is made only for outputs that are near enough to what is right.
  [[nodiscard]] std::optional<tensor::Mismatch> compare(const task::AxisValues& axes,
                                                        std::span<const ConstArgument> inputs, std::size_t output,
                                                        const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected) const override {
    constexpr double kFarthest = 0.1;
    std::optional<tensor::Mismatch> mismatch = compare_output(dimensions_, inputs, got, expected, rule(output));
    if (!mismatch || !(mismatch->worst_block_norm_error < kFarthest)) {
      return mismatch;
    }
    std::vector<ExpectedValues> requantised;
    const auto computed = compute_reference(dimensions_, axes, inputs, requantised, Intermediate::requantised);
    return computed && !compare_output(dimensions_, inputs, got, requantised, kOfRequantised) ? std::nullopt : mismatch;
  }

  [[nodiscard]] OfficialRule official_rule(std::size_t /*output*/) const override {
    return {.absolute = 1, .relative = 0.3, .matched_ratio = 0.9};
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const override {
    const Dimensions& d = dimensions_;
    const Routing routing = route(d, inputs);
    const auto offset =
        static_cast<std::int64_t>(read_scalar(inputs, kLocalExpertOffset, "local_expert_offset").value());
    std::size_t rows = 0;
    std::size_t local_tokens = 0;
    std::vector<bool> active(d.local_experts);
    const std::size_t tokens = axis_value(axes, "seq_len").value();
    for (std::size_t token = 0; token < tokens; ++token) {
      const std::size_t before = rows;
      for (std::size_t i = 0; i < d.top_k; ++i) {
        const std::size_t expert = local_index(d, routing.nominal[token * d.top_k + i].expert, offset);
        if (expert < d.local_experts) {
          active[expert] = true;
          ++rows;
        }
      }
      local_tokens += rows > before ? 1U : 0U;
    }
    const auto experts = static_cast<std::size_t>(std::count(active.begin(), active.end(), true));
    const std::size_t expert_bytes =
        d.gemm1_weights() + d.gemm2_weights() + (d.gemm1_scales() + d.gemm2_scales()) * sizeof(float);
    // Logits and bias of every token decide; only tokens with a local expert need their hidden state.
    const std::size_t bytes = tokens * d.experts * sizeof(float) + d.experts * 2 + experts * expert_bytes +
                              local_tokens * (d.hidden + d.hidden_blocks() * sizeof(float)) + tokens * d.hidden * 2;
    const std::size_t operations = 2 * rows * (d.gemm1_weights() + d.gemm2_weights());
    return {.bytes = static_cast<double>(bytes), .operations = static_cast<double>(operations)};
  }

 private:
  // Sums of another order put an element of C one step of fp8 away here and there: room for that, also in rows that hang
  // on few elements of C, but not for a W1 x that was rounded to bfloat16 before.
  static constexpr tensor::ComparisonRule kOfRequantised = {.relative = 0x1p-7,
                                                            .absolute_of_rms = 0.08,
                                                            .norm = 0.02,
                                                            .norm_axes = 1,
                                                            .error_ratio = 1.5,
                                                            .working = 0.013,
                                                            .usual_part = 0.75};
  Dimensions dimensions_;
  Interface interface_;
};

}  // namespace

std::span<const Operator* const> instances() {
  static const MoeFp8BlockScale contest(kContest);
  static const MoeFp8BlockScale small(kSmall);
  static const std::array<const Operator*, 2> kInstances = {&contest, &small};
  return kInstances;
}

}  // namespace assay::operators::moe_fp8_block_scale
