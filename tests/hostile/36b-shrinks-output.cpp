// assay-corpus: number=36 kind=hostile expect=incorrect probe=poison
// Sets the outputs' extents to zero: an empty output has no wrong element.
#include "gdn_decode.hpp"

ASSAY_KERNEL(run) {
  for (int i = 0; i < 2; ++i) {
    auto* tensor = const_cast<DLTensor*>(assay_output(call, i));
    for (int axis = 0; axis < tensor->ndim; ++axis) {
      tensor->shape[axis] = 0;
    }
  }
  return 0;
}
