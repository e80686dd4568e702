// The reference of sparse attention on a GPU in double precision: dsa_sparse_attention/reference.hpp has the formula. Products of bfloat16
// numbers are exact; only sums round. Three kernels: all logits, the softmax of each row and head, the weighted sum of
// the values. A slot that names no token has a logit of -infinity and is never read; one that names a token that is none
// (an input error, which the CPU's reference reports) makes its row NaN.
#include <cstdint>

#include <assay/device/cuda/element_format.hpp>
#include <assay/operators/cuda/dsa_attention_call.hpp>

namespace {

using namespace assay::operators::cuda;
using assay::device::cuda::bfloat16_value;

constexpr unsigned kHeads = 16;    // Of a tile; a row with more takes several.
constexpr unsigned kSlots = 32;    // Of a tile of logits, and those whose values are held at a time.
constexpr unsigned kDepth = 32;    // Elements of queries and keys that are held at a time.
constexpr unsigned kColumns = 32;  // Of the output that a thread block computes.
constexpr unsigned kThreads = 256;
constexpr double kInfinity = HUGE_VAL;
constexpr double kLn2 = 0.69314718055994530942;
constexpr std::int32_t kNobody = -1;

// The token that a slot names; kNobody for none.
__device__ std::int32_t slot_token(const AttentionCall& call, unsigned row, unsigned slot) {
  return slot < call.topk ? call.indices[std::uint64_t{row} * call.topk + slot] : kNobody;
}

__device__ bool is_token(const AttentionCall& call, std::int32_t id) {
  return id >= 0 && static_cast<std::uint32_t>(id) < call.tokens;
}

// Element d of the concatenation of a vector's two parts; beyond them 0.
__device__ double part_element(const AttentionCall& call, const std::uint16_t* nope, const std::uint16_t* pe,
                               std::uint64_t which, unsigned d) {
  if (d < call.ckv) {
    return bfloat16_value(nope[which * call.ckv + d]);
  }
  return d < call.ckv + call.kpe ? bfloat16_value(pe[which * call.kpe + d - call.ckv]) : 0;
}

template <class Combine>
__device__ double combine_block(double value, Combine combine) {
  __shared__ double of_warps[kThreads / 32];
  for (unsigned by = 16; by > 0; by /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffU, value, by));
  }
  __syncthreads();  // What an earlier call left has been read.
  if (threadIdx.x % 32 == 0) {
    of_warps[threadIdx.x / 32] = value;
  }
  __syncthreads();
  value = of_warps[0];
  for (unsigned warp = 1; warp < kThreads / 32; ++warp) {
    value = combine(value, of_warps[warp]);
  }
  return value;
}

}  // namespace

// Grid: (tiles of slots, rows, tiles of heads). logits: [rows, heads, topk].
extern "C" __global__ void __launch_bounds__(kThreads) assay_attention_logits(AttentionCall call, double* logits) {
  __shared__ double queries[kDepth][kHeads];
  __shared__ double keys[kDepth][kSlots + 1];
  __shared__ std::int32_t tokens[kSlots];
  const unsigned row = blockIdx.y;
  const unsigned first_slot = blockIdx.x * kSlots;
  const unsigned first_head = blockIdx.z * kHeads;
  const unsigned thread = threadIdx.x;
  if (thread < kSlots) {
    tokens[thread] = slot_token(call, row, first_slot + thread);
  }
  // Two dot products a thread.
  const unsigned slot = thread % kSlots;
  const unsigned head = thread / kSlots;
  constexpr unsigned kLines = kThreads / kSlots;
  double dots[kHeads / kLines] = {};
  for (unsigned depth = 0; depth < call.ckv + call.kpe; depth += kDepth) {
    __syncthreads();
    for (unsigned i = thread; i < kDepth * kHeads; i += kThreads) {
      const unsigned which = first_head + i / kDepth;
      queries[i % kDepth][i / kDepth] =
          which < call.heads
              ? part_element(call, call.q_nope, call.q_pe, std::uint64_t{row} * call.heads + which, depth + i % kDepth)
              : 0;
    }
    for (unsigned i = thread; i < kDepth * kSlots; i += kThreads) {
      const std::int32_t token = tokens[i / kDepth];
      keys[i % kDepth][i / kDepth] = is_token(call, token)
                                         ? part_element(call, call.ckv_cache, call.kpe_cache,
                                                        static_cast<std::uint64_t>(token), depth + i % kDepth)
                                         : 0;
    }
    __syncthreads();
    for (unsigned d = 0; d < kDepth; ++d) {
      const double key = keys[d][slot];
      for (unsigned i = 0; i < kHeads / kLines; ++i) {
        dots[i] += queries[d][head + i * kLines] * key;
      }
    }
  }
  if (first_slot + slot >= call.topk) {
    return;
  }
  const std::int32_t token = tokens[slot];
  for (unsigned i = 0; i < kHeads / kLines; ++i) {
    const unsigned which = first_head + head + i * kLines;
    if (which < call.heads) {
      const double logit = token == kNobody ? -kInfinity : is_token(call, token) ? call.sm_scale * dots[i] : NAN;
      logits[(std::uint64_t{row} * call.heads + which) * call.topk + first_slot + slot] = logit;
    }
  }
}

// A thread block takes a row's head: logits become weights, whose sum goes into `sums`. Grid: rows * heads.
extern "C" __global__ void __launch_bounds__(kThreads)
    assay_attention_softmax(AttentionCall call, double* logits, double* sums, double* lse) {
  double* const own = logits + std::uint64_t{blockIdx.x} * call.topk;
  const std::int32_t* const indices = call.indices + std::uint64_t{blockIdx.x / call.heads} * call.topk;
  double largest = -kInfinity;
  double named = 0;
  for (unsigned slot = threadIdx.x; slot < call.topk; slot += kThreads) {
    largest = own[slot] > largest ? own[slot] : largest;
    named += indices[slot] == kNobody ? 0 : 1;
  }
  largest = combine_block(largest, [](double x, double y) { return x > y ? x : y; });
  named = combine_block(named, [](double x, double y) { return x + y; });
  double sum = 0;
  for (unsigned slot = threadIdx.x; slot < call.topk; slot += kThreads) {
    const double weight = indices[slot] == kNobody ? 0 : exp(own[slot] - largest);
    own[slot] = weight;
    sum += weight;
  }
  sum = combine_block(sum, [](double x, double y) { return x + y; });
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    lse[blockIdx.x] = named == 0 ? -kInfinity : (largest + log(sum)) / kLn2;
  }
}

// Grid: (tiles of columns, rows, tiles of heads). weights: [rows, heads, topk]; output: [rows, heads, ckv].
extern "C" __global__ void __launch_bounds__(kThreads)
    assay_attention_output(AttentionCall call, const double* weights, const double* sums, double* output) {
  __shared__ double values[kSlots][kColumns];
  __shared__ double of_heads[kHeads][kSlots + 1];
  const unsigned row = blockIdx.y;
  const unsigned first_column = blockIdx.x * kColumns;
  const unsigned first_head = blockIdx.z * kHeads;
  const unsigned thread = threadIdx.x;
  const unsigned column = thread % kColumns;
  const unsigned head = thread / kColumns;
  constexpr unsigned kLines = kThreads / kColumns;
  double totals[kHeads / kLines] = {};
  for (unsigned first_slot = 0; first_slot < call.topk; first_slot += kSlots) {
    __syncthreads();
    for (unsigned i = thread; i < kSlots * kColumns; i += kThreads) {
      const std::int32_t token = slot_token(call, row, first_slot + i / kColumns);
      const unsigned d = first_column + i % kColumns;
      values[i / kColumns][i % kColumns] =
          is_token(call, token) && d < call.ckv
              ? bfloat16_value(call.ckv_cache[static_cast<std::uint64_t>(token) * call.ckv + d])
              : 0;
    }
    for (unsigned i = thread; i < kHeads * kSlots; i += kThreads) {
      const unsigned which = first_head + i / kSlots;
      const unsigned slot = first_slot + i % kSlots;
      of_heads[i / kSlots][i % kSlots] = which < call.heads && slot < call.topk
                                             ? weights[(std::uint64_t{row} * call.heads + which) * call.topk + slot]
                                             : 0;
    }
    __syncthreads();
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      const double value = values[slot][column];
      for (unsigned i = 0; i < kHeads / kLines; ++i) {
        totals[i] += of_heads[head + i * kLines][slot] * value;
      }
    }
  }
  if (first_column + column >= call.ckv) {
    return;
  }
  for (unsigned i = 0; i < kHeads / kLines; ++i) {
    const unsigned which = first_head + head + i * kLines;
    if (which < call.heads) {
      const std::uint64_t query = std::uint64_t{row} * call.heads + which;
      // A sum is at least 1 where a token is named, or NaN.
      output[query * call.ckv + first_column + column] = sums[query] == 0 ? 0 : totals[i] / sums[query];
    }
  }
}
