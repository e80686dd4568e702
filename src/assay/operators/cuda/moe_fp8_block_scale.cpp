#include <algorithm>
#include <cstdint>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/cuda/moe_routing.hpp>
#include <assay/operators/cuda/moe_scratch.hpp>
#include <assay/operators/moe_fp8_block_scale/dimensions.hpp>

namespace assay::operators::cuda {
namespace moe {  // Not unnamed alone: a unity build puts files together.
namespace {

using namespace operators::moe_fp8_block_scale;
using device::cuda::DevicePointer;
using device::cuda::Stream;
using device::cuda::abi::FunctionHandle;

constexpr unsigned kTileThreads = 128;  // As moe_tile.cuh has it.
constexpr std::size_t kTileColumns = 128;
constexpr unsigned kGroupThreads = 256;  // As moe_fp8_block_scale.cu has it.
constexpr unsigned kRouteThreads = 32;

/// The products by tiles of so many rows.
struct Products {
  std::size_t rows = 0;
  FunctionHandle first = nullptr;
  FunctionHandle second = nullptr;
};

struct Kernels {
  FunctionHandle route = nullptr;
  FunctionHandle group = nullptr;
  FunctionHandle combine = nullptr;
  Products large;
  Products small;
};

/// The inputs of a call.
struct Call {
  std::size_t tokens = 0;
  DevicePointer logits = 0;
  DevicePointer bias = 0;
  DevicePointer hidden = 0;
  DevicePointer hidden_scale = 0;
  DevicePointer gemm1_weights = 0;
  DevicePointer gemm1_scale = 0;
  DevicePointer gemm2_weights = 0;
  DevicePointer gemm2_scale = 0;
  std::int64_t offset = 0;
  double factor = 0;
};

base::Result<Call> read_call(const Dimensions& d, const task::AxisValues& axes,
                             std::span<const DeviceArgument> inputs) {
  using enum tensor::DType;
  const std::size_t local = d.local_experts;
  Call x;
  ASSAY_TRY_ASSIGN(x.tokens, axis_value(axes, "seq_len"));
  ASSAY_TRY_ASSIGN(x.logits, device_address(inputs, kLogits, "routing_logits", float32, x.tokens * d.experts));
  ASSAY_TRY_ASSIGN(x.bias, device_address(inputs, kBias, "routing_bias", bfloat16, d.experts));
  ASSAY_TRY_ASSIGN(x.hidden, device_address(inputs, kHidden, "hidden_states", float8_e4m3fn, x.tokens * d.hidden));
  ASSAY_TRY_ASSIGN(x.hidden_scale,
                   device_address(inputs, kHiddenScale, "hidden_states_scale", float32, d.hidden_blocks() * x.tokens));
  ASSAY_TRY_ASSIGN(x.gemm1_weights,
                   device_address(inputs, kGemm1Weights, "gemm1_weights", float8_e4m3fn, local * d.gemm1_weights()));
  ASSAY_TRY_ASSIGN(x.gemm1_scale, device_address(inputs, kGemm1WeightsScale, "gemm1_weights_scale", float32,
                                                 local * d.gemm1_scales()));
  ASSAY_TRY_ASSIGN(x.gemm2_weights,
                   device_address(inputs, kGemm2Weights, "gemm2_weights", float8_e4m3fn, local * d.gemm2_weights()));
  ASSAY_TRY_ASSIGN(x.gemm2_scale, device_address(inputs, kGemm2WeightsScale, "gemm2_weights_scale", float32,
                                                 local * d.gemm2_scales()));
  ASSAY_TRY_ASSIGN(const double offset, device_scalar(inputs, kLocalExpertOffset, "local_expert_offset"));
  x.offset = static_cast<std::int64_t>(offset);
  ASSAY_TRY_ASSIGN(x.factor, device_scalar(inputs, kRoutedScalingFactor, "routed_scaling_factor"));
  return x;
}

class MoeFp8BlockScale final : public DeviceReference {
 public:
  MoeFp8BlockScale(const Dimensions& dimensions, device::cuda::Module module, const Kernels& kernels)
      : dimensions_(dimensions), module_(std::move(module)), kernels_(kernels) {
    const auto narrow = [](std::size_t value) { return static_cast<std::int32_t>(value); };
    const Dimensions& d = dimensions;
    sizes_ = {narrow(d.experts), narrow(d.local_experts), narrow(d.hidden), narrow(d.intermediate),
              narrow(d.groups),  narrow(d.kept_groups),   narrow(d.top_k)};
  }

  [[nodiscard]] base::Result<std::vector<std::size_t>> expected_elements(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "seq_len"));
    return std::vector<std::size_t>{tokens * dimensions_.hidden, tokens};
  }

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t tokens, axis_value(axes, "seq_len"));
    return lay_out_moe_scratch(dimensions_, std::min(tokens, kMoeTokensAtATime)).size;
  }

  [[nodiscard]] base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                           std::span<const DevicePointer> expected, DevicePointer scratch,
                                           const Stream& stream) const override {
    ASSAY_TRY(check_counts(dimensions_.name, inputs, kInputCount, expected, 2));
    ASSAY_TRY_ASSIGN(const Call call, read_call(dimensions_, axes, inputs));
    for (std::size_t first = 0; first < call.tokens; first += kMoeTokensAtATime) {
      ASSAY_TRY(
          enqueue_tokens(call, first, std::min(kMoeTokensAtATime, call.tokens - first), expected, scratch, stream));
    }
    return {};
  }

 private:
  base::Result<void> enqueue_tokens(const Call& call, std::size_t first, std::size_t count,
                                    std::span<const DevicePointer> expected, DevicePointer scratch,
                                    const Stream& stream) const {
    using device::cuda::launch;
    const Dimensions& d = dimensions_;
    const MoeScratch at = lay_out_moe_scratch(d, count);
    const auto first_token = static_cast<std::int64_t>(first);
    const auto call_tokens = static_cast<std::int64_t>(call.tokens);
    const auto tokens = static_cast<std::int32_t>(count);
    const DevicePointer local_experts = scratch + at.local_experts;
    const DevicePointer weights = scratch + at.weights;
    const DevicePointer rows = scratch + at.rows;
    const DevicePointer counts = scratch + at.counts;
    const DevicePointer gated = scratch + at.gated;
    const DevicePointer result = scratch + at.result;
    ASSAY_TRY_ASSIGN(const unsigned route_blocks, blocks_for(count, 1));
    ASSAY_TRY(launch(kernels_.route, {{route_blocks, 1, 1}, {kRouteThreads, 1, 1}, 0}, stream, sizes_, call.logits,
                     call.bias, call.offset, call.factor, first_token, local_experts, weights, expected[1]));
    ASSAY_TRY_ASSIGN(const unsigned experts, blocks_for(d.local_experts, 1));
    ASSAY_TRY(launch(kernels_.group, {{experts, 1, 1}, {kGroupThreads, 1, 1}, 0}, stream, sizes_, local_experts, tokens,
                     rows, counts));
    // How many rows an expert has, the host does not know: blocks for as many tiles as there can be, most of which find
    // nothing to do. Small tiles where they are enough for what experts have on average.
    const Products& products = count * d.top_k <= 2 * kernels_.small.rows * d.experts ? kernels_.small : kernels_.large;
    const std::size_t most_rows = count * std::min(d.top_k, d.local_experts);
    ASSAY_TRY_ASSIGN(const unsigned full_tiles, blocks_for(most_rows, products.rows));
    const unsigned tiles = full_tiles + experts;
    ASSAY_TRY_ASSIGN(const unsigned first_columns, blocks_for(d.gemm1_rows(), kTileColumns));
    ASSAY_TRY(launch(products.first, {{first_columns, tiles, 1}, {kTileThreads, 1, 1}, 0}, stream, sizes_, call.hidden,
                     call.hidden_scale, call_tokens, first_token, call.gemm1_weights, call.gemm1_scale, rows, counts,
                     tokens, gated));
    ASSAY_TRY_ASSIGN(const unsigned second_columns, blocks_for(d.hidden, kTileColumns));
    ASSAY_TRY(launch(products.second, {{second_columns, tiles, 1}, {kTileThreads, 1, 1}, 0}, stream, sizes_,
                     call.gemm2_weights, call.gemm2_scale, rows, counts, tokens, gated, result));
    ASSAY_TRY_ASSIGN(const unsigned columns, blocks_for(d.hidden, kGroupThreads));
    return launch(kernels_.combine, {{columns, route_blocks, 1}, {kGroupThreads, 1, 1}, 0}, stream, sizes_,
                  local_experts, weights, result, first_token, expected[0]);
  }

  Dimensions dimensions_;
  MoeSizes sizes_;
  device::cuda::Module module_;
  Kernels kernels_;
};

base::Result<Kernels> find_kernels(const device::cuda::Module& module) {
  Kernels kernels;
  ASSAY_TRY_ASSIGN(kernels.route, module.function("assay_moe_route"));
  ASSAY_TRY_ASSIGN(kernels.group, module.function("assay_moe_group"));
  ASSAY_TRY_ASSIGN(kernels.combine, module.function("assay_moe_combine"));
  kernels.large.rows = 64;
  ASSAY_TRY_ASSIGN(kernels.large.first, module.function("assay_moe_first_64"));
  ASSAY_TRY_ASSIGN(kernels.large.second, module.function("assay_moe_second_64"));
  kernels.small.rows = 16;
  ASSAY_TRY_ASSIGN(kernels.small.first, module.function("assay_moe_first_16"));
  ASSAY_TRY_ASSIGN(kernels.small.second, module.function("assay_moe_second_16"));
  return kernels;
}

Made make(std::string_view definition_name) {
  for (const Dimensions& dimensions : {kContest, kSmall}) {
    if (definition_name != dimensions.name) {
      continue;
    }
    ASSAY_CHECK(dimensions.experts <= kMostExperts && dimensions.groups <= kMostGroups &&
                dimensions.top_k <= kMostChosen && dimensions.hidden % kTileColumns == 0 &&
                dimensions.gemm1_rows() % kTileColumns == 0);
    ASSAY_TRY_ASSIGN(auto module,
                     device::cuda::load_device_code("moe_fp8_block_scale", device::cuda::code::moe_fp8_block_scale()));
    ASSAY_TRY_ASSIGN(const Kernels kernels, find_kernels(module));
    return std::make_unique<MoeFp8BlockScale>(dimensions, std::move(module), kernels);
  }
  return nullptr;
}

}  // namespace
}  // namespace moe

Made make_moe_fp8_block_scale(std::string_view definition_name) { return moe::make(definition_name); }

}  // namespace assay::operators::cuda
