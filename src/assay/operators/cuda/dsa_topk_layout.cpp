#include <assay/operators/cuda/dsa_topk_layout.hpp>

#include <fmt/format.h>
#include <limits>

#include <assay/operators/arguments.hpp>
#include <assay/operators/cuda/device_code.hpp>
#include <assay/operators/dsa_topk_indexer/operator.hpp>

namespace assay::operators::cuda {
namespace {

using dsa_topk_indexer::Dimensions;

constexpr std::size_t kMostRows = 65535;  // Of a grid.

template <class T>
base::Result<const T*> pointer(std::span<const DeviceArgument> inputs, std::size_t position, std::string_view name,
                               tensor::DType dtype, std::size_t elements) {
  ASSAY_TRY_ASSIGN(const auto address, device_address(inputs, position, name, dtype, elements));
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr): of the device.
}

}  // namespace

std::optional<Dimensions> topk_dimensions(std::string_view definition_name) {
  for (const Operator* op : dsa_topk_indexer::instances()) {
    if (op->definition_name() == definition_name) {
      const auto constant = [&](std::string_view axis) {
        const std::optional<std::int64_t>* const value = task::find(op->interface().axes, axis);
        ASSAY_CHECK(value != nullptr && value->has_value());
        return static_cast<std::size_t>(**value);
      };
      return Dimensions{.heads = constant("num_index_heads"),
                        .head_size = constant("index_head_dim"),
                        .topk = constant("topk"),
                        .page_size = constant("page_size")};
    }
  }
  return std::nullopt;
}

base::Result<TopkCall> topk_sizes(const Dimensions& dimensions, const task::AxisValues& axes) {
  ASSAY_TRY_ASSIGN(const std::size_t rows, axis_value(axes, "batch_size"));
  ASSAY_TRY_ASSIGN(const std::size_t width, axis_value(axes, "max_num_pages"));
  ASSAY_TRY_ASSIGN(const std::size_t pages, axis_value(axes, "num_pages"));
  constexpr std::size_t kMostTokens = std::numeric_limits<std::int32_t>::max();
  if (rows == 0 || width == 0 || pages == 0 || rows > kMostRows || width > kMostTokens / dimensions.page_size ||
      pages > kMostTokens / dimensions.page_size) {
    return base::internal_error(
        "operator.arguments",
        fmt::format("dsa_topk_indexer on a GPU needs 1 to {} rows and no more tokens than an int32 can name; there are "
                    "{} rows, {} pages in the table and {} in the cache",
                    kMostRows, rows, width, pages));
  }
  TopkCall call;
  call.rows = static_cast<std::uint32_t>(rows);
  call.table_width = static_cast<std::uint32_t>(width);
  call.pages = static_cast<std::uint32_t>(pages);
  call.heads = static_cast<std::uint32_t>(dimensions.heads);
  call.head_size = static_cast<std::uint32_t>(dimensions.head_size);
  call.topk = static_cast<std::uint32_t>(dimensions.topk);
  call.page_size = static_cast<std::uint32_t>(dimensions.page_size);
  return call;
}

base::Result<TopkCall> topk_call(const Dimensions& dimensions, const task::AxisValues& axes,
                                 std::span<const DeviceArgument> inputs) {
  using enum tensor::DType;
  using namespace dsa_topk_indexer;
  ASSAY_TRY_ASSIGN(TopkCall call, topk_sizes(dimensions, axes));
  const std::size_t rows = call.rows;
  ASSAY_TRY_ASSIGN(
      call.query, pointer<std::uint8_t>(inputs, kQuery, "q_index_fp8", float8_e4m3fn, rows * dimensions.query_bytes()));
  ASSAY_TRY_ASSIGN(call.cache, pointer<std::uint8_t>(inputs, kCache, "k_index_cache_fp8", int8,
                                                     call.pages * dimensions.page_bytes()));
  ASSAY_TRY_ASSIGN(call.weights, pointer<float>(inputs, kWeights, "weights", float32, rows * dimensions.heads));
  ASSAY_TRY_ASSIGN(call.lengths, pointer<std::int32_t>(inputs, kSeqLens, "seq_lens", int32, rows));
  ASSAY_TRY_ASSIGN(call.table,
                   pointer<std::int32_t>(inputs, kBlockTable, "block_table", int32, rows * call.table_width));
  return call;
}

}  // namespace assay::operators::cuda
