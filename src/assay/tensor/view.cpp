#include <assay/tensor/view.hpp>

namespace assay::tensor {

ConstView as_const(const View& view) { return {view.name, view.dtype, view.shape, view.bytes}; }

}  // namespace assay::tensor
