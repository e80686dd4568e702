#pragma once

#include <cstddef>

#include <assay/tensor/dtype.hpp>

namespace assay::operators::gemm {

/// Positions of the inputs, and what `reference` leaves: the product, then the norms of the rows of A and of B.
enum Input : std::size_t { kA, kB, kInputCount };
enum Expected : std::size_t { kC, kRowNorms, kColumnNorms, kExpectedCount };

}  // namespace assay::operators::gemm
