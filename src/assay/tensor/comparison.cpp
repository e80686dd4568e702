#include <assay/tensor/comparison.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/base/rounding_error.hpp>
#include <assay/tensor/element_access.hpp>

namespace assay::tensor {
namespace {

/// What one pass accumulates. A NaN or an infinity on either side makes `error` not finite.
struct Sums {
  double error = 0;            ///< Sum of (got - expected)^2.
  double expected = 0;         ///< Sum of expected^2.
  double excess = -kInfinity;  ///< Maximum of |got - expected| - relative * |expected|.

  void add(const Sums& other) {
    error += other.error;
    expected += other.expected;
    excess = std::max(excess, other.excess);
  }
};

/// Two lanes of `Sums`.
struct Lanes {
  Pair error{0, 0};
  Pair expected{0, 0};
  Pair excess{-kInfinity, -kInfinity};

  void add(const std::byte* got, const double* wanted_at, Pair relative) {
    FloatPair narrow;
    Pair wanted;
    std::memcpy(&narrow, got, sizeof narrow);
    std::memcpy(&wanted, wanted_at, sizeof wanted);
    const Pair difference = __builtin_convertvector(narrow, Pair) - wanted;
    error += difference * difference;
    expected += wanted * wanted;
    const Pair over = magnitude_of(difference) - relative * magnitude_of(wanted);
    excess = over > excess ? over : excess;
  }
};

/// Accumulates `count` float32 elements. `got` need not be aligned.
Sums accumulate(const std::byte* got, const double* expected, std::size_t count, double relative) {
  const Pair factor{relative, relative};
  Lanes first;
  Lanes second;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    first.add(got + i * sizeof(float), expected + i, factor);
    second.add(got + (i + 2) * sizeof(float), expected + i + 2, factor);
  }
  Sums sums;
  for (const Lanes& lanes : {first, second}) {
    sums.add({lanes.error[0], lanes.expected[0], lanes.excess[0]});
    sums.add({lanes.error[1], lanes.expected[1], lanes.excess[1]});
  }
  for (; i < count; ++i) {
    const double difference = static_cast<double>(load<float>(got, i)) - expected[i];
    sums.add({difference * difference, expected[i] * expected[i],
              std::fabs(difference) - relative * std::fabs(expected[i])});
  }
  return sums;
}

Sums accumulate_range(const ConstView& got, std::span<const double> expected, std::size_t first, std::size_t count,
                      double relative) {
  Sums sums;
  for_each_tile(got, first, count, [&](const std::byte* bytes, std::size_t at, std::size_t now) {
    sums.add(accumulate(bytes, expected.data() + at, now, relative));
  });
  return sums;
}

/// The blocks over which the norm is taken.
struct Blocks {
  Shape shape;  ///< The leading axes.
  std::size_t count = 1;
  std::size_t size = 0;
};

Blocks make_blocks(const Shape& shape, int norm_axes, std::size_t elements) {
  ASSAY_CHECK(norm_axes >= 0 && static_cast<std::size_t>(norm_axes) <= shape.size());
  Blocks blocks;
  blocks.shape.assign(shape.begin(), shape.begin() + norm_axes);
  blocks.count = element_count(blocks.shape);
  blocks.size = blocks.count == 0 ? 0 : elements / blocks.count;
  return blocks;
}

/// Whether the whole tensor errs by no more than the rule allows beyond an honest implementation; rounding is looked at only
/// where it matters.
bool ratio_holds(const ConstView& got, std::span<const double> expected, const ComparisonRule& rule,
                 double error_square, double expected_square) {
  if (rule.error_ratio == 0 || error_square == 0) {
    return true;
  }
  const double ratio_square = rule.error_ratio * rule.error_ratio;
  const double working_square = rule.working * rule.working * expected_square;
  return error_square <= ratio_square * working_square ||
         error_square <= ratio_square * (working_square + rounding_square(got.dtype, expected));
}

bool norm_holds(double error_square, double expected_square, double norm) {
  // Without an error nothing is wrong, even if what is expected is too large to be squared.
  return norm == kInfinity || error_square == 0 || std::sqrt(error_square) <= norm * std::sqrt(expected_square);
}

/// Decides the common case in one pass over memory: the absolute tolerance needs the RMS of all that is
/// expected, so the pass keeps the largest excess over the relative part and holds it against the absolute
/// one at the end. Answers false when in doubt (any NaN or infinity, legitimate or not): then `find_mismatch`
/// decides.
bool surely_equal(const ConstView& got, std::span<const double> expected, const ComparisonRule& rule,
                  const Blocks& blocks) {
  // Each block's sums are its own, so that the answer does not depend on how many threads there are.
  std::vector<Sums> of_block(blocks.count);
  const std::size_t blocks_a_piece = std::max<std::size_t>(1, kElementsAPiece / std::max<std::size_t>(1, blocks.size));
  base::parallel_for((blocks.count + blocks_a_piece - 1) / blocks_a_piece, [&](std::size_t piece) {
    for (std::size_t block = piece * blocks_a_piece; block < std::min(blocks.count, (piece + 1) * blocks_a_piece);
         ++block) {
      of_block[block] =
          accumulate_range(got, expected, block * blocks.size, blocks.size, rule.usual_part * rule.relative);
    }
  });
  Sums total;
  bool norms_hold = true;
  for (const Sums& sums : of_block) {
    norms_hold = norms_hold && norm_holds(sums.error, sums.expected, rule.norm);
    total.add(sums);
  }
  if (!std::isfinite(total.error) || !std::isfinite(total.expected)) {
    return false;
  }
  const double rms = std::sqrt(total.expected / static_cast<double>(expected.size()));
  return norms_hold && total.excess <= rule.usual_part * rule.absolute_of_rms * rms &&
         ratio_holds(got, expected, rule, total.error, total.expected);
}

std::string place(const ConstView& view, const std::vector<std::int64_t>& index) {
  return fmt::format("{}{}", view.name.empty() ? "element " : view.name, to_string(index));
}

/// The careful pass: special values, the worst element, counts and words.
std::optional<Mismatch> find_mismatch(const ConstView& got, std::span<const double> expected,
                                      const ComparisonRule& rule, const Blocks& blocks) {
  const double absolute = rule.absolute_of_rms * root_mean_square(expected);
  Mismatch mismatch;
  mismatch.elements = expected.size();
  double worst_violation = -kInfinity;
  double worst_allowed = 0;
  std::optional<std::size_t> bad_block;
  std::size_t worst_of_bad_block = 0;
  TensorQuality quality(rule);
  double tensor_square = 0;
  double largest_of_all = -1;
  std::size_t largest_of_all_at = 0;
  for (std::size_t block = 0; block < blocks.count; ++block) {
    double error_square = 0;
    double expected_square = 0;
    double largest_error = -1;
    std::size_t largest_at = block * blocks.size;
    for (std::size_t flat = block * blocks.size; flat < (block + 1) * blocks.size; ++flat) {
      const double value = read_floating(got.dtype, got.bytes.data(), flat);
      const double allowed = absolute + rule.relative * std::fabs(expected[flat]);
      const double over = excess_error(value, expected[flat], allowed);
      if (over > 0) {
        ++mismatch.mismatched_elements;
      }
      if (over > worst_violation || flat == 0) {
        worst_violation = over;
        worst_allowed = allowed;
        mismatch.flat = flat;
      }
      if (std::isfinite(value) && std::isfinite(expected[flat])) {
        const double error = std::fabs(value - expected[flat]);
        error_square += error * error;
        expected_square += expected[flat] * expected[flat];
        quality.add(error, allowed);
        if (error > largest_error) {
          largest_error = error;
          largest_at = flat;
        }
      }
    }
    tensor_square += expected_square;
    if (largest_error > largest_of_all) {
      largest_of_all = largest_error;
      largest_of_all_at = largest_at;
    }
    const double norm_error = error_square == 0 ? 0 : std::sqrt(error_square / expected_square);
    if (norm_error > mismatch.worst_block_norm_error || block == 0) {
      mismatch.worst_block_norm_error = norm_error;
      if (!norm_holds(error_square, expected_square, rule.norm)) {
        bad_block = block;
        worst_of_bad_block = largest_at;
      }
    }
  }
  std::optional<std::string> fault;
  if (mismatch.mismatched_elements == 0 && !bad_block) {
    const double working_square = rule.working * rule.working * tensor_square;
    fault = quality.fault(rule.error_ratio == 0 ? 0 : working_square + rounding_square(got.dtype, expected));
    if (!fault) {
      return std::nullopt;
    }
  }
  if (mismatch.mismatched_elements == 0) {
    mismatch.flat = fault ? largest_of_all_at : worst_of_bad_block;
  }
  mismatch.index = unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = element(got, mismatch.flat);
  if (mismatch.mismatched_elements > 0) {
    mismatch.reason = fmt::format(
        "{} is {:.9g}, expected {:.9g} (allowed difference {:.3g}); {} of {} elements differ by more than "
        "allowed",
        place(got, mismatch.index), mismatch.got, mismatch.expected, worst_allowed, mismatch.mismatched_elements,
        mismatch.elements);
  } else if (fault) {
    mismatch.reason = fmt::format("{}; the largest error is at {}: {:.9g}, expected {:.9g}", *fault,
                                  place(got, mismatch.index), mismatch.got, mismatch.expected);
  } else {
    mismatch.reason = fmt::format(
        "the norm of the error over block {} is {:.3g} of the expected norm (allowed {:.3g}); its largest "
        "error is at {}: "
        "{:.9g}, expected {:.9g}",
        to_string(unravel(*bad_block, blocks.shape)), mismatch.worst_block_norm_error, rule.norm,
        place(got, mismatch.index), mismatch.got, mismatch.expected);
  }
  return mismatch;
}

bool equals_integer(std::int64_t got, double expected) {
  // Beyond 2^53 a comparison in doubles would take neighbours for equal; the bound is 2^63.
  return expected >= -0x1p63 && expected < 0x1p63 && static_cast<std::int64_t>(expected) == got &&
         std::trunc(expected) == expected;
}

std::optional<Mismatch> compare_integers(const ConstView& got, std::span<const double> expected) {
  Mismatch mismatch;
  mismatch.elements = expected.size();
  double worst = -1;
  for (std::size_t flat = 0; flat < expected.size(); ++flat) {
    const std::int64_t value = read_integer(got.dtype, got.bytes.data(), flat);
    if (equals_integer(value, expected[flat])) {
      continue;
    }
    ++mismatch.mismatched_elements;
    const double error = std::fabs(static_cast<double>(value) - expected[flat]);
    if (!(error <= worst)) {
      worst = std::isnan(error) ? kInfinity : error;
      mismatch.flat = flat;
    }
  }
  if (mismatch.mismatched_elements == 0) {
    return std::nullopt;
  }
  mismatch.index = unravel(mismatch.flat, got.shape);
  mismatch.expected = expected[mismatch.flat];
  mismatch.got = element(got, mismatch.flat);
  mismatch.reason = fmt::format("{} is {}, expected {:.17g} exactly; {} of {} elements differ",
                                place(got, mismatch.index), read_integer(got.dtype, got.bytes.data(), mismatch.flat),
                                mismatch.expected, mismatch.mismatched_elements, mismatch.elements);
  return mismatch;
}

}  // namespace

std::optional<Mismatch> compare(const ConstView& got, std::span<const double> expected, const ComparisonRule& rule) {
  ASSAY_CHECK(element_count(got.shape) == expected.size());
  ASSAY_CHECK(byte_size(got.dtype, expected.size()) == got.bytes.size());
  const Blocks blocks = make_blocks(got.shape, rule.norm_axes, expected.size());
  if (expected.empty()) {
    return std::nullopt;
  }
  if (!is_floating(got.dtype)) {
    return compare_integers(got, expected);
  }
  // The quick pass works on floats, which would round a float64 output.
  if (got.dtype != DType::float64 && surely_equal(got, expected, rule, blocks)) {
    return std::nullopt;
  }
  return find_mismatch(got, expected, rule, blocks);
}

double rounding_square(DType dtype, std::span<const double> values) {
  // By significant bits: 2^(exponent - 1) is the smallest normal number.
  struct Precision {
    int bits = 53;
    int least_exponent = -1021;
  };
  const Precision precision = dtype == DType::float32         ? Precision{24, -125}
                              : dtype == DType::bfloat16      ? Precision{8, -125}
                              : dtype == DType::float16       ? Precision{11, -13}
                              : dtype == DType::float8_e4m3fn ? Precision{4, -5}
                              : dtype == DType::float8_e5m2   ? Precision{3, -13}
                              : dtype == DType::float4_e2m1   ? Precision{2, 1}
                                                              : Precision{};
  std::vector<double> of_piece((values.size() + kElementsAPiece - 1) / kElementsAPiece);
  base::parallel_for(of_piece.size(), [&](std::size_t piece) {
    const std::size_t end = std::min(values.size(), (piece + 1) * kElementsAPiece);
    double sum = 0;
    for (std::size_t i = piece * kElementsAPiece; i < end; ++i) {
      const double error = base::rounding_error(values[i], precision.bits, precision.least_exponent);
      sum += error * error;
    }
    of_piece[piece] = sum;
  });
  return std::accumulate(of_piece.begin(), of_piece.end(), 0.0);
}

void TensorQuality::add(double error, double allowed) {
  ++elements_;
  error_square_ += error * error;
  if (error <= rule_->usual_part * allowed) {
    run_ = 0;
    return;
  }
  ++unusual_;
  if (++run_ > longest_run_) {
    longest_run_ = run_;
    run_end_ = elements_;
  }
}

std::optional<std::string> TensorQuality::fault(double honest_square) const {
  if (rule_->error_ratio > 0 && error_square_ > 0 &&
      error_square_ > rule_->error_ratio * rule_->error_ratio * honest_square) {
    return fmt::format(
        "no element is off by more than allowed, but the error of the whole tensor is {:.3g} times that of an honest "
        "implementation of this precision (allowed {:.3g}): round to nearest, once, and keep what lies between in "
        "float32",
        std::sqrt(error_square_ / honest_square), rule_->error_ratio);
  }
  if (rule_->usual_part >= 1) {
    return std::nullopt;
  }
  if (longest_run_ >= rule_->longest_run) {
    return fmt::format(
        "{} elements side by side, up to number {}, all err by more than {:.3g} of what each may (allowed {})",
        longest_run_, run_end_, rule_->usual_part, rule_->longest_run - 1);
  }
  // Of few elements one may be.
  if (static_cast<double>(unusual_) > std::max(1.0, rule_->unusual_share * static_cast<double>(elements_))) {
    return fmt::format("{} of {} elements err by more than {:.3g} of what each may (allowed {:.3g} %)", unusual_,
                       elements_, rule_->usual_part, 100 * rule_->unusual_share);
  }
  return std::nullopt;
}

double root_mean_square(std::span<const double> values) {
  double sum = 0;
  double largest = 0;
  std::size_t finite = 0;
  for (const double value : values) {
    if (std::isfinite(value)) {
      sum += value * value;
      largest = std::max(largest, std::fabs(value));
      ++finite;
    }
  }
  if (!std::isfinite(sum)) {  // A square of a float64 may be none: an infinite tolerance would excuse everything.
    double scaled = 0;
    for (const double value : values) {
      scaled += std::isfinite(value) ? (value / largest) * (value / largest) : 0;
    }
    return largest * std::sqrt(scaled / static_cast<double>(finite));
  }
  return finite == 0 ? 0 : std::sqrt(sum / static_cast<double>(finite));
}

double excess_error(double got, double expected, double allowed) {
  if (classify(got) != Class::finite || classify(expected) != Class::finite) {
    return classify(got) == classify(expected) ? -kInfinity : kInfinity;
  }
  return std::fabs(got - expected) - allowed;
}

double element(const ConstView& view, std::size_t flat) {
  ASSAY_CHECK(flat < element_count(view.shape));
  ASSAY_CHECK(byte_size(view.dtype, element_count(view.shape)) == view.bytes.size());
  if (is_floating(view.dtype)) {
    return read_floating(view.dtype, view.bytes.data(), flat);
  }
  return static_cast<double>(read_integer(view.dtype, view.bytes.data(), flat));
}

}  // namespace assay::tensor
