#include <fmt/format.h>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/cuda/dsa_attention_call.hpp>
#include <assay/operators/cuda/makers.hpp>
#include <assay/operators/dsa_sparse_attention/layout.hpp>

namespace assay::operators::cuda {
namespace sparse_attention {  // Not unnamed alone: a unity build puts files together.
namespace {

using device::cuda::DevicePointer;
using dsa_sparse_attention::Dimensions;

constexpr unsigned kThreads = 256;  // As the kernels have it, …
constexpr std::size_t kSlots = 32;  // … and their tiles.
constexpr std::size_t kColumns = 32;
constexpr std::size_t kHeads = 16;
constexpr std::size_t kMostRows = 65535;  // Of a grid.

struct Functions {
  device::cuda::abi::FunctionHandle logits = nullptr;
  device::cuda::abi::FunctionHandle softmax = nullptr;
  device::cuda::abi::FunctionHandle output = nullptr;
};

class SparseAttention final : public DeviceReference {
 public:
  SparseAttention(const Dimensions& dimensions, device::cuda::Module module, const Functions& functions)
      : dimensions_(dimensions), module_(std::move(module)), functions_(functions) {}

  [[nodiscard]] base::Result<std::vector<std::size_t>> expected_elements(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t queries, queries_of(axes));
    return std::vector<std::size_t>{queries * dimensions_.ckv, queries};
  }

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& axes) const override {
    ASSAY_TRY_ASSIGN(const std::size_t queries, queries_of(axes));
    return queries * (dimensions_.topk + 1) * sizeof(double);
  }

  [[nodiscard]] base::Result<void> enqueue(const task::AxisValues& axes, std::span<const DeviceArgument> inputs,
                                           std::span<const DevicePointer> expected, DevicePointer scratch,
                                           const device::cuda::Stream& stream) const override {
    using namespace dsa_sparse_attention;
    ASSAY_TRY(check_counts(dimensions_.definition, inputs, kInputCount, expected, kOutputCount));
    ASSAY_TRY_ASSIGN(const AttentionCall call, read_call(axes, inputs));
    ASSAY_TRY_ASSIGN(const unsigned queries, blocks_for(std::size_t{call.rows} * call.heads, 1));
    ASSAY_TRY_ASSIGN(const unsigned slot_tiles, blocks_for(call.topk, kSlots));
    ASSAY_TRY_ASSIGN(const unsigned column_tiles, blocks_for(call.ckv, kColumns));
    ASSAY_TRY_ASSIGN(const unsigned head_tiles, blocks_for(call.heads, kHeads));
    const DevicePointer weights = scratch;
    const DevicePointer sums = scratch + std::size_t{queries} * call.topk * sizeof(double);
    ASSAY_TRY(device::cuda::launch(functions_.logits, {{slot_tiles, call.rows, head_tiles}, {kThreads, 1, 1}, 0},
                                   stream, call, weights));
    ASSAY_TRY(device::cuda::launch(functions_.softmax, {{queries, 1, 1}, {kThreads, 1, 1}, 0}, stream, call, weights,
                                   sums, expected[kLse]));
    return device::cuda::launch(functions_.output, {{column_tiles, call.rows, head_tiles}, {kThreads, 1, 1}, 0}, stream,
                                call, weights, sums, expected[kOutput]);
  }

 private:
  [[nodiscard]] base::Result<std::size_t> queries_of(const task::AxisValues& axes) const {
    ASSAY_TRY_ASSIGN(const std::size_t rows, axis_value(axes, "num_tokens"));
    if (rows == 0 || rows > kMostRows) {
      return base::internal_error("operator.arguments", fmt::format("{} on a GPU needs 1 to {} rows; there are {}",
                                                                    dimensions_.definition, kMostRows, rows));
    }
    return rows * dimensions_.heads;
  }

  [[nodiscard]] base::Result<AttentionCall> read_call(const task::AxisValues& axes,
                                                      std::span<const DeviceArgument> inputs) const {
    using enum tensor::DType;
    using namespace dsa_sparse_attention;
    ASSAY_TRY_ASSIGN(const std::size_t queries, queries_of(axes));
    ASSAY_TRY_ASSIGN(const std::size_t pages, axis_value(axes, "num_pages"));
    const std::size_t rows = queries / dimensions_.heads;
    const std::size_t tokens = pages * dimensions_.page_size;
    const auto halves = [&](Input position, std::string_view name,
                            std::size_t elements) -> base::Result<const std::uint16_t*> {
      ASSAY_TRY_ASSIGN(const DevicePointer address, device_address(inputs, position, name, bfloat16, elements));
      return reinterpret_cast<const std::uint16_t*>(address);  // NOLINT(performance-no-int-to-ptr): of the device.
    };
    AttentionCall call;
    ASSAY_TRY_ASSIGN(call.q_nope, halves(kQNope, "q_nope", queries * dimensions_.ckv));
    ASSAY_TRY_ASSIGN(call.q_pe, halves(kQPe, "q_pe", queries * dimensions_.kpe));
    ASSAY_TRY_ASSIGN(call.ckv_cache, halves(kCkvCache, "ckv_cache", tokens * dimensions_.ckv));
    ASSAY_TRY_ASSIGN(call.kpe_cache, halves(kKpeCache, "kpe_cache", tokens * dimensions_.kpe));
    ASSAY_TRY_ASSIGN(const DevicePointer indices,
                     device_address(inputs, kSparseIndices, "sparse_indices", int32, rows * dimensions_.topk));
    call.indices = reinterpret_cast<const std::int32_t*>(indices);  // NOLINT(performance-no-int-to-ptr)
    ASSAY_TRY_ASSIGN(call.sm_scale, device_scalar(inputs, kSmScale, "sm_scale"));
    call.rows = static_cast<std::uint32_t>(rows);
    call.heads = static_cast<std::uint32_t>(dimensions_.heads);
    call.ckv = static_cast<std::uint32_t>(dimensions_.ckv);
    call.kpe = static_cast<std::uint32_t>(dimensions_.kpe);
    call.topk = static_cast<std::uint32_t>(dimensions_.topk);
    call.tokens = static_cast<std::uint32_t>(tokens);
    return call;
  }

  const Dimensions& dimensions_;
  device::cuda::Module module_;
  Functions functions_;
};

}  // namespace
}  // namespace sparse_attention

Made make_dsa_sparse_attention(std::string_view definition_name) {
  for (const dsa_sparse_attention::Dimensions* dimensions :
       {&dsa_sparse_attention::kContest, &dsa_sparse_attention::kSmall}) {
    if (dimensions->definition != definition_name) {
      continue;
    }
    ASSAY_TRY_ASSIGN(auto module, device::cuda::load_device_code("dsa_sparse_attention",
                                                                 device::cuda::code::dsa_sparse_attention()));
    sparse_attention::Functions functions;
    ASSAY_TRY_ASSIGN(functions.logits, module.function("assay_attention_logits"));
    ASSAY_TRY_ASSIGN(functions.softmax, module.function("assay_attention_softmax"));
    ASSAY_TRY_ASSIGN(functions.output, module.function("assay_attention_output"));
    return std::make_unique<sparse_attention::SparseAttention>(*dimensions, std::move(module), functions);
  }
  return nullptr;
}

}  // namespace assay::operators::cuda
