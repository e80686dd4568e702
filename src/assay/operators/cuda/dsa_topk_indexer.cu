// The reference and the check of the top-k indexer on a GPU: makers.hpp and dsa_topk_check.hpp say what they do, scores.cpp and
// comparison.cpp of dsa_topk_indexer/ what they have to agree with. Products of fp8 numbers and their sums are exact in double
// precision, so that their order is free; sums over heads go in the CPU's order, without fused operations.
#include <cstdint>

#include <assay/device/cuda/element_format.hpp>
#include <assay/operators/cuda/dsa_topk_call.hpp>

namespace {

using namespace assay::operators::cuda;
using assay::device::cuda::bits_as;
using assay::device::cuda::float8_e4m3fn_value;
using assay::device::cuda::is_finite;

constexpr unsigned kTile = 64;   // Tokens, and heads, of a thread block of assay_topk_scores.
constexpr unsigned kDepth = 32;  // Elements of the head that it holds at a time.
constexpr unsigned kStrand = 4;  // A thread has kStrand x kStrand dot products.
constexpr unsigned kSide = kTile / kStrand;
constexpr unsigned kThreads = kSide * kSide;
constexpr unsigned kLoaders = kThreads / kTile;  // Threads that load elements of one head and of one token.
constexpr double kInfinity = HUGE_VAL;
constexpr double kNotScored = NAN;
constexpr double kLargestFloat = 0x1.fffffep127;
constexpr double kSmallestNormal = 0x1p-126;
constexpr double kRelativeSlack = 0x1p-14;  // As scores.hpp; a test holds the two against each other.
// Part of a slack that the check uses: scores here and on a CPU differ by rounding at most, 2^-46 of what a slack is a
// 2^-14th of.
constexpr double kCertainty = 1 - 0x1p-20;

__device__ double larger(double x, double y) { return x < y ? y : x; }  // std::max: x if they do not compare.

// The row's length, or -1 if it is out of range.
__device__ std::int64_t checked_length(const TopkCall& call, unsigned row) {
  const std::int32_t length = call.lengths[row];
  return length < 0 || static_cast<std::uint64_t>(length) > call.capacity() ? -1 : length;
}

__device__ bool is_page(const TopkCall& call, std::int32_t page) {
  return page >= 0 && static_cast<std::uint32_t>(page) < call.pages;
}

}  // namespace

// A thread block takes a row; shared memory holds two doubles a head.
extern "C" __global__ void assay_topk_rows(TopkCall call, TopkRow* rows) {
  extern __shared__ double shared[];
  double* const norms = shared;
  double* const sums = shared + call.heads;
  const unsigned row = blockIdx.x;
  for (unsigned head = threadIdx.x; head < call.heads; head += blockDim.x) {
    const std::uint8_t* const query = call.query + (std::uint64_t{row} * call.heads + head) * call.head_size;
    double square = 0;
    double sum = 0;
    for (unsigned d = 0; d < call.head_size; ++d) {
      const double value = float8_e4m3fn_value(query[d]);
      square += value * value;
      sum += fabs(value);
    }
    norms[head] = sqrt(square);
    sums[head] = sum;
  }
  __syncthreads();
  if (threadIdx.x != 0) {
    return;
  }
  TopkRow facts;
  double weights = 0;
  double weighted_sum = 0;
  for (unsigned head = 0; head < call.heads; ++head) {
    const double weight = fabs(static_cast<double>(call.weights[std::uint64_t{row} * call.heads + head]));
    weights = __dadd_rn(weights, weight);
    weighted_sum = __dadd_rn(weighted_sum, __dmul_rn(weight, sums[head]));
    facts.weighted_norm = __dadd_rn(facts.weighted_norm, __dmul_rn(weight, norms[head]));
    facts.largest_norm = larger(facts.largest_norm, norms[head] == norms[head] ? norms[head] : kLargestFloat);
  }
  const double products = __dmul_rn(__dmul_rn(weights, 2), static_cast<double>(call.head_size));
  const double terms = __dadd_rn(__dadd_rn(weighted_sum, products), static_cast<double>(call.heads));
  facts.underflow = __dmul_rn(kSmallestNormal, __dadd_rn(terms, 1));
  rows[row] = facts;
}

// A thread block of kThreads takes kTile tokens of a row (blockIdx.y), and the heads kTile at a time. Rows that keep all
// of their tokens need no scores, and rows that are out of range are refused by the check: what is not scored gets a NaN
// and an infinite slack.
extern "C" __global__ void __launch_bounds__(kThreads)
    assay_topk_scores(TopkCall call, const TopkRow* rows, double* scores, double* slacks) {
  // First the elements of queries and keys, [depth][head or token]; then the dot products, [head][token].
  __shared__ double memory[2 * kDepth * kTile];
  __shared__ double squares[kLoaders][kTile];
  __shared__ std::uint64_t key_at[kTile];
  __shared__ double scales[kTile];
  double* const queries = memory;
  double* const keys = memory + kDepth * kTile;
  const unsigned row = blockIdx.y;
  const unsigned thread = threadIdx.x;
  const std::int64_t length = checked_length(call, row);
  const std::int64_t first = std::int64_t{blockIdx.x} * kTile;
  const std::uint64_t at = row * call.capacity() + first + thread;  // Of the token of this thread, if it has one.
  const bool has_token = thread < kTile && first + thread < static_cast<std::int64_t>(call.capacity());
  if (length <= static_cast<std::int64_t>(call.topk) || first >= length) {
    if (has_token) {
      scores[at] = kNotScored;
      slacks[at] = kInfinity;
    }
    return;
  }
  if (thread < kTile) {
    // Beyond the row's end, and for a page that is none, the front of the cache is read, and thrown away.
    const std::int64_t position = first + thread;
    std::uint64_t page = 0;
    std::uint64_t place = 0;
    if (position < length) {
      const std::int32_t entry =
          call.table[std::uint64_t{row} * call.table_width + static_cast<std::uint64_t>(position) / call.page_size];
      page = is_page(call, entry) ? static_cast<std::uint64_t>(entry) : 0;
      place = static_cast<std::uint64_t>(position) % call.page_size;
    }
    const std::uint64_t begin = page * call.page_bytes();
    key_at[thread] = begin + place * call.head_size;
    const std::uint64_t scale_at = begin + std::uint64_t{call.page_size} * call.head_size + place * sizeof(float);
    scales[thread] = static_cast<double>(*reinterpret_cast<const float*>(call.cache + scale_at));
  }
  const unsigned column = thread % kSide;  // Of tokens, kSide apart.
  const unsigned line = thread / kSide;    // Of heads, likewise.
  const unsigned loaded = thread % kTile;  // The head and the token whose elements this thread loads.
  const unsigned loader = thread / kTile;
  double score = 0;
  double square = 0;
  for (unsigned first_head = 0; first_head < call.heads; first_head += kTile) {
    double dots[kStrand][kStrand] = {};
    const bool has_head = first_head + loaded < call.heads;
    const std::uint64_t query_at =
        (std::uint64_t{row} * call.heads + (has_head ? first_head + loaded : 0)) * call.head_size;
    for (unsigned depth = 0; depth < call.head_size; depth += kDepth) {
      __syncthreads();  // What was in the memory has been read; key_at is there.
      for (unsigned d = 4 * loader; d < kDepth; d += 4 * kLoaders) {
        // Four elements at a time: a head has a multiple of eight, and keys lie at multiples of four bytes.
        const bool inside = depth + d < call.head_size;
        const std::uint32_t of_query =
            inside && has_head ? *reinterpret_cast<const std::uint32_t*>(call.query + query_at + depth + d) : 0;
        const std::uint32_t of_key =
            inside ? *reinterpret_cast<const std::uint32_t*>(call.cache + key_at[loaded] + depth + d) : 0;
        for (unsigned i = 0; i < 4; ++i) {
          const double key = float8_e4m3fn_value(static_cast<std::uint8_t>(of_key >> (8 * i)));
          queries[(d + i) * kTile + loaded] = float8_e4m3fn_value(static_cast<std::uint8_t>(of_query >> (8 * i)));
          keys[(d + i) * kTile + loaded] = key;
          square += first_head == 0 ? key * key : 0;
        }
      }
      __syncthreads();
      for (unsigned d = 0; d < kDepth; ++d) {
        double of_heads[kStrand];
        double of_tokens[kStrand];
        for (unsigned i = 0; i < kStrand; ++i) {
          of_heads[i] = queries[d * kTile + line + i * kSide];
          of_tokens[i] = keys[d * kTile + column + i * kSide];
        }
        for (unsigned i = 0; i < kStrand; ++i) {
          for (unsigned j = 0; j < kStrand; ++j) {
            dots[i][j] += of_heads[i] * of_tokens[j];
          }
        }
      }
    }
    __syncthreads();
    for (unsigned i = 0; i < kStrand; ++i) {
      for (unsigned j = 0; j < kStrand; ++j) {
        memory[(line + i * kSide) * kTile + column + j * kSide] = dots[i][j];
      }
    }
    squares[loader][loaded] = square;
    __syncthreads();
    if (thread < kTile) {
      for (unsigned head = 0; head < kTile && first_head + head < call.heads; ++head) {
        const double scaled = __dmul_rn(scales[thread], memory[head * kTile + thread]);
        const double weight = static_cast<double>(call.weights[std::uint64_t{row} * call.heads + first_head + head]);
        score = __dadd_rn(score, __dmul_rn(weight, scaled < 0 ? 0 : scaled));  // A NaN stays one.
      }
    }
  }
  if (!has_token) {
    return;
  }
  if (first + thread >= length) {
    scores[at] = kNotScored;
    slacks[at] = kInfinity;
    return;
  }
  square = 0;
  for (unsigned i = 0; i < kLoaders; ++i) {
    square += squares[i][thread];
  }
  const TopkRow facts = rows[row];
  const double norm = sqrt(square);
  const double scale = fabs(scales[thread]);
  double slack =
      __dadd_rn(__dmul_rn(kRelativeSlack, __dmul_rn(__dmul_rn(scale, norm), facts.weighted_norm)), facts.underflow);
  const double largest = larger(1, scale) * norm * larger(larger(1, facts.largest_norm), facts.weighted_norm);
  if (!(largest < kLargestFloat) || !is_finite(score)) {
    slack = kInfinity;
  }
  scores[at] = score;
  slacks[at] = slack;
}

// A thread block takes a row: which token each id means, which are taken, how many, and for a long row whether the
// chosen ones may be the highest. `taken` holds a bit for each position, (capacity + 31) / 32 words a row. The result
// holds its first values.
extern "C" __global__ void assay_topk_check(TopkCall call, const std::int32_t* ids, const double* scores,
                                            const double* slacks, std::uint32_t* taken, TopkCheckResult* result) {
  __shared__ std::uint32_t doubts;
  __shared__ std::uint32_t chosen;
  __shared__ double lowest_chosen[32];
  __shared__ double highest_left[32];
  const unsigned row = blockIdx.x;
  const unsigned warp = threadIdx.x / 32;
  const std::int64_t length = checked_length(call, row);
  const std::uint64_t words = (call.capacity() + 31) / 32;
  std::uint32_t* const bits = taken + row * words;
  const std::int32_t* const table = call.table + std::uint64_t{row} * call.table_width;
  if (threadIdx.x == 0) {
    doubts = length < 0 ? TopkDoubt::kInput : 0;
    chosen = 0;
  }
  for (std::uint64_t word = threadIdx.x; word < words; word += blockDim.x) {
    bits[word] = 0;
  }
  __syncthreads();
  const std::uint64_t entries = length < 0 ? 0 : (length + call.page_size - 1) / call.page_size;
  for (std::uint64_t entry = threadIdx.x; entry < entries; entry += blockDim.x) {
    if (!is_page(call, table[entry])) {
      atomicOr(&doubts, TopkDoubt::kInput);
    }
  }
  __syncthreads();
  if (doubts == 0) {
    for (unsigned slot = threadIdx.x; slot < call.topk; slot += blockDim.x) {
      const std::int32_t id = ids[std::uint64_t{row} * call.topk + slot];
      if (id == -1) {
        continue;
      }
      if (id < 0 || static_cast<std::uint64_t>(id) >= std::uint64_t{call.pages} * call.page_size) {
        atomicOr(&doubts, TopkDoubt::kToken);
        continue;
      }
      const auto page = static_cast<std::int32_t>(static_cast<std::uint32_t>(id) / call.page_size);
      const std::uint64_t place = static_cast<std::uint32_t>(id) % call.page_size;
      bool within = false;
      bool mine = false;
      // A page that the row has n times is n tokens: each id takes the first that is free, in any order of the slots.
      for (std::uint64_t entry = 0; entry < entries && !mine; ++entry) {
        const std::uint64_t position = entry * call.page_size + place;
        if (table[entry] != page || position >= static_cast<std::uint64_t>(length)) {
          continue;
        }
        within = true;
        const std::uint32_t bit = 1U << (position % 32);
        mine = (atomicOr(&bits[position / 32], bit) & bit) == 0;
      }
      if (mine) {
        atomicAdd(&chosen, 1U);
      } else {
        atomicOr(&doubts, within ? TopkDoubt::kTwice : TopkDoubt::kToken);
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && doubts == 0 && chosen != (length < call.topk ? length : call.topk)) {
    doubts = TopkDoubt::kCount;
  }
  __syncthreads();
  if (doubts == 0 && length > call.topk) {
    double lowest = kInfinity;
    double highest = -kInfinity;
    for (std::int64_t position = threadIdx.x; position < length; position += blockDim.x) {
      const double score = scores[row * call.capacity() + position];
      const double slack = slacks[row * call.capacity() + position];
      if (!is_finite(slack)) {
        continue;  // It may be chosen or not, and says nothing about the others.
      }
      if ((__ldcg(&bits[position / 32]) >> (position % 32) & 1U) != 0) {  // Where the atomic operations are done.
        const double most = score + kCertainty * slack;
        lowest = most < lowest ? most : lowest;
      } else {
        const double least = score - kCertainty * slack;
        highest = least > highest ? least : highest;
      }
    }
    for (unsigned by = 16; by > 0; by /= 2) {
      const double other_lowest = __shfl_down_sync(0xffffffffU, lowest, by);
      const double other_highest = __shfl_down_sync(0xffffffffU, highest, by);
      lowest = other_lowest < lowest ? other_lowest : lowest;
      highest = other_highest > highest ? other_highest : highest;
    }
    if (threadIdx.x % 32 == 0) {
      lowest_chosen[warp] = lowest;
      highest_left[warp] = highest;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned i = 1; i < blockDim.x / 32; ++i) {
        lowest = lowest_chosen[i] < lowest ? lowest_chosen[i] : lowest;
        highest = highest_left[i] > highest ? highest_left[i] : highest;
      }
      if (!(lowest >= highest)) {
        doubts = TopkDoubt::kMargin;
      }
    }
  }
  if (threadIdx.x == 0 && doubts != 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&result->doubtful_rows), 1ULL);
    atomicMin(reinterpret_cast<unsigned long long*>(&result->first_row), static_cast<unsigned long long>(row));
    atomicOr(reinterpret_cast<unsigned long long*>(&result->doubts), static_cast<unsigned long long>(doubts));
  }
}
