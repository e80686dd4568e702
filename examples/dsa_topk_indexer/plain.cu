// The top-k indexer on a GPU as one would write it first: one kernel computes all scores of the long rows in float32, a
// second selects, a byte of the score at a time.
//
//   score(t) = sum over heads h of weights[h] * max(0, q[h] . k[t] * scale[t])
// A page of the cache holds the keys of its tokens, one after the other, in 8 bits, then a float32 scale for each.
// A row of at most topk tokens selects all of them: no score is needed. The rest of a row is -1.
#include <assay/candidate.h>

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {

constexpr int kHeads = 64;
constexpr int kDim = 128;
constexpr int kPageSize = 64;
constexpr int kPageBytes = kPageSize * (kDim + 4);
constexpr int kScoreThreads = 256;  // 16 x 16, each with four heads and four tokens of a page.
constexpr int kSide = 16;
constexpr int kOwn = 4;
constexpr int kPadded = kDim / 2 + 1;  // Pairs; one more, so that neighbouring rows begin in other banks.
constexpr int kSelectThreads = 1024;

// float16 holds every number of e4m3.
__device__ __half2 from_float8(uint16_t pair) {
  return __half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(pair), __NV_E4M3));
}

// A block for each page of each row that is longer than topk.
__global__ void __launch_bounds__(kScoreThreads)
    compute_scores(const uint16_t* q, const uint8_t* cache, const float* weights, const int32_t* seq_lens,
                   const int32_t* block_table, int topk, float* scores, int64_t scores_per_row) {
  __shared__ __half2 query[kHeads][kPadded];
  __shared__ __half2 key[kPageSize][kPadded];
  __shared__ float partial[kSide][kPageSize];
  const int64_t row = blockIdx.y;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kPageSize;
  const int length = seq_lens[row];
  if (length <= topk || first >= length) {
    return;
  }
  const uint8_t* page = cache + static_cast<int64_t>(block_table[row * gridDim.x + blockIdx.x]) * kPageBytes;
  const float* scales = reinterpret_cast<const float*>(page + kPageSize * kDim);
  const uint16_t* keys = reinterpret_cast<const uint16_t*>(page);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kHeads * kDim / 2; i += kScoreThreads) {
    query[i / (kDim / 2)][i % (kDim / 2)] = from_float8(q[row * (kHeads * kDim / 2) + i]);
    key[i / (kDim / 2)][i % (kDim / 2)] = from_float8(keys[i]);
  }
  static_assert(kHeads == kPageSize, "one loop fills both");
  __syncthreads();

  const int token_side = thread % kSide;
  const int head_side = thread / kSide;
  float product[kOwn][kOwn] = {};  // Heads x tokens.
  for (int i = 0; i < kDim / 2; ++i) {
    float2 of_head[kOwn];
    float2 of_token[kOwn];
#pragma unroll
    for (int n = 0; n < kOwn; ++n) {
      of_head[n] = __half22float2(query[head_side + n * kSide][i]);
      of_token[n] = __half22float2(key[token_side + n * kSide][i]);
    }
#pragma unroll
    for (int h = 0; h < kOwn; ++h) {
#pragma unroll
      for (int t = 0; t < kOwn; ++t) {
        product[h][t] += of_head[h].x * of_token[t].x + of_head[h].y * of_token[t].y;
      }
    }
  }
#pragma unroll
  for (int t = 0; t < kOwn; ++t) {
    const int token = token_side + t * kSide;
    const float scale = scales[token];
    float sum = 0.0f;
#pragma unroll
    for (int h = 0; h < kOwn; ++h) {
      sum += weights[row * kHeads + head_side + h * kSide] * fmaxf(product[h][t] * scale, 0.0f);
    }
    partial[head_side][token] = sum;
  }
  __syncthreads();
  if (thread < kPageSize) {
    float sum = 0.0f;
    for (int side = 0; side < kSide; ++side) {
      sum += partial[side][thread];
    }
    scores[row * scores_per_row + first + thread] = sum;
  }
}

// An integer that is larger exactly if the score is.
__device__ uint32_t order_of(float score) {
  const uint32_t bits = __float_as_uint(score);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// The sum over all threads before this one; `total` is that over all. A block of kSelectThreads.
__device__ int sum_before(int value, int* scratch, int& total) {
  const int thread = static_cast<int>(threadIdx.x);
  __syncthreads();
  scratch[thread] = value;
  for (int distance = 1; distance < kSelectThreads; distance *= 2) {
    __syncthreads();
    const int before = thread >= distance ? scratch[thread - distance] : 0;
    __syncthreads();
    scratch[thread] += before;
  }
  __syncthreads();
  total = scratch[kSelectThreads - 1];
  return scratch[thread] - value;
}

// A block for each row.
__global__ void __launch_bounds__(kSelectThreads)
    select(const int32_t* seq_lens, const int32_t* block_table, int pages_per_row, const float* scores,
           int64_t scores_per_row, int topk, int32_t* indices) {
  __shared__ int count[256];
  __shared__ int scratch[kSelectThreads];
  __shared__ uint32_t chosen_byte;
  __shared__ int still_wanted;
  const int64_t row = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  const int length = seq_lens[row];
  const int32_t* pages = block_table + row * pages_per_row;
  const float* of_row = scores + row * scores_per_row;
  int32_t* selected = indices + row * topk;
  if (length <= topk) {
    for (int i = thread; i < topk; i += kSelectThreads) {
      selected[i] = i < length ? pages[i / kPageSize] * kPageSize + i % kPageSize : -1;
    }
    return;
  }

  // The topk-th largest, from its first byte to its last: how many scores that begin like it have which next byte?
  uint32_t threshold = 0;
  int wanted = topk;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (thread < 256) {
      count[thread] = 0;
    }
    __syncthreads();
    for (int i = thread; i < length; i += kSelectThreads) {
      const uint32_t order = order_of(of_row[i]);
      if (shift == 24 || order >> (shift + 8) == threshold >> (shift + 8)) {
        atomicAdd(&count[(order >> shift) & 255u], 1);
      }
    }
    __syncthreads();
    if (thread == 0) {
      int left = wanted;
      int byte = 255;
      for (; byte > 0 && count[byte] < left; --byte) {
        left -= count[byte];
      }
      chosen_byte = static_cast<uint32_t>(byte);
      still_wanted = left;
    }
    __syncthreads();
    threshold |= chosen_byte << shift;
    wanted = still_wanted;
    __syncthreads();
  }

  // Neighbouring tokens belong to one thread, so that the order is that of the tokens: first those above the threshold,
  // then as many of those at it as are still wanted.
  const int share = (length + kSelectThreads - 1) / kSelectThreads;
  const int begin = min(thread * share, length);
  const int end = min(begin + share, length);
  int above = 0;
  int equal = 0;
  for (int i = begin; i < end; ++i) {
    const uint32_t order = order_of(of_row[i]);
    above += order > threshold ? 1 : 0;
    equal += order == threshold ? 1 : 0;
  }
  int all_above = 0;
  int all_equal = 0;
  int at = sum_before(above, scratch, all_above);
  int at_equal = sum_before(equal, scratch, all_equal);
  for (int i = begin; i < end; ++i) {
    const uint32_t order = order_of(of_row[i]);
    const int32_t id = pages[i / kPageSize] * kPageSize + i % kPageSize;
    if (order > threshold) {
      selected[at++] = id;
    } else if (order == threshold && at_equal++ < wanted) {
      selected[all_above + at_equal - 1] = id;
    }
  }
}

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

// Memory for the scores, kept from call to call and replaced when a call needs more.
float* scores = nullptr;
int64_t scores_held = 0;

}  // namespace

ASSAY_KERNEL(run) {
  const DLTensor* q = assay_input(call, 0);
  const DLTensor* cache = assay_input(call, 1);
  const int32_t* seq_lens = data<const int32_t>(assay_input(call, 3));
  const int32_t* block_table = data<const int32_t>(assay_input(call, 4));
  const int64_t batch = q->shape[0];
  const int64_t pages_per_row = assay_input(call, 4)->shape[1];
  const auto topk = static_cast<int>(assay_output(call, 0)->shape[1]);
  const auto stream = static_cast<cudaStream_t>(assay_stream(call));
  if (q->shape[1] != kHeads || q->shape[2] != kDim || cache->shape[1] != kPageSize || cache->shape[3] != kDim + 4) {
    return -1;  // Written for these sizes alone.
  }
  const int64_t scores_per_row = pages_per_row * kPageSize;
  if (batch * scores_per_row > scores_held) {
    cudaFree(scores);
    scores_held = 0;
    const cudaError_t error = cudaMalloc(&scores, static_cast<size_t>(batch * scores_per_row) * sizeof(float));
    if (error != cudaSuccess) {
      return static_cast<int32_t>(error);
    }
    scores_held = batch * scores_per_row;
  }
  if (scores_per_row > topk) {
    const dim3 grid(static_cast<unsigned>(pages_per_row), static_cast<unsigned>(batch));
    compute_scores<<<grid, kScoreThreads, 0, stream>>>(data<const uint16_t>(q), data<const uint8_t>(cache),
                                                       data<const float>(assay_input(call, 2)), seq_lens, block_table,
                                                       topk, scores, scores_per_row);
  }
  select<<<static_cast<unsigned>(batch), kSelectThreads, 0, stream>>>(
      seq_lens, block_table, static_cast<int>(pages_per_row), scores, scores_per_row, topk,
      data<int32_t>(assay_output(call, 0)));
  return static_cast<int32_t>(cudaGetLastError());
}
