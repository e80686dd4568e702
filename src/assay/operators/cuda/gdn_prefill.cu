// The gated delta rule along sequences, token by token, in float64 throughout (gdn_prefill/reference.hpp has the formula),
// with the sizes of an honest kernel's errors beside it. Rows of a state do not touch each other: sixteen lanes carry one
// row along its sequence in registers, so that even a single sequence keeps every multiprocessor busy. What bounds it
// is the latency of a token's two sums, one after the other.
#include <cstddef>
#include <cstdint>

#include <assay/operators/cuda/arithmetic.hpp>
#include <assay/operators/cuda/error_comparison.hpp>
#include <assay/operators/cuda/reduction.cuh>
#include <assay/operators/gdn_prefill/error_size.hpp>

using namespace assay::operators::cuda;
using assay::operators::gdn_prefill::RowError;

namespace {

constexpr int kLanes = 16;      ///< That carry one row.
constexpr int kRowsABlock = 8;  ///< Of one head; 128 threads.
constexpr int kThreads = kLanes * kRowsABlock;
/// Tokens that are brought into shared memory at once; as many as lanes, so that each lane keeps one token's results.
constexpr int kTokens = kLanes;
static_assert(RowError::kRefreshTokens % kTokens == 0);

/// What a token and head has for all rows.
struct Gates {
  double g;
  double beta;
  double gain_square;  ///< (beta |k|)^2
  double reach;        ///< |scale| |q| / sqrt(head size)
};

/// One half of a warp a token and value head.
template <int kSize>
__device__ void compute_gates(const std::uint16_t* q, const std::uint16_t* k, const float* a_log,
                              const std::uint16_t* a, const float* dt_bias, const std::uint16_t* b, double scale,
                              std::uint64_t count, int value_heads, int query_heads, Gates* gates) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(thread % kLanes);
  // Lanes beyond the end go along with the last, for the sums.
  const std::size_t wanted = thread / kLanes;
  const std::size_t token_head = wanted < count ? wanted : count - 1;
  const std::size_t token = token_head / value_heads;
  const int head = static_cast<int>(token_head % value_heads);
  const std::size_t query_at = (token * query_heads + head / (value_heads / query_heads)) * kSize;
  double key_square = 0;
  double query_square = 0;
  for (int j = lane; j < kSize; j += kLanes) {
    const double key = bfloat16_value(k[query_at + j]);
    const double query = bfloat16_value(q[query_at + j]);
    key_square += key * key;
    query_square += query * query;
  }
  key_square = sum_over_lanes<kLanes>(key_square);
  query_square = sum_over_lanes<kLanes>(query_square);
  if (lane == 0 && wanted < count) {
    const double beta = sigmoid_value(bfloat16_value(b[token_head]));
    gates[token_head] = {decay_value(static_cast<double>(a_log[head]), bfloat16_value(a[token_head]),
                                     static_cast<double>(dt_bias[head])),
                         beta, beta * beta * key_square, fabs(scale) * sqrt(query_square / kSize)};
  }
}

/// What a block needs of kTokens consecutive tokens.
template <int kSize>
struct Staged {
  double q[kTokens][kSize];
  double k[kTokens][kSize];
  double v[kTokens][kRowsABlock];
  Gates gates[kTokens];
};

/// A row as sixteen lanes hold it: lane l has the keys l, l + 16, ...
template <int kSize>
struct Row {
  static constexpr int kKeys = kSize / kLanes;
  double values[kKeys];

  __device__ double square_norm() const {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      sum += values[i] * values[i];
    }
    return sum_over_lanes<kLanes>(sum);
  }
  /// row <- g row; returns row . k
  __device__ double decay_and_predict(double g, const double* k) {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      values[i] *= g;
      sum += values[i] * k[i * kLanes];
    }
    return sum_over_lanes<kLanes>(sum);
  }
  /// row <- row + delta k; returns row . q
  __device__ double write_and_read(double delta, const double* k, const double* q) {
    double sum = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      values[i] += delta * k[i * kLanes];
      sum += values[i] * q[i * kLanes];
    }
    return sum_over_lanes<kLanes>(sum);
  }
};

template <int kSize>
__device__ void stage(Staged<kSize>& staged, const std::uint16_t* q, const std::uint16_t* k, const std::uint16_t* v,
                      const Gates* gates, std::size_t token, int count, int head, int value_heads, int query_heads,
                      int first_row) {
  const int query_head = head / (value_heads / query_heads);
  for (int i = static_cast<int>(threadIdx.x); i < count * kSize; i += kThreads) {
    const int t = i / kSize;
    const std::size_t at = ((token + t) * query_heads + query_head) * kSize + i % kSize;
    staged.q[t][i % kSize] = bfloat16_value(q[at]);
    staged.k[t][i % kSize] = bfloat16_value(k[at]);
  }
  for (int i = static_cast<int>(threadIdx.x); i < count * kRowsABlock; i += kThreads) {
    const int t = i / kRowsABlock;
    const std::size_t at = ((token + t) * value_heads + head) * kSize + first_row + i % kRowsABlock;
    staged.v[t][i % kRowsABlock] = bfloat16_value(v[at]);
  }
  if (threadIdx.x < static_cast<unsigned>(count)) {
    staged.gates[threadIdx.x] = gates[(token + threadIdx.x) * value_heads + head];
  }
}

/// One block carries kRowsABlock rows of one value head along one sequence.
template <int kSize>
__device__ void walk(const std::uint16_t* q, const std::uint16_t* k, const std::uint16_t* v, const float* state,
                     const float* a_log, const std::int64_t* starts, const Gates* gates, double scale, int value_heads,
                     int query_heads, double* output, double* new_state, double* output_errors, double* state_errors) {
  static_assert(kSize % kLanes == 0 && kSize % kRowsABlock == 0);
  __shared__ Staged<kSize> staged;
  constexpr int kPieces = kSize / kRowsABlock;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int row_in_block = static_cast<int>(threadIdx.x) / kLanes;
  const int first_row = static_cast<int>(blockIdx.x) % kPieces * kRowsABlock;
  const std::size_t sequence_head = blockIdx.x / kPieces;
  const std::size_t sequence = sequence_head / value_heads;
  const int head = static_cast<int>(sequence_head % value_heads);
  const std::size_t state_row = sequence_head * kSize + first_row + row_in_block;
  const std::size_t begin = static_cast<std::size_t>(starts[sequence]);
  const std::size_t end = static_cast<std::size_t>(starts[sequence + 1]);
  const double decay_error = RowError::kSoftplus * exp(static_cast<double>(a_log[head]));

  Row<kSize> row;
#pragma unroll
  for (int i = 0; i < Row<kSize>::kKeys; ++i) {
    row.values[i] = static_cast<double>(state[state_row * kSize + lane + i * kLanes]);
  }
  RowError error(row.square_norm());
  for (std::size_t token = begin; token < end; token += kTokens) {
    const int count = static_cast<int>(end - token < kTokens ? end - token : kTokens);
    __syncthreads();
    stage(staged, q, k, v, gates, token, count, head, value_heads, query_heads, first_row);
    __syncthreads();
    if ((token - begin) % RowError::kRefreshTokens == 0) {
      error.refresh(row.square_norm());
    }
    double kept_output = 0;
    RowError kept_error = error;
    for (int t = 0; t < count; ++t) {
      const Gates gate = staged.gates[t];
      const double value = staged.v[t][row_in_block];
      const double predicted = row.decay_and_predict(gate.g, &staged.k[t][lane]);
      const double delta = gate.beta * (value - predicted);
      const double result = scale * row.write_and_read(delta, &staged.k[t][lane], &staged.q[t][lane]);
      error.step(gate.g * gate.g, gate.gain_square, value, predicted, kSize, decay_error);
      if (t == lane) {
        kept_output = result;
        kept_error = error;
      }
    }
    if (lane < count) {
      const std::size_t at = ((token + lane) * value_heads + head) * kSize + first_row + row_in_block;
      output[at] = kept_output;
      output_errors[at] = kept_error.of_output(kept_output, staged.gates[lane].reach);
    }
  }
  const bool empty = begin == end;
#pragma unroll
  for (int i = 0; i < Row<kSize>::kKeys; ++i) {
    new_state[state_row * kSize + lane + i * kLanes] = empty ? 0.0 : row.values[i];
  }
  const double norm = sqrt(row.square_norm());
  if (lane == 0) {
    state_errors[state_row] = empty ? 0.0 : error.of_state(norm);
  }
}

}  // namespace

#define ASSAY_GDN_PREFILL(SIZE)                                                                                       \
  extern "C" __global__ void __launch_bounds__(kThreads) assay_gdn_prefill_gates_##SIZE(                              \
      const std::uint16_t* q, const std::uint16_t* k, const float* a_log, const std::uint16_t* a,                     \
      const float* dt_bias, const std::uint16_t* b, double scale, std::uint64_t count, int value_heads,               \
      int query_heads, Gates* gates) {                                                                                \
    compute_gates<SIZE>(q, k, a_log, a, dt_bias, b, scale, count, value_heads, query_heads, gates);                   \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(kThreads) assay_gdn_prefill_walk_##SIZE(                               \
      const std::uint16_t* q, const std::uint16_t* k, const std::uint16_t* v, const float* state, const float* a_log, \
      const std::int64_t* starts, const Gates* gates, double scale, int value_heads, int query_heads, double* output, \
      double* new_state, double* output_errors, double* state_errors) {                                               \
    walk<SIZE>(q, k, v, state, a_log, starts, gates, scale, value_heads, query_heads, output, new_state,              \
               output_errors, state_errors);                                                                          \
  }

ASSAY_GDN_PREFILL(128)
ASSAY_GDN_PREFILL(16)

/// Counts the blocks of an output that are not surely right: one of ours a block at a time.
extern "C" __global__ void __launch_bounds__(kThreads)
    assay_gdn_prefill_check(const void* got, std::uint32_t is_bfloat16, const double* expected, const double* errors,
                            std::uint64_t blocks, std::uint64_t block_elements, std::uint64_t run, double most_element,
                            double most_norm, unsigned long long* doubtful) {
  constexpr int kWarp = 32;
  __shared__ double error_squares[kThreads / kWarp];
  __shared__ double honest_squares[kThreads / kWarp];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const bool leads = threadIdx.x % kWarp == 0;
  for (std::uint64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    ErrorSums sums;
    for (std::uint64_t i = threadIdx.x; i < block_elements; i += kThreads) {
      const std::uint64_t flat = block * block_elements + i;
      const double value = is_bfloat16 != 0 ? bfloat16_value(static_cast<const std::uint16_t*>(got)[flat])
                                            : static_cast<double>(static_cast<const float*>(got)[flat]);
      add_element(sums, value, expected[flat], errors[flat / run], flat % run == 0, most_element);
    }
    sums.error_square = sum_over_lanes<kWarp>(sums.error_square);
    sums.honest_square = sum_over_lanes<kWarp>(sums.honest_square);
    if (leads) {
      error_squares[warp] = sums.error_square;
      honest_squares[warp] = sums.honest_square;
    }
    const bool in_doubt = __syncthreads_or(sums.elements_hold ? 0 : 1) != 0;
    if (threadIdx.x == 0) {
      ErrorSums all;
      all.elements_hold = !in_doubt;
      for (int i = 0; i < kThreads / kWarp; ++i) {
        all.error_square += error_squares[i];
        all.honest_square += honest_squares[i];
      }
      if (!surely_within(all, most_norm)) {
        atomicAdd(doubtful, 1ULL);
      }
    }
    __syncthreads();
  }
}
