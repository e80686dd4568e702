#pragma once

#include <cmath>
#include <cstddef>

#include <assay/operators/cuda/arithmetic.hpp>

namespace assay::operators::gdn_prefill {

/// Estimates how large the rounding errors of an honest kernel are, row by row of a state, while the reference walks
/// along a sequence. An honest kernel multiplies bfloat16 operands (tensor cores), sums in float32, and carries the
/// state from chunk to chunk in float32. Its errors are then in proportion not to the result but to what was added up
/// on the way: after the same key came 64 times, the state is one value, but 64 corrections went into it. Rows of a
/// state do not touch each other, and so neither do these sums:
///   summed^2  <- g^2 summed^2 (1 - 1/128) + (beta |k|)^2 (v^2 + u^2)             what is in the state, as if nothing
///                cancelled; older than some 128 tokens only as far as the state still holds it
///   written^2 <- g^2 written^2 + (beta |k|)^2 (v^2 + u^2 + |summed|^2 / size)    the same, without the state given
///   drifted^2 <- g^2 (drifted^2 + decay_error^2 summed^2)                        what a float32 decay errs by
/// where u = g S k. What was carried, not written, gets float32's error only: a state that goes through bfloat16 from
/// chunk to chunk is beyond that.
class RowError {
 public:
  static constexpr double kOperand = 0x1p-9;    ///< About the RMS of what rounding to bfloat16 errs by.
  static constexpr double kFloat = 0x1p-20;     ///< The error of a float32 computation, relative to what was summed.
  static constexpr double kSoftplus = 0x1p-21;  ///< Error of log(1 + e^x) by a GPU's fast logarithm; A multiplies it.
  static constexpr double kFloor = 0x1p-120;    ///< Denormals may become zero.
  static constexpr std::size_t kRefreshTokens = 64;  ///< How often `refresh` is due.

  ASSAY_HOST_DEVICE explicit RowError(double state_square) : summed_(state_square) {}

  /// The state holds this now: |row|^2.
  ASSAY_HOST_DEVICE void refresh(double state_square) { summed_ = state_square > summed_ ? state_square : summed_; }

  /// One token. `gain_square` is (beta |k|)^2, `decay_error` kSoftplus * exp(A_log).
  ASSAY_HOST_DEVICE void step(double g_square, double gain_square, double v, double u, double head_size,
                              double decay_error) {
    constexpr double kForget = 1.0 - 1.0 / 128.0;
    const double traffic = v * v + u * u;
    drifted_ = g_square * (drifted_ + decay_error * decay_error * summed_);
    summed_ = g_square * summed_ * kForget + gain_square * traffic;
    written_ = g_square * written_ + gain_square * (traffic + summed_ / head_size);
  }

  /// Returns the error of `scale * row . q`, where `reach` is |scale| |q| / sqrt(head_size).
  [[nodiscard]] ASSAY_HOST_DEVICE double of_output(double output, double reach) const {
    return kOperand * std::fabs(output) + reach * (kOperand * std::sqrt(summed_) + std::sqrt(drifted_)) + kFloor;
  }
  /// Returns the norm of the error of the row, whose norm is `norm`.
  [[nodiscard]] ASSAY_HOST_DEVICE double of_state(double norm) const {
    return kOperand * std::sqrt(summed_ < written_ ? summed_ : written_) + std::sqrt(drifted_) + kFloat * norm + kFloor;
  }

 private:
  double summed_;
  double written_ = 0;
  double drifted_ = 0;
};

}  // namespace assay::operators::gdn_prefill
