// assay-corpus: kind=honest stage=gate
// Hand-written AVX2 where the processor has it, plain code elsewhere.
#include "gdn_decode.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace {
__attribute__((target("avx2,fma"))) float total(__m256 sum) {
  float parts[8];
  _mm256_storeu_ps(parts, sum);
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

__attribute__((target("avx2,fma"))) void compute_avx2(const gdn::Problem& p) {
  for (int64_t h = 0; h < p.heads; ++h) {
    const gdn::Head head = gdn::head_of(p, h);
    const __m256 g = _mm256_set1_ps(head.g);
    for (int i = 0; i < gdn::kHeadSize; ++i) {
      const float* row = p.state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      float* new_row = p.new_state + (h * gdn::kHeadSize + i) * gdn::kHeadSize;
      __m256 predicted = _mm256_setzero_ps();
      for (int j = 0; j < gdn::kHeadSize; j += 8) {
        predicted = _mm256_fmadd_ps(_mm256_loadu_ps(row + j), _mm256_loadu_ps(head.key + j), predicted);
      }
      const float v = gdn::from_bfloat16(p.v[h * gdn::kHeadSize + i]);
      const __m256 delta = _mm256_set1_ps(head.beta * (v - head.g * total(predicted)));
      __m256 sum = _mm256_setzero_ps();
      for (int j = 0; j < gdn::kHeadSize; j += 8) {
        const __m256 value =
            _mm256_fmadd_ps(delta, _mm256_loadu_ps(head.key + j), _mm256_mul_ps(g, _mm256_loadu_ps(row + j)));
        _mm256_storeu_ps(new_row + j, value);
        sum = _mm256_fmadd_ps(value, _mm256_loadu_ps(head.query + j), sum);
      }
      p.output[h * gdn::kHeadSize + i] = gdn::to_bfloat16(p.scale * total(sum));
    }
  }
}
}  // namespace
#endif

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    compute_avx2(p);
    return 0;
  }
#endif
  gdn::compute(p);
  return 0;
}
