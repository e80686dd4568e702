// The fused mixture of experts on a GPU, straightforward: routing, a list of tokens for each local expert, then the two
// matrix products, tile by tile in shared memory on tensor cores. Calls of many tokens are done kChunk tokens at a time.
//
//   s = sigmoid(logit); the 4 groups of experts with the largest sums of their two best s + bias; of those the 8 experts
//   with the largest s + bias; their weights are s / (sum of s + 1e-20) * routed_scaling_factor
//   G = W1 x, C = silu(second half of G) * first half, output += weight * W2 C     (x, W1, W2 times the scales of blocks)
//
// float16 holds every e4m3 number and bfloat16 too, so that the products are exact; sums are in float32, and the scales of
// a block of 128 are applied to its sums. Only C is rounded, to bfloat16. The experts of a token are added up by atomic
// additions, whose order is not fixed.
#include <assay/candidate.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

namespace {

constexpr int kExperts = 256;
constexpr int kGroups = 8;
constexpr int kKept = 4;
constexpr int kTop = 8;
constexpr int kGroupSize = kExperts / kGroups;
constexpr int64_t kBlock = 128;   // Elements, and rows of weights, that share a scale.
constexpr int64_t kChunk = 4096;  // Tokens that are done together: it bounds the memory that is needed.

// A block of threads multiplies 64 tokens with 128 rows of weights, 64 elements of each at a time. Its warps are 2 x 4:
// each has 32 tokens, and 16 rows in the first half and 16 in the second half of the 128.
constexpr int kTileTokens = 64;
constexpr int kTileRows = 128;
constexpr int kTileDepth = 64;
constexpr int kPadded = kTileDepth + 8;  // So that the rows of a fragment lie in different banks.
constexpr int kThreads = 256;

struct Arguments {
  const float* logits;
  const __nv_bfloat16* bias;
  const uint8_t* x;
  const float* x_scale;  // Blocks x tokens.
  const uint8_t* w1;
  const float* w1_scale;
  const uint8_t* w2;
  const float* w2_scale;
  __nv_bfloat16* output;
  int64_t tokens;
  int64_t hidden;
  int64_t intermediate;
  int local;
  int offset;
  float factor;
};

// What lies between the kernels, for the tokens of one chunk. A pair is a token of the chunk times kTop plus the rank of
// one of its experts.
struct Between {
  int32_t* expert;   // Of each pair.
  float* weight;     // Of each pair.
  int32_t* list;     // Local experts x kChunk: the pairs of each.
  int32_t* count;    // Of pairs, of each local expert.
  __nv_bfloat16* c;  // Pairs x intermediate.
  float* sum;        // Tokens x hidden.
};

// A block of kExperts threads for each token.
__global__ void route(Arguments p, Between between, int64_t first_token) {
  __shared__ float biased[kExperts];
  __shared__ float group_sum[kGroups];
  __shared__ bool kept[kGroups];
  __shared__ float chosen_score[kTop];
  __shared__ int chosen[kTop];
  const int e = static_cast<int>(threadIdx.x);
  const float score = 1.0f / (1.0f + expf(-p.logits[(first_token + blockIdx.x) * kExperts + e]));
  biased[e] = score + __bfloat162float(p.bias[e]);
  __syncthreads();
  if (e < kGroups) {
    float best = -INFINITY;
    float second = -INFINITY;
    for (int i = e * kGroupSize; i < (e + 1) * kGroupSize; ++i) {
      second = fmaxf(second, fminf(best, biased[i]));
      best = fmaxf(best, biased[i]);
    }
    group_sum[e] = best + second;
  }
  __syncthreads();
  // A rank is how many are better; of equal ones the lower index is.
  if (e < kGroups) {
    int rank = 0;
    for (int other = 0; other < kGroups; ++other) {
      rank += group_sum[other] > group_sum[e] || (group_sum[other] == group_sum[e] && other < e) ? 1 : 0;
    }
    kept[e] = rank < kKept;
  }
  __syncthreads();
  if (kept[e / kGroupSize]) {
    int rank = 0;
    for (int other = 0; other < kExperts; ++other) {
      if (kept[other / kGroupSize]) {
        rank += biased[other] > biased[e] || (biased[other] == biased[e] && other < e) ? 1 : 0;
      }
    }
    if (rank < kTop) {
      chosen[rank] = e;
      chosen_score[rank] = score;
    }
  }
  __syncthreads();
  if (e < kTop) {
    float sum = 0.0f;
    for (int rank = 0; rank < kTop; ++rank) {
      sum += chosen_score[rank];
    }
    const int64_t pair = static_cast<int64_t>(blockIdx.x) * kTop + e;
    between.expert[pair] = chosen[e];
    between.weight[pair] = chosen_score[e] / (sum + 1e-20f) * p.factor;
  }
}

// A block of 1024 threads for each local expert writes the list of its pairs, in the order of the tokens.
__global__ void list_pairs(Arguments p, Between between, int tokens) {
  __shared__ int of_warp[32];
  const int local_expert = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  int32_t* list = between.list + local_expert * kChunk;
  int found = 0;
  for (int begin = 0; begin < tokens; begin += 1024) {
    const int token = begin + thread;
    int pair = -1;
    for (int rank = 0; rank < kTop && token < tokens; ++rank) {
      if (between.expert[token * kTop + rank] == p.offset + local_expert) {
        pair = token * kTop + rank;
      }
    }
    const unsigned having = __ballot_sync(0xffffffffu, pair >= 0);
    if (thread % 32 == 0) {
      of_warp[thread / 32] = __popc(having);
    }
    __syncthreads();
    int before = found + __popc(having & ((1u << (thread % 32)) - 1u));
    for (int warp = 0; warp < 32; ++warp) {
      before += warp < thread / 32 ? of_warp[warp] : 0;
      found += of_warp[warp];
    }
    if (pair >= 0) {
      list[before] = pair;
    }
    __syncthreads();
  }
  if (thread == 0) {
    between.count[local_expert] = found;
  }
}

// Sixteen fp8 numbers as the number type of a tile, to a place that is aligned to 16 bytes.
__device__ void convert(const uint4& from, __half* to) {
  const uint32_t words[4] = {from.x, from.y, from.z, from.w};
  uint32_t pairs[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const auto two = static_cast<__nv_fp8x2_storage_t>(words[i / 2] >> (i % 2 * 16));
    const __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3);
    memcpy(&pairs[i], &raw, sizeof raw);
  }
  reinterpret_cast<uint4*>(to)[0] = {pairs[0], pairs[1], pairs[2], pairs[3]};
  reinterpret_cast<uint4*>(to)[1] = {pairs[4], pairs[5], pairs[6], pairs[7]};
}
__device__ void convert(const uint4& from, __nv_bfloat16* to) {
  const uint32_t words[4] = {from.x, from.y, from.z, from.w};
  uint32_t pairs[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const auto two = static_cast<__nv_fp8x2_storage_t>(words[i / 2] >> (i % 2 * 16));
    const float2 wide = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3)));
    const __nv_bfloat162 narrow = __floats2bfloat162_rn(wide.x, wide.y);
    memcpy(&pairs[i], &narrow, sizeof narrow);
  }
  reinterpret_cast<uint4*>(to)[0] = {pairs[0], pairs[1], pairs[2], pairs[3]};
  reinterpret_cast<uint4*>(to)[1] = {pairs[4], pairs[5], pairs[6], pairs[7]};
}

// c += a b for a of 16 x 16 and b of 16 x 8 elements, spread over a warp as the instruction wants them.
__device__ void multiply_add(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], const __half* /*type*/) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void multiply_add(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                             const __nv_bfloat16* /*type*/) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The warps' place in a tile, and a lane's in the fragments: c[m][n] are the elements (token, row), (token, row + 1),
// (token + 8, row) and (token + 8, row + 1).
struct Place {
  int quad;        // lane / 4
  int pair;        // lane % 4
  int warp_token;  // 0 or 32
  int warp_row;    // 0, 16, 32 or 48
  __device__ Place()
      : quad(static_cast<int>(threadIdx.x) % 32 / 4),
        pair(static_cast<int>(threadIdx.x) % 4),
        warp_token(static_cast<int>(threadIdx.x) / 128 * 32),
        warp_row(static_cast<int>(threadIdx.x) / 32 % 4 * 16) {}
  __device__ int token(int m) const { return warp_token + m * 16 + quad; }
  __device__ int fragment_row(int n) const { return n / 2 * 64 + warp_row + n % 2 * 8; }  // Where the n-th begins.
  __device__ int row(int n) const { return fragment_row(n) + pair * 2; }
};

// Adds the product of two tiles to `part`.
template <class Number>
__device__ void multiply_tiles(const Number (*tokens)[kPadded], const Number (*rows)[kPadded], const Place& place,
                               float (&part)[2][4][4]) {
  const auto two = [](const Number* at) { return *reinterpret_cast<const uint32_t*>(at); };
#pragma unroll
  for (int depth = 0; depth < kTileDepth; depth += 16) {
    const int k = depth + place.pair * 2;
    uint32_t a[2][4];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const int token = place.token(m);
      a[m][0] = two(&tokens[token][k]);
      a[m][1] = two(&tokens[token + 8][k]);
      a[m][2] = two(&tokens[token][k + 8]);
      a[m][3] = two(&tokens[token + 8][k + 8]);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int row = place.fragment_row(n) + place.quad;
      const uint32_t b[2] = {two(&rows[row][k]), two(&rows[row][k + 8])};
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        multiply_add(part[m][n], a[m], b, static_cast<const Number*>(nullptr));
      }
    }
  }
}

// C = silu(gate) * linear. A grid of intermediate / 64 x tiles of tokens x local experts; the 128 rows of a tile are 64 of
// the linear half of W1 and the 64 of the gate that belong to them.
__global__ void __launch_bounds__(kThreads) first_product(Arguments p, Between between, int64_t first_token) {
  __shared__ __align__(16) __half tokens[kTileTokens][kPadded];
  __shared__ __align__(16) __half rows[kTileRows][kPadded];
  __shared__ float token_scale[kTileTokens];
  const int local_expert = static_cast<int>(blockIdx.z);
  const int first_pair = static_cast<int>(blockIdx.y) * kTileTokens;
  const int count = between.count[local_expert];
  if (first_pair >= count) {
    return;
  }
  const int32_t* list = between.list + local_expert * kChunk;
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * 64;
  const uint8_t* weights = p.w1 + local_expert * 2 * p.intermediate * p.hidden;
  const float* scales = p.w1_scale + local_expert * (2 * p.intermediate / kBlock) * (p.hidden / kBlock);
  const float* linear_scale = scales + first_row / kBlock * (p.hidden / kBlock);
  const float* gate_scale = scales + (p.intermediate + first_row) / kBlock * (p.hidden / kBlock);
  const int thread = static_cast<int>(threadIdx.x);
  const Place place;

  // What this thread brings to shared memory: 16 bytes of a token and of two rows.
  const int part_of = thread / 4;
  const int bytes_from = thread % 4 * 16;
  const bool has_token = first_pair + part_of < count;
  const int64_t token = has_token ? first_token + list[first_pair + part_of] / kTop : 0;
  const uint8_t* token_bytes = p.x + token * p.hidden + bytes_from;
  const uint8_t* linear_bytes = weights + (first_row + part_of) * p.hidden + bytes_from;
  const uint8_t* gate_bytes = linear_bytes + p.intermediate * p.hidden;

  float total[2][4][4] = {};
  for (int64_t k = 0; k < p.hidden; k += kTileDepth) {
    const uint4 nothing = {0, 0, 0, 0};
    convert(has_token ? *reinterpret_cast<const uint4*>(token_bytes + k) : nothing, &tokens[part_of][bytes_from]);
    convert(*reinterpret_cast<const uint4*>(linear_bytes + k), &rows[part_of][bytes_from]);
    convert(*reinterpret_cast<const uint4*>(gate_bytes + k), &rows[64 + part_of][bytes_from]);
    if (thread % 4 == 0) {
      token_scale[part_of] = has_token ? p.x_scale[k / kBlock * p.tokens + token] : 0.0f;
    }
    __syncthreads();
    float part[2][4][4] = {};
    multiply_tiles(tokens, rows, place, part);
    const float row_scale[2] = {linear_scale[k / kBlock], gate_scale[k / kBlock]};
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const float scale[2] = {token_scale[place.token(m)], token_scale[place.token(m) + 8]};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          total[m][n][i] += part[m][n][i] * (scale[i / 2] * row_scale[n / 2]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = first_pair + place.token(m) + i / 2 * 8;
      if (at < count) {
        __nv_bfloat16* c = between.c + list[at] * p.intermediate + first_row;
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const float gate = total[m][n + 2][i];
          c[place.row(n) + i % 2] = __float2bfloat16(total[m][n][i] * (gate / (1.0f + expf(-gate))));
        }
      }
    }
  }
}

// sum += weight * W2 C. A grid of hidden / 128 x tiles of tokens x local experts.
__global__ void __launch_bounds__(kThreads) second_product(Arguments p, Between between) {
  __shared__ __align__(16) __nv_bfloat16 tokens[kTileTokens][kPadded];
  __shared__ __align__(16) __nv_bfloat16 rows[kTileRows][kPadded];
  const int local_expert = static_cast<int>(blockIdx.z);
  const int first_pair = static_cast<int>(blockIdx.y) * kTileTokens;
  const int count = between.count[local_expert];
  if (first_pair >= count) {
    return;
  }
  const int32_t* list = between.list + local_expert * kChunk;
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * kTileRows;
  const float* scales =
      p.w2_scale + (local_expert * (p.hidden / kBlock) + first_row / kBlock) * (p.intermediate / kBlock);
  const int thread = static_cast<int>(threadIdx.x);
  const Place place;

  const int part_of = thread / 4;
  const int from = thread % 4 * 16;
  const bool has_token = first_pair + part_of < count;
  const __nv_bfloat16* c = between.c + (has_token ? list[first_pair + part_of] : 0) * p.intermediate + from;
  const uint8_t* row_bytes = p.w2 + (local_expert * p.hidden + first_row + part_of) * p.intermediate + from;

  float total[2][4][4] = {};
  for (int64_t k = 0; k < p.intermediate; k += kTileDepth) {
    const uint4 nothing = {0, 0, 0, 0};
    for (int i = 0; i < 2; ++i) {
      reinterpret_cast<uint4*>(&tokens[part_of][from])[i] =
          has_token ? reinterpret_cast<const uint4*>(c + k)[i] : nothing;
      convert(*reinterpret_cast<const uint4*>(row_bytes + i * 64 * p.intermediate + k), &rows[i * 64 + part_of][from]);
    }
    __syncthreads();
    float part[2][4][4] = {};
    multiply_tiles(tokens, rows, place, part);
    const float scale = scales[k / kBlock];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          total[m][n][i] += part[m][n][i] * scale;
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = first_pair + place.token(m) + i / 2 * 8;
      if (at < count) {
        const int64_t token = list[at] / kTop;
        const float weight = between.weight[list[at]];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          atomicAdd(between.sum + token * p.hidden + first_row + place.row(n) + i % 2, weight * total[m][n][i]);
        }
      }
    }
  }
}

__global__ void round_sums(const float* sum, __nv_bfloat16* output, int64_t elements) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < elements) {
    output[at] = __float2bfloat16(sum[at]);
  }
}

// Memory between the kernels, kept from call to call and replaced when a call needs more.
char* held = nullptr;
int64_t held_bytes = 0;

// Returns the bytes that a chunk of so many tokens needs; if `memory` is not null, also where in it everything lies.
int64_t divide(char* memory, const Arguments& p, int64_t tokens, Between* between) {
  int64_t used = 0;
  const auto take = [&](int64_t bytes) {
    char* begin = memory == nullptr ? nullptr : memory + used;
    used += (bytes + 255) / 256 * 256;
    return begin;
  };
  between->expert = reinterpret_cast<int32_t*>(take(tokens * kTop * 4));
  between->weight = reinterpret_cast<float*>(take(tokens * kTop * 4));
  between->list = reinterpret_cast<int32_t*>(take(p.local * kChunk * 4));
  between->count = reinterpret_cast<int32_t*>(take(p.local * 4));
  between->c = reinterpret_cast<__nv_bfloat16*>(take(tokens * kTop * p.intermediate * 2));
  between->sum = reinterpret_cast<float*>(take(tokens * p.hidden * 4));
  return used;
}

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

Arguments arguments_of(const assay_call* call) {
  Arguments p;
  p.logits = data<const float>(assay_input(call, 0));
  p.bias = data<const __nv_bfloat16>(assay_input(call, 1));
  p.x = data<const uint8_t>(assay_input(call, 2));
  p.x_scale = data<const float>(assay_input(call, 3));
  p.w1 = data<const uint8_t>(assay_input(call, 4));
  p.w1_scale = data<const float>(assay_input(call, 5));
  p.w2 = data<const uint8_t>(assay_input(call, 6));
  p.w2_scale = data<const float>(assay_input(call, 7));
  p.offset = static_cast<int>(assay_scalar(call, 8));
  p.factor = static_cast<float>(assay_scalar(call, 9));
  p.output = data<__nv_bfloat16>(assay_output(call, 0));
  p.tokens = assay_input(call, 0)->shape[0];
  p.hidden = assay_input(call, 2)->shape[1];
  p.local = static_cast<int>(assay_input(call, 4)->shape[0]);
  p.intermediate = assay_input(call, 4)->shape[1] / 2;
  return p;
}

}  // namespace

ASSAY_KERNEL(run) {
  const Arguments p = arguments_of(call);
  const auto stream = static_cast<cudaStream_t>(assay_stream(call));
  if (assay_input(call, 0)->shape[1] != kExperts || p.hidden % kBlock != 0 || p.intermediate % kBlock != 0) {
    return -1;  // Written for this routing alone.
  }
  const int64_t most = p.tokens < kChunk ? p.tokens : kChunk;
  Between between;
  const int64_t needed = divide(nullptr, p, most, &between);
  if (needed > held_bytes) {
    cudaFree(held);
    held_bytes = 0;
    const cudaError_t error = cudaMalloc(&held, static_cast<size_t>(needed));
    if (error != cudaSuccess) {
      return static_cast<int32_t>(error);
    }
    held_bytes = needed;
  }
  divide(held, p, most, &between);
  const auto local = static_cast<unsigned>(p.local);
  for (int64_t first = 0; first < p.tokens; first += kChunk) {
    const int64_t tokens = p.tokens - first < kChunk ? p.tokens - first : kChunk;
    const int64_t elements = tokens * p.hidden;
    const auto tiles = static_cast<unsigned>((tokens + kTileTokens - 1) / kTileTokens);
    const dim3 first_grid(static_cast<unsigned>(p.intermediate / 64), tiles, local);
    const dim3 second_grid(static_cast<unsigned>(p.hidden / kTileRows), tiles, local);
    cudaMemsetAsync(between.sum, 0, static_cast<size_t>(elements) * sizeof(float), stream);
    route<<<static_cast<unsigned>(tokens), kExperts, 0, stream>>>(p, between, first);
    list_pairs<<<local, 1024, 0, stream>>>(p, between, static_cast<int>(tokens));
    first_product<<<first_grid, kThreads, 0, stream>>>(p, between, first);
    second_product<<<second_grid, kThreads, 0, stream>>>(p, between);
    round_sums<<<static_cast<unsigned>((elements + 255) / 256), 256, 0, stream>>>(
        between.sum, p.output + first * p.hidden, elements);
  }
  return static_cast<int32_t>(cudaGetLastError());
}
