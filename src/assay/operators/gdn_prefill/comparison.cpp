#include <assay/operators/gdn_prefill/comparison.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The norm of few elements fluctuates more than that of many.
constexpr ErrorRatios kMostOfOutput{.element = 20, .norm = 4};
constexpr ErrorRatios kMostOfSmallOutput{.element = 20, .norm = 6};
constexpr ErrorRatios kMostOfState{.element = 6, .norm = 4};
constexpr std::size_t kSmallBlock = 64;

double read(const tensor::ConstView& view, std::size_t flat) {
  if (view.dtype == tensor::DType::bfloat16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, view.bytes.data() + flat * sizeof bits, sizeof bits);
    return static_cast<double>(tensor::from_bfloat16(bits));
  }
  float value = 0;
  std::memcpy(&value, view.bytes.data() + flat * sizeof value, sizeof value);
  return static_cast<double>(value);
}

/// error / honest, where 0 / 0 is no error, and what is not finite is infinitely wrong.
double ratio(double error, double honest) {
  if (error == 0) {
    return 0;
  }
  return std::isfinite(error) && honest > 0 ? error / honest : kInfinity;
}

/// The errors of one block.
struct BlockRatios {
  double element = 0;
  double norm = 0;
  std::size_t worst = 0;  ///< The element of the largest ratio.
  std::size_t wrong = 0;  ///< Elements beyond `most`.

  [[nodiscard]] bool within(const ErrorRatios& most) const { return element <= most.element && norm <= most.norm; }
};

class Comparison {
 public:
  Comparison(const tensor::ConstView& got, std::span<const double> expected, std::span<const double> errors,
             std::size_t block)
      : got_(&got), expected_(expected), errors_(errors), block_(block) {
    using enum tensor::DType;
    ASSAY_CHECK(got.dtype == bfloat16 || got.dtype == float32);
    ASSAY_CHECK(tensor::element_count(got.shape) == expected.size());
    ASSAY_CHECK(tensor::byte_size(got.dtype, expected.size()) == got.bytes.size());
    ASSAY_CHECK(block > 0 && expected.size() % block == 0);
    if (!expected.empty()) {
      ASSAY_CHECK(!errors.empty() && expected.size() % errors.size() == 0);
      run_ = expected.size() / errors.size();
      ASSAY_CHECK(block % run_ == 0);
    }
  }

  [[nodiscard]] BlockRatios of_block(std::size_t index, double most_element) const {
    BlockRatios result;
    double error_square = 0;
    double honest_square = 0;
    const std::size_t first = index * block_;
    result.worst = first;
    for (std::size_t begin = first; begin < first + block_; begin += run_) {
      const double honest = errors_[begin / run_];
      honest_square += honest * honest;
      for (std::size_t flat = begin; flat < begin + run_; ++flat) {
        const double error = std::fabs(read(*got_, flat) - expected_[flat]);
        error_square += error * error;
        const double times = ratio(error, honest);
        if (times > result.element) {
          result.element = times;
          result.worst = flat;
        }
        result.wrong += times > most_element ? 1 : 0;
      }
    }
    // Where squares underflow the elements are all that can be held.
    result.norm = std::isfinite(error_square) && honest_square == 0
                      ? 0
                      : ratio(std::sqrt(error_square), std::sqrt(honest_square));
    return result;
  }

  [[nodiscard]] std::size_t blocks() const { return expected_.size() / block_; }
  [[nodiscard]] std::size_t block() const { return block_; }
  [[nodiscard]] const tensor::ConstView& got() const { return *got_; }
  [[nodiscard]] double got_at(std::size_t flat) const { return read(*got_, flat); }
  [[nodiscard]] double honest_at(std::size_t flat) const { return errors_[flat / run_]; }

  /// All blocks, on as many threads as may be used; in order of the blocks.
  [[nodiscard]] std::vector<BlockRatios> all(double most_element) const {
    constexpr std::size_t kElementsAPiece = std::size_t{1} << 16U;
    std::vector<BlockRatios> result(blocks());
    const std::size_t a_piece = std::max<std::size_t>(1, kElementsAPiece / block_);
    base::parallel_for((result.size() + a_piece - 1) / a_piece, [&](std::size_t piece) {
      for (std::size_t i = piece * a_piece; i < std::min(result.size(), (piece + 1) * a_piece); ++i) {
        result[i] = of_block(i, most_element);
      }
    });
    return result;
  }

 private:
  const tensor::ConstView* got_;
  std::span<const double> expected_;
  std::span<const double> errors_;
  std::size_t block_;
  std::size_t run_ = 1;
};

tensor::Mismatch describe(const Comparison& comparison, const std::vector<BlockRatios>& blocks,
                          std::span<const double> expected, const ErrorRatios& most) {
  const auto worst_element = std::max_element(blocks.begin(), blocks.end(),
                                              [](const auto& x, const auto& y) { return x.element < y.element; });
  const auto worst_norm =
      std::max_element(blocks.begin(), blocks.end(), [](const auto& x, const auto& y) { return x.norm < y.norm; });
  tensor::Mismatch mismatch;
  mismatch.elements = expected.size();
  mismatch.worst_block_norm_error = worst_norm->norm;
  for (const BlockRatios& block : blocks) {
    mismatch.mismatched_elements += block.wrong;
  }
  const bool by_element = mismatch.mismatched_elements > 0;
  mismatch.flat = by_element ? worst_element->worst : worst_norm->worst;
  const tensor::ConstView& got = comparison.got();
  mismatch.index = tensor::unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = comparison.got_at(mismatch.flat);
  const std::string place = fmt::format("{}{} is {:.9g}, expected {:.9g}", got.name, tensor::to_string(mismatch.index),
                                        mismatch.got, mismatch.expected);
  const auto wrong_blocks =
      std::count_if(blocks.begin(), blocks.end(), [&](const BlockRatios& block) { return !block.within(most); });
  if (by_element) {
    mismatch.reason = fmt::format(
        "{} (allowed difference {:.3g}); {} of {} elements differ by more than allowed, in {} of {} blocks of {}",
        place, most.element * comparison.honest_at(mismatch.flat), mismatch.mismatched_elements, mismatch.elements,
        wrong_blocks, blocks.size(), comparison.block());
  } else {
    mismatch.reason = fmt::format(
        "{}; no element is off by itself, but the norm of the error over its block of {} is {:.3g} times an honest "
        "one (allowed {:.3g}); {} of {} blocks are off",
        place, comparison.block(), worst_norm->norm, most.norm, wrong_blocks, blocks.size());
  }
  return mismatch;
}

}  // namespace

Tolerance tolerance_of(const Dimensions& dimensions, Output output) {
  ASSAY_CHECK(output < kOutputCount);
  if (output == kNewState) {
    return {kMostOfState, dimensions.state_size(), kStateError};
  }
  return {dimensions.head_size < kSmallBlock ? kMostOfSmallOutput : kMostOfOutput, dimensions.head_size, kOutputError};
}

std::optional<tensor::Mismatch> compare_with_errors(const tensor::ConstView& got, std::span<const double> expected,
                                                    std::span<const double> errors, std::size_t block,
                                                    const ErrorRatios& most) {
  const Comparison comparison(got, expected, errors, block);
  const auto blocks = comparison.all(most.element);
  if (std::all_of(blocks.begin(), blocks.end(), [&](const BlockRatios& each) { return each.within(most); })) {
    return std::nullopt;
  }
  return describe(comparison, blocks, expected, most);
}

ErrorRatios error_ratios(const tensor::ConstView& got, std::span<const double> expected, std::span<const double> errors,
                         std::size_t block) {
  ErrorRatios result;
  for (const BlockRatios& each : Comparison(got, expected, errors, block).all(kInfinity)) {
    result.element = std::max(result.element, each.element);
    result.norm = std::max(result.norm, each.norm);
  }
  return result;
}

}  // namespace assay::operators::gdn_prefill
