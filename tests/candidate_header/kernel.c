/* The C side: every name of the header used once, and every offset that the ABI fixes. kernel.cpp has the same in C++. */
#include <assay/candidate.h>
#include <stddef.h>

_Static_assert(sizeof(assay_argument) == 16, "size of assay_argument");
_Static_assert(offsetof(assay_argument, kind) == 0, "kind");
_Static_assert(offsetof(assay_argument, value) == 8, "value");
_Static_assert(sizeof(assay_call) == 40, "size of assay_call");
_Static_assert(offsetof(assay_call, abi_version) == 0, "abi_version");
_Static_assert(offsetof(assay_call, input_count) == 4, "input_count");
_Static_assert(offsetof(assay_call, output_count) == 8, "output_count");
_Static_assert(offsetof(assay_call, inputs) == 16, "inputs");
_Static_assert(offsetof(assay_call, stream) == 32, "stream");
_Static_assert(offsetof(assay_call, outputs) == 24, "outputs");

_Static_assert(sizeof(DLDataType) == 4, "size of DLDataType");
_Static_assert(sizeof(DLDevice) == 8, "size of DLDevice");
_Static_assert(sizeof(DLTensor) == 48, "size of DLTensor");
_Static_assert(offsetof(DLTensor, data) == 0, "data");
_Static_assert(offsetof(DLTensor, device) == 8, "device");
_Static_assert(offsetof(DLTensor, ndim) == 16, "ndim");
_Static_assert(offsetof(DLTensor, dtype) == 20, "dtype");
_Static_assert(offsetof(DLTensor, shape) == 24, "shape");
_Static_assert(offsetof(DLTensor, strides) == 32, "strides");
_Static_assert(offsetof(DLTensor, byte_offset) == 40, "byte_offset");

/* y = factor * x, or the number of the check that failed. */
ASSAY_KERNEL(scale) {
  if (call->abi_version != ASSAY_ABI_VERSION) return 1;
  if (call->input_count != 2 || call->output_count != 1) return 2;
  if (call->inputs[0].kind != ASSAY_TENSOR) return 3;
  const DLTensor* x = assay_input(call, 0);
  const DLTensor* y = assay_output(call, 0);
  const double factor = assay_scalar(call, 1);
  const float* from = (const float*)x->data;
  float* to = (float*)y->data;
  for (int64_t i = 0; i < x->shape[0]; ++i) to[i] = (float)(factor * (double)from[i]);
  return 0;
}
