#include <assay/operators/gdn_decode/operator.hpp>

#include <cmath>

#include <assay/base/error.hpp>
#include <assay/operators/gdn_decode/generator.hpp>
#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/gdn_decode/reference.hpp>
#include <assay/operators/gdn_decode/stress.hpp>
#include <assay/operators/interface.hpp>

namespace assay::operators::gdn_decode {
namespace {

Interface make_interface() {
  using enum tensor::DType;
  const std::vector<std::string> query{"batch_size", "seq_len", "num_q_heads", "head_size"};
  const std::vector<std::string> key{"batch_size", "seq_len", "num_k_heads", "head_size"};
  const std::vector<std::string> value{"batch_size", "seq_len", "num_v_heads", "head_size"};
  const std::vector<std::string> state{"batch_size", "num_v_heads", "head_size", "head_size"};
  const std::vector<std::string> gate{"batch_size", "seq_len", "num_v_heads"};
  const std::vector<std::string> head{"num_v_heads"};
  return {
      .name = "gdn_decode_qk4_v8_d128_k_last",
      .axes = {{"batch_size", std::nullopt},
               {"seq_len", 1},
               {"num_q_heads", kQueryHeads},
               {"num_k_heads", kQueryHeads},
               {"num_v_heads", kValueHeads},
               {"head_size", kHeadSize}},
      .inputs = {{"q", {query, bfloat16}},
                 {"k", {key, bfloat16}},
                 {"v", {value, bfloat16}},
                 {"state", {state, float32}},
                 {"A_log", {head, float32}},
                 {"a", {gate, bfloat16}},
                 {"dt_bias", {head, float32}},
                 {"b", {gate, bfloat16}},
                 {"scale", {std::nullopt, float32}}},
      .outputs = {{"output", {value, bfloat16}}, {"new_state", {state, float32}}},
  };
}

class GdnDecode final : public Operator {
 public:
  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(seed);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(axes, inputs, outputs);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    return make_stress_trial(seed, index, largest_bytes);
  }

  // One sequence: heads do not touch each other.
  [[nodiscard]] std::optional<Chain> chain() const override {
    constexpr std::size_t kSteps = 64;
    task::Workload workload;
    workload.uuid = "chain-gdn_decode";
    workload.axes = {{"batch_size", 1}};
    workload.inputs = {{"scale", task::ScalarInput{1.0 / std::sqrt(static_cast<double>(kHeadSize))}}};
    return Chain{kNewState, kState, kUndecayedKind, kSteps, std::move(workload)};
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes,
                                std::span<const ConstArgument> /*inputs*/) const override {
    const auto heads = static_cast<double>(*task::find(axes, "batch_size") * static_cast<std::int64_t>(kValueHeads));
    constexpr auto kSize = static_cast<double>(kHeadSize);
    // The state is read and written; q and k serve two heads each. S k, the update and S' q take two operations an
    // element each, the decay one.
    return {.bytes = heads * (2 * kSize * kSize * sizeof(float) + 3 * kSize * 2 + 4) + 2 * kValueHeads * sizeof(float),
            .operations = heads * 7 * kSize * kSize};
  }

  // docs/operators/gdn_decode.md has the measured errors that these numbers stand on. Norms are taken over
  // each (batch, head): [B, 1, 8 | 128] and [B, 8 | 128, 128].
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output < kOutputCount);
    if (output == kOutput) {
      return {.relative = 0x1p-7,
              .absolute_of_rms = 1e-5,
              .norm = 0x1p-7,
              .norm_axes = 3,
              .error_ratio = 1.5,
              .working = 1e-5,
              .usual_part = 0.75};
    }
    return {.relative = 1e-5,
            .absolute_of_rms = 2e-5,
            .norm = 1e-5,
            .norm_axes = 2,
            .error_ratio = 3,
            .working = 3e-6,
            .usual_part = 0.75};
  }

 private:
  Interface interface_ = make_interface();
};

}  // namespace

const Operator& instance() {
  static const GdnDecode operator_instance;
  return operator_instance;
}

}  // namespace assay::operators::gdn_decode
