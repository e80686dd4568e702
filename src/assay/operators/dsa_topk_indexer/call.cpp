#include <assay/operators/dsa_topk_indexer/call.hpp>

#include <fmt/format.h>
#include <limits>

#include <assay/operators/arguments.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

template <class T>
base::Result<std::vector<T>> read_elements(std::span<const ConstArgument> inputs, Input position, std::string_view name,
                                           tensor::DType dtype, std::size_t elements) {
  ASSAY_TRY_ASSIGN(const auto bytes, tensor_bytes(inputs, position, name, dtype, elements));
  std::vector<T> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    values[i] = load<T>(bytes, i);
  }
  return values;
}

base::Result<void> check_rows(const Call& call) {
  const std::size_t most = call.table_width * call.dimensions.page_size;
  for (std::size_t row = 0; row < call.rows; ++row) {
    const std::int32_t length = call.lengths[row];
    if (length < 0 || static_cast<std::size_t>(length) > most) {
      return base::input_error(
          "operator.contents",
          fmt::format("seq_lens[{}] must be from 0 to max_num_pages * page_size = {}; it is {}", row, most, length));
    }
    for (std::size_t entry = 0; entry < call.dimensions.pages_of(call.length(row)); ++entry) {
      const std::int32_t page = call.page(row, entry);
      if (page < 0 || static_cast<std::size_t>(page) >= call.pages) {
        return base::input_error("operator.contents",
                                 fmt::format("block_table[{}, {}] must be a page of the cache, from 0 to {}, as row {} "
                                             "has {} tokens; it is {}",
                                             row, entry, call.pages - 1, row, length, page));
      }
    }
  }
  return {};
}

}  // namespace

base::Result<Call> read_call(const Dimensions& dimensions, const task::AxisValues& axes,
                             std::span<const ConstArgument> inputs) {
  Call call;
  call.dimensions = dimensions;
  ASSAY_TRY_ASSIGN(call.rows, axis_value(axes, "batch_size"));
  ASSAY_TRY_ASSIGN(call.table_width, axis_value(axes, "max_num_pages"));
  ASSAY_TRY_ASSIGN(call.pages, axis_value(axes, "num_pages"));
  if (inputs.size() != kInputCount || call.rows == 0 || call.table_width == 0 || call.pages == 0) {
    return base::internal_error("operator.arguments", "dsa_topk_indexer: needs five inputs and no empty axis");
  }
  if (call.pages > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / dimensions.page_size) {
    return base::input_error(
        "operator.contents",
        fmt::format("num_pages must be small enough for token ids to fit int32; it is {}", call.pages));
  }
  using enum tensor::DType;
  ASSAY_TRY_ASSIGN(call.query,
                   tensor_bytes(inputs, kQuery, "q_index_fp8", float8_e4m3fn, call.rows * dimensions.query_bytes()));
  ASSAY_TRY_ASSIGN(call.cache,
                   tensor_bytes(inputs, kCache, "k_index_cache_fp8", int8, call.pages * dimensions.page_bytes()));
  ASSAY_TRY_ASSIGN(call.weights,
                   read_elements<float>(inputs, kWeights, "weights", float32, call.rows * dimensions.heads));
  ASSAY_TRY_ASSIGN(call.lengths, read_elements<std::int32_t>(inputs, kSeqLens, "seq_lens", int32, call.rows));
  ASSAY_TRY_ASSIGN(
      call.table, read_elements<std::int32_t>(inputs, kBlockTable, "block_table", int32, call.rows * call.table_width));
  ASSAY_TRY(check_rows(call));
  return call;
}

Call read_arguments(const Dimensions& dimensions, std::span<const Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  std::vector<ConstArgument> inputs;
  for (const Argument& argument : arguments) {
    inputs.emplace_back(tensor::as_const(std::get<tensor::View>(argument)));
  }
  const tensor::Shape& table = std::get<tensor::View>(arguments[kBlockTable]).shape;
  const tensor::Shape& cache = std::get<tensor::View>(arguments[kCache]).shape;
  auto call =
      read_call(dimensions, {{"batch_size", table[0]}, {"max_num_pages", table[1]}, {"num_pages", cache[0]}}, inputs);
  ASSAY_CHECK(call.has_value());
  return std::move(*call);
}

}  // namespace assay::operators::dsa_topk_indexer
