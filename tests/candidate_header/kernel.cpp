// The C++ side; kernel.c has the same in C.
#include <assay/candidate.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

static_assert(std::is_standard_layout_v<assay_argument> && std::is_trivial_v<assay_argument>);
static_assert(std::is_standard_layout_v<assay_call> && std::is_trivial_v<assay_call>);
static_assert(std::is_standard_layout_v<DLTensor>);
static_assert(sizeof(assay_argument) == 16 && offsetof(assay_argument, value) == 8);
static_assert(sizeof(assay_call) == 40 && offsetof(assay_call, inputs) == 16 && offsetof(assay_call, outputs) == 24 &&
              offsetof(assay_call, stream) == 32);
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 && offsetof(DLTensor, ndim) == 16);
static_assert(offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24);
static_assert(offsetof(DLTensor, strides) == 32 && offsetof(DLTensor, byte_offset) == 40);
static_assert(std::is_same_v<assay_kernel_function, std::int32_t (*)(const assay_call*)>);

namespace {

template <class T>
void scale(const DLTensor& x, const DLTensor& y, double factor) {
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    static_cast<T*>(y.data)[i] = static_cast<T>(factor * static_cast<double>(static_cast<const T*>(x.data)[i]));
  }
}

}  // namespace

ASSAY_KERNEL(scale) {
  if (call->abi_version != ASSAY_ABI_VERSION) return 1;
  if (call->input_count != 2 || call->output_count != 1) return 2;
  if (call->inputs[0].kind != ASSAY_TENSOR) return 3;
  scale<float>(*assay_input(call, 0), *assay_output(call, 0), assay_scalar(call, 1));
  return 0;
}
