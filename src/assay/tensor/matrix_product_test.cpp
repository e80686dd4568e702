#include <assay/tensor/matrix_product.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <mutex>
#include <vector>

#include <assay/base/random.hpp>

namespace assay::tensor {
namespace {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  [[nodiscard]] MatrixReader reader() const {
    return [this](std::size_t first_row, std::size_t count, std::size_t first_column, std::size_t width, double* to) {
      EXPECT_LE(first_row + count, rows);
      EXPECT_LE(first_column + width, columns);
      EXPECT_EQ(first_column % kDepthBlock, 0U);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < width; ++k) {
          *to++ = values[(first_row + i) * columns + first_column + k];
        }
      }
    };
  }
};

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t stream) {
  base::Philox random(7, stream);
  Matrix matrix{rows, columns, std::vector<double>(rows * columns)};
  for (double& value : matrix.values) {
    value = random.next_normal();
  }
  return matrix;
}

std::vector<double> product(const Matrix& a, const Matrix& b, const ProductKernel& kernel) {
  std::vector<double> result(a.rows * b.rows, std::nan(""));
  std::vector<int> taken(b.rows, 0);
  std::mutex mutex;
  multiply_transposed(
      a.rows, b.rows, a.columns, a.reader(), b.reader(),
      [&](std::size_t first, std::size_t count, const double* values, std::size_t stride) {
        const std::lock_guard lock(mutex);
        for (std::size_t j = 0; j < count; ++j) {
          ++taken[first + j];
          for (std::size_t i = 0; i < a.rows; ++i) {
            result[i * b.rows + first + j] = values[i * stride + j];
          }
        }
      },
      kernel);
  EXPECT_THAT(taken, testing::Each(1)) << "each column once";
  return result;
}

class MatrixProduct : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static const ProductKernel& kernel() { return product_kernels()[GetParam()]; }
};

TEST_P(MatrixProduct, AgreesWithThreeLoopsOfLongDoubles) {
  struct Sizes {
    std::size_t rows, columns, depth;
  };
  for (const Sizes& size : {Sizes{1, 1, 1},
                            {1, 16, 128},
                            {12, 64, 512},
                            {13, 65, 513},
                            {11, 63, 511},
                            {25, 17, 1100},
                            {5, 130, 31},
                            {24, 15, 1024},
                            {7, 1, 2000}}) {
    const Matrix a = random_matrix(size.rows, size.depth, 1);
    const Matrix b = random_matrix(size.columns, size.depth, 2);
    const auto got = product(a, b, kernel());
    for (std::size_t i = 0; i < size.rows; ++i) {
      for (std::size_t j = 0; j < size.columns; ++j) {
        long double sum = 0;
        for (std::size_t k = 0; k < size.depth; ++k) {
          sum += static_cast<long double>(a.values[i * size.depth + k]) *
                 static_cast<long double>(b.values[j * size.depth + k]);
        }
        ASSERT_NEAR(got[i * size.columns + j], static_cast<double>(sum),
                    1e-13 * std::sqrt(static_cast<double>(size.depth)) + 1e-14)
            << kernel().name << " " << size.rows << " x " << size.columns << " x " << size.depth << ": " << i << ", "
            << j;
      }
    }
  }
}

TEST_P(MatrixProduct, AnElementDoesNotDependOnTheRowsAndColumnsAroundIt) {
  const Matrix a = random_matrix(29, 700, 3);
  const Matrix b = random_matrix(70, 700, 4);
  const auto whole = product(a, b, kernel());
  for (const std::size_t row : {0U, 11U, 12U, 17U, 28U}) {
    const Matrix one{1,
                     700,
                     {a.values.begin() + static_cast<std::ptrdiff_t>(row * 700),
                      a.values.begin() + static_cast<std::ptrdiff_t>(row * 700 + 700)}};
    const auto alone = product(one, b, kernel());
    for (std::size_t j = 0; j < b.rows; ++j) {
      ASSERT_EQ(alone[j], whole[row * b.rows + j]) << kernel().name << " " << row << ", " << j;
    }
  }
}

TEST_P(MatrixProduct, SmallIntegersAreExactAndInTheirPlaces) {
  Matrix a = random_matrix(14, 600, 5);
  Matrix b = random_matrix(67, 600, 6);
  for (Matrix* matrix : {&a, &b}) {
    for (double& value : matrix->values) {
      value = std::round(4 * value);
    }
  }
  const auto got = product(a, b, kernel());
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.rows; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 600; ++k) {
        sum += a.values[i * 600 + k] * b.values[j * 600 + k];
      }
      ASSERT_EQ(got[i * b.rows + j], sum);
    }
  }
}

TEST_P(MatrixProduct, NothingTimesSomethingIsNothing) {
  const Matrix none{0, 64, {}};
  const Matrix some = random_matrix(9, 64, 8);
  EXPECT_TRUE(product(none, some, kernel()).empty());
  EXPECT_TRUE(product(some, none, kernel()).empty());
  const Matrix shallow{9, 0, {}};
  EXPECT_THAT(product(shallow, shallow, kernel()), testing::Each(0.0));
}

TEST_P(MatrixProduct, NotANumberStaysInItsRowAndColumn) {
  Matrix a = random_matrix(13, 64, 9);
  const Matrix b = random_matrix(17, 64, 10);
  a.values[12 * 64 + 5] = std::nan("");
  const auto got = product(a, b, kernel());
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.rows; ++j) {
      EXPECT_EQ(std::isnan(got[i * b.rows + j]), i == 12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, MatrixProduct, testing::Range<std::size_t>(0, product_kernels().size()),
                         [](const auto& instance) { return std::string(product_kernels()[instance.param].name); });

TEST(ProductKernels, ThePlainOneIsAlwaysThereAndLast) {
  ASSERT_FALSE(product_kernels().empty());
  EXPECT_EQ(product_kernels().back().name, "plain");
}

}  // namespace
}  // namespace assay::tensor
