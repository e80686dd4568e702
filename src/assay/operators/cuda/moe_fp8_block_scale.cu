// The mixture-of-experts layer in float64 throughout (moe_fp8_block_scale/reference.hpp has the formula), for some tokens at
// a time: each token's experts, each expert's tokens, the two products expert by expert, and their sum in the order of
// experts. Fp8 codes times their scales are exact in float64. What bounds it is the float64 multiplier.
//
// A "slot" is token * top_k + i: the i-th expert of a token. Arrays over slots have rows for all, of which only those
// of local experts are ever touched.
#include <cstddef>
#include <cstdint>

#include <assay/operators/cuda/arithmetic.hpp>
#include <assay/operators/cuda/moe_routing.hpp>
#include <assay/operators/cuda/moe_tile.cuh>

using namespace assay::operators::cuda;

namespace {

constexpr int kWarp = 32;
constexpr int kGroupThreads = 256;

/// Rows of one expert that a block multiplies.
struct TileRows {
  int expert = -1;  ///< None: the block has nothing to do.
  int first = 0;
  int count = 0;
};

/// Deals the rows of all experts out in tiles of `rows`, expert after expert.
__device__ TileRows find_tile(const std::int32_t* counts, int experts, int tile, int rows) {
  for (int expert = 0; expert < experts; ++expert) {
    const int tiles = (counts[expert] + rows - 1) / rows;
    if (tile < tiles) {
      const int first = tile * rows;
      return {expert, first, counts[expert] - first < rows ? counts[expert] - first : rows};
    }
    tile -= tiles;
  }
  return {};
}

struct Hidden {
  const std::uint8_t* codes;  ///< Of all tokens of the call.
  const float* scales;
  std::int64_t call_tokens;
  std::int64_t first_token;  ///< Of those that are at hand.
};

struct Weights {
  const std::uint8_t* codes;
  const float* scales;

  /// One row of an expert's `rows` rows of `width` elements; scales cover squares.
  __device__ QuantisedPiece<kTileDepth> row(std::size_t expert, std::size_t rows, std::size_t row,
                                            std::size_t width) const {
    return {codes + (expert * rows + row) * width,
            scales + (expert * (rows / kScaleBlock) + row / kScaleBlock) * (width / kScaleBlock), 1};
  }
};

/// The slots of each local expert.
struct Rows {
  const std::int32_t* slots;  ///< [local experts, tokens]
  const std::int32_t* counts;
  std::int32_t tokens;

  __device__ const std::int32_t* of(const TileRows& tile) const {
    return slots + static_cast<std::size_t>(tile.expert) * tokens + tile.first;
  }
};

}  // namespace

/// One warp a token of [first_token, first_token + count). Writes local expert (or -1) and weight of each slot, and
/// 1 to ambiguous[token] if another choice is legal, else 0.
extern "C" __global__ void __launch_bounds__(kWarp)
    assay_moe_route(MoeSizes sizes, const float* logits, const std::uint16_t* bias, std::int64_t offset, double factor,
                    std::int64_t first_token, std::int32_t* local_experts, double* weights, double* ambiguous) {
  __shared__ double sigmoids[kMostExperts];
  __shared__ double scores[kMostExperts];
  __shared__ float rounded[kMostExperts];
  const std::int64_t token = first_token + blockIdx.x;
  for (int e = static_cast<int>(threadIdx.x); e < sizes.experts; e += kWarp) {
    const double sigmoid = sigmoid_value(static_cast<double>(logits[token * sizes.experts + e]));
    const double added = bfloat16_value(bias[e]);
    sigmoids[e] = sigmoid;
    scores[e] = least_if_nan(sigmoid + added);
    rounded[e] = least_if_nan(static_cast<float>(sigmoid) + static_cast<float>(added));
  }
  __syncthreads();
  if (threadIdx.x != 0) {
    return;
  }
  std::int32_t experts[kMostChosen];
  double chosen_weights[kMostChosen];
  const bool open = choose_experts(sizes, {sigmoids, scores, rounded}, factor, experts, chosen_weights);
  ambiguous[token] = open ? 1.0 : 0.0;
  for (int i = 0; i < sizes.top_k; ++i) {
    const std::int64_t local = experts[i] - offset;
    const std::size_t slot = static_cast<std::size_t>(blockIdx.x) * sizes.top_k + i;
    local_experts[slot] = local >= 0 && local < sizes.local_experts ? static_cast<std::int32_t>(local) : -1;
    weights[slot] = chosen_weights[i];
  }
}

/// One block a local expert: lists the slots that are its own, ascending. rows has `tokens` places an expert.
extern "C" __global__ void __launch_bounds__(kGroupThreads)
    assay_moe_group(MoeSizes sizes, const std::int32_t* local_experts, std::int32_t tokens, std::int32_t* rows,
                    std::int32_t* counts) {
  __shared__ int by_warp[kGroupThreads / kWarp];
  const int expert = static_cast<int>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  int before = 0;
  for (int first = 0; first < tokens; first += kGroupThreads) {
    const int token = first + static_cast<int>(threadIdx.x);
    int slot = -1;
    for (int i = 0; token < tokens && i < sizes.top_k; ++i) {
      if (local_experts[token * sizes.top_k + i] == expert) {
        slot = token * sizes.top_k + i;  // At most one: the experts of a token differ.
      }
    }
    const unsigned votes = __ballot_sync(0xffffffffU, slot >= 0);
    if (lane == 0) {
      by_warp[warp] = __popc(votes);
    }
    __syncthreads();
    int at = before + __popc(votes & ((1U << lane) - 1U));
    for (int w = 0; w < kGroupThreads / kWarp; ++w) {
      at += w < warp ? by_warp[w] : 0;
      before += by_warp[w];
    }
    if (slot >= 0) {
      rows[static_cast<std::size_t>(expert) * tokens + at] = slot;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    counts[expert] = before;
  }
}

namespace {

/// gated[slot] = silu(gate) * up, of 64 intermediate columns: rows of the first weights come in pairs, up and gate.
template <int kRows>
__device__ void multiply_first(const MoeSizes& sizes, const Hidden& hidden, const Weights& weights, const Rows& rows,
                               double* gated) {
  constexpr int kPairs = kTileColumns / 2;
  using Thread = TileThread<kRows>;
  __shared__ TileMemory<kRows> memory;
  const TileRows tile = find_tile(rows.counts, sizes.local_experts, static_cast<int>(blockIdx.y), kRows);
  if (tile.expert < 0) {
    return;
  }
  const std::int32_t* slots = rows.of(tile);
  const int first_column = static_cast<int>(blockIdx.x) * kPairs;
  const int own = static_cast<int>(threadIdx.x);
  const int weight_row = first_column + (own < kPairs ? own : sizes.intermediate + own - kPairs);
  const std::uint8_t* codes = nullptr;
  const float* scales = nullptr;
  if (Thread::row() < tile.count) {
    const std::size_t token = hidden.first_token + slots[Thread::row()] / sizes.top_k;
    codes = hidden.codes + token * sizes.hidden;
    scales = hidden.scales + token;
  }
  double sums[Thread::kSums][8];
  multiply_tile<kRows>(memory, sizes.hidden, QuantisedPiece<Thread::kPiece>(codes, scales, hidden.call_tokens),
                       weights.row(tile.expert, 2 * sizes.intermediate, weight_row, sizes.hidden), sums);
#pragma unroll
  for (int i = 0; i < Thread::kSums; ++i) {
    if (Thread::sum_row(i) < tile.count) {
      double* to = gated + static_cast<std::size_t>(slots[Thread::sum_row(i)]) * sizes.intermediate + first_column;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        to[Thread::sum_column(j)] = sums[i][j] * silu_value(sums[i][j + 4]);
      }
    }
  }
}

/// result[slot] = second weights * gated[slot], of 128 hidden columns.
template <int kRows>
__device__ void multiply_second(const MoeSizes& sizes, const Weights& weights, const Rows& rows, const double* gated,
                                double* result) {
  using Thread = TileThread<kRows>;
  __shared__ TileMemory<kRows> memory;
  const TileRows tile = find_tile(rows.counts, sizes.local_experts, static_cast<int>(blockIdx.y), kRows);
  if (tile.expert < 0) {
    return;
  }
  const std::int32_t* slots = rows.of(tile);
  const int first_column = static_cast<int>(blockIdx.x) * kTileColumns;
  const double* left = nullptr;
  if (Thread::row() < tile.count) {
    left = gated + static_cast<std::size_t>(slots[Thread::row()]) * sizes.intermediate;
  }
  double sums[Thread::kSums][8];
  multiply_tile<kRows>(
      memory, sizes.intermediate, PlainPiece<Thread::kPiece>(left),
      weights.row(tile.expert, sizes.hidden, first_column + static_cast<int>(threadIdx.x), sizes.intermediate), sums);
#pragma unroll
  for (int i = 0; i < Thread::kSums; ++i) {
    if (Thread::sum_row(i) < tile.count) {
      double* to = result + static_cast<std::size_t>(slots[Thread::sum_row(i)]) * sizes.hidden + first_column;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        to[Thread::sum_column(j)] = sums[i][j];
      }
    }
  }
}

}  // namespace

#define ASSAY_MOE_PRODUCTS(ROWS)                                                                                   \
  extern "C" __global__ void __launch_bounds__(kTileThreads) assay_moe_first_##ROWS(                               \
      MoeSizes sizes, const std::uint8_t* hidden, const float* hidden_scale, std::int64_t call_tokens,             \
      std::int64_t first_token, const std::uint8_t* weights, const float* weights_scale, const std::int32_t* rows, \
      const std::int32_t* counts, std::int32_t tokens, double* gated) {                                            \
    multiply_first<ROWS>(sizes, {hidden, hidden_scale, call_tokens, first_token}, {weights, weights_scale},        \
                         {rows, counts, tokens}, gated);                                                           \
  }                                                                                                                \
  extern "C" __global__ void __launch_bounds__(kTileThreads) assay_moe_second_##ROWS(                              \
      MoeSizes sizes, const std::uint8_t* weights, const float* weights_scale, const std::int32_t* rows,           \
      const std::int32_t* counts, std::int32_t tokens, const double* gated, double* result) {                      \
    multiply_second<ROWS>(sizes, {weights, weights_scale}, {rows, counts, tokens}, gated, result);                 \
  }

ASSAY_MOE_PRODUCTS(64)
ASSAY_MOE_PRODUCTS(16)

/// output[token] = sum over its local experts, ascending, of weight * result; blocks (columns, tokens).
extern "C" __global__ void __launch_bounds__(kGroupThreads)
    assay_moe_combine(MoeSizes sizes, const std::int32_t* local_experts, const double* weights, const double* result,
                      std::int64_t first_token, double* output) {
  const int column = static_cast<int>(blockIdx.x * kGroupThreads + threadIdx.x);
  if (column >= sizes.hidden) {
    return;
  }
  double sum = 0;
  for (int i = 0; i < sizes.top_k; ++i) {
    const std::size_t slot = static_cast<std::size_t>(blockIdx.y) * sizes.top_k + i;
    if (local_experts[slot] >= 0) {
      sum += weights[slot] * result[slot * sizes.hidden + column];
    }
  }
  output[static_cast<std::size_t>(first_token + blockIdx.y) * sizes.hidden + column] = sum;
}
