// One decode step of the gated delta rule in float64 throughout (gdn_decode/reference.hpp has the formula): one warp a row
// of a state, four keys a lane. What bounds it is memory: it reads 4 bytes and writes 8 an element of the state.
#include <cstddef>
#include <cstdint>

#include <assay/operators/cuda/arithmetic.hpp>
#include <assay/operators/cuda/reduction.cuh>
#include <assay/operators/gdn_decode/layout.hpp>

using namespace assay::operators::cuda;
using namespace assay::operators::gdn_decode;

namespace {

constexpr int kWarp = 32;
constexpr int kKeysALane = static_cast<int>(kHeadSize) / kWarp;

}  // namespace

/// `rows` is batch_size * kValueHeads * kHeadSize; the grid has at least so many warps.
extern "C" __global__ void __launch_bounds__(256)
    assay_gdn_decode(const std::uint16_t* q, const std::uint16_t* k, const std::uint16_t* v, const float* state,
                     const float* a_log, const std::uint16_t* a, const float* dt_bias, const std::uint16_t* b,
                     double scale, std::uint64_t rows, double* output, double* new_state) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t row = thread / kWarp;
  const std::size_t lane = thread % kWarp;
  if (row >= rows) {
    return;
  }
  const std::size_t batch_head = row / kHeadSize;
  const std::size_t head = batch_head % kValueHeads;
  const std::size_t query_at = batch_head / kValueHeadsPerQueryHead * kHeadSize + lane;
  const std::size_t state_at = row * kHeadSize + lane;
  const double g =
      decay_value(static_cast<double>(a_log[head]), bfloat16_value(a[batch_head]), static_cast<double>(dt_bias[head]));
  const double beta = sigmoid_value(bfloat16_value(b[batch_head]));
  double values[kKeysALane];
  double keys[kKeysALane];
  double predicted = 0;
#pragma unroll
  for (int i = 0; i < kKeysALane; ++i) {
    keys[i] = bfloat16_value(k[query_at + i * kWarp]);
    values[i] = g * static_cast<double>(state[state_at + i * kWarp]);
    predicted += values[i] * keys[i];
  }
  const double delta = beta * (bfloat16_value(v[row]) - sum_over_lanes<kWarp>(predicted));
  double read = 0;
#pragma unroll
  for (int i = 0; i < kKeysALane; ++i) {
    values[i] += delta * keys[i];
    new_state[state_at + i * kWarp] = values[i];
    read += values[i] * bfloat16_value(q[query_at + i * kWarp]);
  }
  read = sum_over_lanes<kWarp>(read);
  if (lane == 0) {
    output[row] = scale * read;
  }
}
