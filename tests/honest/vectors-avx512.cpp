// assay-corpus: kind=honest stage=gate
// Hand-written AVX-512 with stores that bypass the caches, where the processor has it.
#include "gdn_decode.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace {
__attribute__((target("avx512f"))) void compute_avx512(const gdn::Problem& p) {
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    const __m512 g = _mm512_set1_ps(head.g);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      __m512 predicted = _mm512_setzero_ps();
      for (int j = 0; j < gdn::kHeadSize; j += 16) {
        predicted = _mm512_fmadd_ps(_mm512_loadu_ps(row + j), _mm512_loadu_ps(head.key + j), predicted);
      }
      const float v = gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]);
      const __m512 delta = _mm512_set1_ps(head.beta * (v - head.g * _mm512_reduce_add_ps(predicted)));
      __m512 sum = _mm512_setzero_ps();
      for (int j = 0; j < gdn::kHeadSize; j += 16) {
        const __m512 value =
            _mm512_fmadd_ps(delta, _mm512_loadu_ps(head.key + j), _mm512_mul_ps(g, _mm512_loadu_ps(row + j)));
        _mm512_stream_ps(new_row + j, value);
        sum = _mm512_fmadd_ps(value, _mm512_loadu_ps(head.query + j), sum);
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * _mm512_reduce_add_ps(sum));
    }
  }
  _mm_sfence();
}
}  // namespace
#endif

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    compute_avx512(p);
    return 0;
  }
#endif
  gdn::compute(p);
  return 0;
}
