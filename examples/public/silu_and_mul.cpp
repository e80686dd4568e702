// y = scale * silu(gate) * up in float32, where gate and up are the two halves of each row of x.
#include <assay/candidate.h>

#include <math.h>

ASSAY_KERNEL(run) {
  const float* x = static_cast<const float*>(assay_input(call, 0)->data);
  const float scale = static_cast<float>(assay_scalar(call, 1));
  const DLTensor* output = assay_output(call, 0);
  float* y = static_cast<float*>(output->data);
  const int64_t width = output->shape[1];
  for (int64_t row = 0; row < output->shape[0]; ++row) {
    const float* gate = x + 2 * row * width;
    const float* up = gate + width;
    for (int64_t i = 0; i < width; ++i) {
      y[row * width + i] = scale * gate[i] / (1.0f + expf(-gate[i])) * up[i];
    }
  }
  return 0;
}
