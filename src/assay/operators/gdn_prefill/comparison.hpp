#pragma once

#include <optional>
#include <span>

#include <assay/operators/gdn_prefill/layout.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::operators::gdn_prefill {

/// How many times an honest kernel's error a result may be off.
struct ErrorRatios {
  double element = 0;  ///< Of each element.
  double norm = 0;     ///< Of the norm over each block.
};

/// How an output of a definition is held against its reference.
struct Tolerance {
  ErrorRatios most;
  std::size_t block = 0;  ///< Elements over which a norm is taken.
  Kept errors = kOutputError;
};
/// docs/operators/gdn_prefill.md has the measured errors that these numbers stand on.
[[nodiscard]] Tolerance tolerance_of(const Dimensions& dimensions, Output output);

/// Holds an output against its reference by the errors that an honest kernel makes (see RowError). `errors` has one
/// entry for each run of expected.size() / errors.size() elements, which divides `block`: the norm of the error of
/// that run. Norms are taken over blocks of `block` consecutive elements. NaN and infinities are always wrong: this
/// operator's outputs are finite.
[[nodiscard]] std::optional<tensor::Mismatch> compare_with_errors(const tensor::ConstView& got,
                                                                  std::span<const double> expected,
                                                                  std::span<const double> errors, std::size_t block,
                                                                  const ErrorRatios& most);

/// Returns the largest ratios of an output's errors to honest ones: what compare_with_errors holds against `most`.
/// Infinite where something is not finite.
[[nodiscard]] ErrorRatios error_ratios(const tensor::ConstView& got, std::span<const double> expected,
                                       std::span<const double> errors, std::size_t block);

}  // namespace assay::operators::gdn_prefill
