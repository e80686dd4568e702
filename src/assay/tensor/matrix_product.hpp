#pragma once

#include <cstddef>
#include <functional>

#include <assay/tensor/product_kernel.hpp>

namespace assay::tensor {

/// Columns of a matrix that are read at once: `first_column` of a MatrixReader is a multiple of it.
inline constexpr std::size_t kDepthBlock = 512;

/// Writes rows [first_row, first_row + rows) and columns [first_column, first_column + columns) of a matrix to `to`,
/// row-major without gaps, and so decides how the matrix is stored: quantised, scaled, gathered. Called by several
/// threads at once.
using MatrixReader = std::function<void(std::size_t first_row, std::size_t rows, std::size_t first_column,
                                        std::size_t columns, double* to)>;

/// Takes all rows of `columns` columns of a product, which are final: row r begins at values + r * stride. Called once
/// for each column, by several threads at once.
using ProductSink =
    std::function<void(std::size_t first_column, std::size_t columns, const double* values, std::size_t stride)>;

/// Computes the product A B^T of a rows x depth and a columns x depth matrix in double precision. Each element is the
/// sum over ascending k, whatever the sizes and the number of threads. A is kept packed, in rows * depth doubles;
/// of B and the product a thread has (depth block + rows) * 64 doubles at a time. B is read once, A once.
void multiply_transposed(std::size_t rows, std::size_t columns, std::size_t depth, const MatrixReader& a,
                         const MatrixReader& b, const ProductSink& sink,
                         const ProductKernel& kernel = product_kernels().front());

}  // namespace assay::tensor
