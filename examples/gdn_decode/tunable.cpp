// The decode step of the gated delta rule for a CPU, with its decisions left open. Each macro below is a
// parameter that a tuner may set; the values here are what one gets without a tuner.
//
//   g = exp(-exp(A_log) * softplus(a + dt_bias)),  beta = sigmoid(b)
//   S' = g S + beta (v - g S k) k^T,               output = scale * S' q
#include <assay/candidate.h>

#include <math.h>
#include <string.h>

// How a head's state (128 rows of the value dimension, 512 bytes each) is walked:
//   0  all rows twice: first S k, then S' and S' q. The second walk finds 64 KiB in the second-level cache.
//   1  a block of rows twice: the second walk finds the block in the first-level cache.
//   2  a block of rows twice, but both products come from the first walk, because
//      S' q = g (S q) + beta (v - g S k) (k . q); the second walk only updates.
#ifndef LOOP_ORDER
#define LOOP_ORDER 1
#endif
// Rows that are worked on together: more independent sums and fewer loads of q and k, until registers run
// out.
#ifndef BLOCK_V
#define BLOCK_V 4
#endif
// Floats in one vector: 4, 8 or 16.
#ifndef VECTOR_WIDTH
#define VECTOR_WIDTH 8
#endif
// Vectors a step along a row, each with a sum of its own.
#ifndef UNROLL
#define UNROLL 1
#endif
// Threads that share the heads; all but one are parked between calls.
#ifndef THREADS
#define THREADS 1
#endif
// 1: the new state goes past the caches to memory, which saves reading what is overwritten.
#ifndef STREAMING
#define STREAMING 0
#endif
// Rows between what is read and what is prefetched; 0: leave it to the hardware.
#ifndef PREFETCH_ROWS
#define PREFETCH_ROWS 0
#endif

#if THREADS > 1
#include <pthread.h>
#include <semaphore.h>
#endif

namespace {

constexpr int kValueHeads = 8;
constexpr int kValueHeadsPerQueryHead = 2;
constexpr int kHeadSize = 128;
constexpr int kVectors = kHeadSize / VECTOR_WIDTH;  // A row's.
static_assert(kHeadSize % BLOCK_V == 0 && kVectors % UNROLL == 0, "blocks must tile the state");

typedef float Vec4 __attribute__((vector_size(16), may_alias));
typedef float Vec8 __attribute__((vector_size(32), may_alias));
typedef float Vec16 __attribute__((vector_size(64), may_alias));
typedef float Vec __attribute__((vector_size(VECTOR_WIDTH * 4), may_alias));

#define ALWAYS_INLINE __attribute__((always_inline)) inline

ALWAYS_INLINE float horizontal_sum(const Vec4& x) { return (x[0] + x[2]) + (x[1] + x[3]); }
ALWAYS_INLINE float horizontal_sum(const Vec8& x) {
  const Vec4 half = __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  return horizontal_sum(half);
}
ALWAYS_INLINE float horizontal_sum(const Vec16& x) {
  const Vec8 half = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
  return horizontal_sum(half);
}

ALWAYS_INLINE void store(Vec* to, const Vec& value) {
#if STREAMING && defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif STREAMING && VECTOR_WIDTH == 16 && defined(__AVX512F__)
  __builtin_ia32_movntps512(reinterpret_cast<float*>(to), value);
#elif STREAMING && VECTOR_WIDTH == 8 && defined(__AVX__)
  __builtin_ia32_movntps256(reinterpret_cast<float*>(to), value);
#elif STREAMING && VECTOR_WIDTH == 4 && defined(__SSE__)
  __builtin_ia32_movntps(reinterpret_cast<float*>(to), value);
#else
  *to = value;
#endif
}

// Makes streaming stores visible before the caller is told that they are done.
ALWAYS_INLINE void finish_stores() {
#if STREAMING && defined(__SSE__)
  __builtin_ia32_sfence();
#endif
}

ALWAYS_INLINE void prefetch_row(const Vec* row) {
#if PREFETCH_ROWS > 0
  for (int byte = 0; byte < kHeadSize * 4; byte += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(row + PREFETCH_ROWS * kVectors) + byte);
  }
#else
  (void)row;
#endif
}

// Products of BLOCK_V rows with x, and with y too if kBoth.
template <bool kBoth>
ALWAYS_INLINE void multiply(const Vec* rows, const Vec* x, const Vec* y, float* with_x, float* with_y) {
  Vec sums_x[BLOCK_V][UNROLL] = {};
  Vec sums_y[BLOCK_V][UNROLL] = {};
  for (int r = 0; r < BLOCK_V; ++r) {
    prefetch_row(rows + r * kVectors);
  }
  for (int j = 0; j < kVectors; j += UNROLL) {
#pragma GCC unroll 16
    for (int r = 0; r < BLOCK_V; ++r) {
#pragma GCC unroll 4
      for (int u = 0; u < UNROLL; ++u) {
        const Vec s = rows[r * kVectors + j + u];
        sums_x[r][u] += s * x[j + u];
        if (kBoth) {
          sums_y[r][u] += s * y[j + u];
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < BLOCK_V; ++r) {
#pragma GCC unroll 4
    for (int u = 1; u < UNROLL; ++u) {
      sums_x[r][0] += sums_x[r][u];
      sums_y[r][0] += sums_y[r][u];
    }
    with_x[r] = horizontal_sum(sums_x[r][0]);
    if (kBoth) {
      with_y[r] = horizontal_sum(sums_y[r][0]);
    }
  }
}

// Writes g S + delta k^T for BLOCK_V rows; if kProducts, returns its products with q as well.
template <bool kProducts>
ALWAYS_INLINE void update(const Vec* rows, Vec* new_rows, const Vec* k, const Vec* q, float g, const float* delta,
                          float* with_q) {
  Vec sums[BLOCK_V][UNROLL] = {};
  for (int j = 0; j < kVectors; j += UNROLL) {
#pragma GCC unroll 16
    for (int r = 0; r < BLOCK_V; ++r) {
#pragma GCC unroll 4
      for (int u = 0; u < UNROLL; ++u) {
        const int at = r * kVectors + j + u;
        const Vec s = g * rows[at] + delta[r] * k[j + u];
        store(new_rows + at, s);
        if (kProducts) {
          sums[r][u] += s * q[j + u];
        }
      }
    }
  }
  if (kProducts) {
#pragma GCC unroll 16
    for (int r = 0; r < BLOCK_V; ++r) {
#pragma GCC unroll 4
      for (int u = 1; u < UNROLL; ++u) {
        sums[r][0] += sums[r][u];
      }
      with_q[r] = horizontal_sum(sums[r][0]);
    }
  }
}

float from_bfloat16(uint16_t bits) {
  const uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

uint16_t to_bfloat16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
}

template <class T>
T* data(const DLTensor* tensor) {
  return static_cast<T*>(tensor->data);
}

void run_head(const assay_call* call, int64_t h) {
  alignas(64) float key[kHeadSize];
  alignas(64) float query[kHeadSize];
  const int64_t query_at = h / kValueHeadsPerQueryHead * kHeadSize;
  float key_dot_query = 0.0f;
  for (int j = 0; j < kHeadSize; ++j) {
    query[j] = from_bfloat16(data<const uint16_t>(assay_input(call, 0))[query_at + j]);
    key[j] = from_bfloat16(data<const uint16_t>(assay_input(call, 1))[query_at + j]);
    key_dot_query += key[j] * query[j];
  }
  const float a_log = data<const float>(assay_input(call, 4))[h % kValueHeads];
  const float x = from_bfloat16(data<const uint16_t>(assay_input(call, 5))[h]) +
                  data<const float>(assay_input(call, 6))[h % kValueHeads];
  const float g = expf(-expf(a_log) * (x > 20.0f ? x : log1pf(expf(x))));
  const float beta = 1.0f / (1.0f + expf(-from_bfloat16(data<const uint16_t>(assay_input(call, 7))[h])));
  const float given_scale = static_cast<float>(assay_scalar(call, 8));
  const float scale = given_scale == 0.0f ? 1.0f / sqrtf(kHeadSize) : given_scale;

  const uint16_t* v = data<const uint16_t>(assay_input(call, 2)) + h * kHeadSize;
  const Vec* state = data<const Vec>(assay_input(call, 3)) + h * kHeadSize * kVectors;
  uint16_t* output = data<uint16_t>(assay_output(call, 0)) + h * kHeadSize;
  Vec* new_state = data<Vec>(assay_output(call, 1)) + h * kHeadSize * kVectors;
  const Vec* k = reinterpret_cast<const Vec*>(key);
  const Vec* q = reinterpret_cast<const Vec*>(query);

  float predicted[kHeadSize];
#if LOOP_ORDER == 0
  for (int i = 0; i < kHeadSize; i += BLOCK_V) {
    multiply<false>(state + i * kVectors, k, q, predicted + i, nullptr);
  }
#endif
  for (int i = 0; i < kHeadSize; i += BLOCK_V) {
    const Vec* rows = state + i * kVectors;
    float products[BLOCK_V] = {};
#if LOOP_ORDER == 1
    multiply<false>(rows, k, q, predicted + i, nullptr);
#elif LOOP_ORDER == 2
    multiply<true>(rows, k, q, predicted + i, products);
#endif
    float delta[BLOCK_V];
    for (int r = 0; r < BLOCK_V; ++r) {
      delta[r] = beta * (from_bfloat16(v[i + r]) - g * predicted[i + r]);
    }
    update<LOOP_ORDER != 2>(rows, new_state + i * kVectors, k, q, g, delta, products);
    for (int r = 0; r < BLOCK_V; ++r) {
      const float product = LOOP_ORDER == 2 ? g * products[r] + delta[r] * key_dot_query : products[r];
      output[i + r] = to_bfloat16(scale * product);
    }
  }
}

// The share of thread `rank`: neighbouring heads, so that two threads write to different pages.
void run_share(const assay_call* call, int rank) {
  const int64_t heads = assay_input(call, 3)->shape[0] * kValueHeads;
  for (int64_t h = heads * rank / THREADS; h < heads * (rank + 1) / THREADS; ++h) {
    run_head(call, h);
  }
  finish_stores();
}

#if THREADS > 1
struct ParkedThread {
  sem_t start;
  sem_t done;
  const assay_call* call;
  int rank;
};
ParkedThread parked[THREADS - 1];

void* serve(void* argument) {
  ParkedThread* self = static_cast<ParkedThread*>(argument);
  for (;;) {
    while (sem_wait(&self->start) != 0) {
    }
    run_share(self->call, self->rank);
    sem_post(&self->done);
  }
  return nullptr;
}

bool start_threads() {
  for (int i = 0; i < THREADS - 1; ++i) {
    parked[i].rank = i + 1;
    pthread_t thread;
    if (sem_init(&parked[i].start, 0, 0) != 0 || sem_init(&parked[i].done, 0, 0) != 0 ||
        pthread_create(&thread, nullptr, serve, &parked[i]) != 0) {
      return false;
    }
    pthread_detach(thread);
  }
  return true;
}
#endif

}  // namespace

ASSAY_KERNEL(run) {
#if THREADS > 1
  static const bool started = start_threads();
  if (!started) {
    return 1;
  }
  for (ParkedThread& other : parked) {
    other.call = call;
    sem_post(&other.start);
  }
  run_share(call, 0);
  for (ParkedThread& other : parked) {
    while (sem_wait(&other.done) != 0) {
    }
  }
#else
  run_share(call, 0);
#endif
  return 0;
}
