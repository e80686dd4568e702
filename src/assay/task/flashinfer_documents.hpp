#pragma once

#include <assay/base/json.hpp>

/// A definition and a solution as FlashInfer writes them, for several tests. Test code only.
namespace assay::task::testing {

/// Uses everything that only FlashInfer's dialect has, in the order in which FlashInfer writes it: an output written over
/// the input of its name, one that names its parameter, optional arguments, all dtypes of its own, a constant without a
/// value, an axis that is not declared, a decorated reference, check and init.
[[nodiscard]] base::Json flashinfer_definition();

/// The same contract as far as it can be run: what keeps it from being run is mended.
[[nodiscard]] base::Json runnable_flashinfer_definition();

[[nodiscard]] base::Json flashinfer_solution();

}  // namespace assay::task::testing
