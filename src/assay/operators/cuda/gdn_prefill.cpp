#include <fmt/format.h>
#include <cmath>
#include <cstdint>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/operators/gdn_prefill/operator.hpp>

namespace assay::operators::cuda {
namespace prefill {  // Not unnamed alone: a unity build puts files together.
namespace {

using namespace operators::gdn_prefill;
using device::cuda::DevicePointer;
using device::cuda::abi::FunctionHandle;

constexpr unsigned kThreads = 128;  // As gdn_prefill.cu has it.
constexpr std::size_t kLanes = 16;  // That carry one row.
constexpr std::size_t kRowsABlock = 8;
constexpr std::size_t kGatesBytes = 4 * sizeof(double);

class GdnPrefill final : public DeviceReference {
 public:
  GdnPrefill(const Dimensions& dimensions, device::cuda::Module module, FunctionHandle gates, FunctionHandle walk)
      : dimensions_(dimensions), module_(std::move(module)), gates_(gates), walk_(walk) {}

  [[nodiscard]] base::Result<std::vector<std::size_t>> expected_elements(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "total_seq_len"));
    ASSAY_TRY_ASSIGN(const std::size_t sequences, axis_value(axes, "num_seqs"));
    const std::size_t values = tokens * dimensions_.value_heads * dimensions_.head_size;
    const std::size_t state_rows = sequences * dimensions_.value_heads * dimensions_.head_size;
    std::vector<std::size_t> elements(kKeptCount);
    elements[kOutput] = values;
    elements[kOutputError] = values;
    elements[kNewState] = state_rows * dimensions_.head_size;
    elements[kStateError] = state_rows;
    return elements;
  }

  /// The gates of each token and value head.
  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "total_seq_len"));
    return tokens * dimensions_.value_heads * kGatesBytes;
  }

  [[nodiscard]] base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                           std::span<const DevicePointer> expected, DevicePointer scratch,
                                           const device::cuda::Stream& stream) const override {
    using enum tensor::DType;
    ASSAY_TRY(check_counts("gdn_prefill", inputs, kInputCount, expected, kKeptCount));
    ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "total_seq_len"));
    ASSAY_TRY_ASSIGN(const std::size_t sequences, axis_value(axes, "num_seqs"));
    const std::size_t heads = dimensions_.value_heads;
    const std::size_t size = dimensions_.head_size;
    const std::size_t queries = tokens * dimensions_.query_heads * size;
    const std::uint64_t token_heads = tokens * heads;
    ASSAY_TRY_ASSIGN(const DevicePointer q, device_address(inputs, kQ, "q", bfloat16, queries));
    ASSAY_TRY_ASSIGN(const DevicePointer k, device_address(inputs, kK, "k", bfloat16, queries));
    ASSAY_TRY_ASSIGN(const DevicePointer v, device_address(inputs, kV, "v", bfloat16, token_heads * size));
    ASSAY_TRY_ASSIGN(const DevicePointer state,
                     device_address(inputs, kState, "state", float32, sequences * heads * dimensions_.state_size()));
    ASSAY_TRY_ASSIGN(const DevicePointer a_log, device_address(inputs, kALog, "A_log", float32, heads));
    ASSAY_TRY_ASSIGN(const DevicePointer a, device_address(inputs, kA, "a", bfloat16, token_heads));
    ASSAY_TRY_ASSIGN(const DevicePointer dt_bias, device_address(inputs, kDtBias, "dt_bias", float32, heads));
    ASSAY_TRY_ASSIGN(const DevicePointer b, device_address(inputs, kB, "b", bfloat16, token_heads));
    ASSAY_TRY_ASSIGN(const DevicePointer starts,
                     device_address(inputs, kCuSeqlens, "cu_seqlens", int64, sequences + 1));
    ASSAY_TRY_ASSIGN(double scale, device_scalar(inputs, kScale, "scale"));
    scale = scale == 0 ? 1.0 / std::sqrt(static_cast<double>(size)) : scale;
    const auto value_heads = static_cast<int>(heads);
    const auto query_heads = static_cast<int>(dimensions_.query_heads);
    if (tokens != 0) {
      ASSAY_TRY_ASSIGN(const unsigned blocks, blocks_for(token_heads * kLanes, kThreads));
      ASSAY_TRY(device::cuda::launch(gates_, {{blocks, 1, 1}, {kThreads, 1, 1}, 0}, stream, q, k, a_log, a, dt_bias, b,
                                     scale, token_heads, value_heads, query_heads, scratch));
    }
    if (sequences == 0) {
      return {};
    }
    ASSAY_TRY_ASSIGN(const unsigned blocks, blocks_for(sequences * heads * size, kRowsABlock));
    return device::cuda::launch(walk_, {{blocks, 1, 1}, {kThreads, 1, 1}, 0}, stream, q, k, v, state, a_log, starts,
                                scratch, scale, value_heads, query_heads, expected[kOutput], expected[kNewState],
                                expected[kOutputError], expected[kStateError]);
  }

 private:
  Dimensions dimensions_;
  device::cuda::Module module_;
  FunctionHandle gates_;
  FunctionHandle walk_;
};

Made make(std::string_view definition_name) {
  const bool small = definition_name == small_instance().definition_name();
  if (!small && definition_name != contest_instance().definition_name()) {
    return nullptr;
  }
  const Dimensions& dimensions = small ? kSmallDimensions : kContestDimensions;
  ASSAY_TRY_ASSIGN(auto module, device::cuda::load_device_code("gdn_prefill", device::cuda::code::gdn_prefill()));
  const std::string gates_name = fmt::format("assay_gdn_prefill_gates_{}", dimensions.head_size);
  const std::string walk_name = fmt::format("assay_gdn_prefill_walk_{}", dimensions.head_size);
  ASSAY_TRY_ASSIGN(const FunctionHandle gates, module.function(gates_name.c_str()));
  ASSAY_TRY_ASSIGN(const FunctionHandle walk, module.function(walk_name.c_str()));
  return std::make_unique<GdnPrefill>(dimensions, std::move(module), gates, walk);
}

}  // namespace
}  // namespace prefill

Made make_gdn_prefill(std::string_view definition_name) { return prefill::make(definition_name); }

}  // namespace assay::operators::cuda
