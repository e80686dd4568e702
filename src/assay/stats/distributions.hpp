#pragma once

namespace assay::stats {

/// Quantiles and tails of the distributions that the other files of this layer need, from Boost.Math. It is
/// included in distributions.cpp alone, because it is slow to compile. Arguments outside the stated ranges
/// are bugs of the caller and abort.

/// Returns x with P(X <= x) = probability for a standard normal X. `probability` lies in (0, 1).
[[nodiscard]] double normal_quantile(double probability);

/// Returns x with P(X <= x) = probability for Student's t with `degrees` > 0 degrees of freedom (not
/// necessarily whole). `probability` lies in (0, 1).
[[nodiscard]] double student_t_quantile(double probability, double degrees);

/// Returns P(X > t) for Student's t with `degrees` > 0, accurate in the far tail. `t` may be infinite.
[[nodiscard]] double student_t_upper_tail(double t, double degrees);

/// Returns x with P(X <= x) = probability for a beta distribution with shapes `a`, `b` > 0. `probability`
/// lies in (0, 1).
[[nodiscard]] double beta_quantile(double probability, double a, double b);

/// Returns x with P(X <= x) = probability for chi-squared with `degrees` > 0. `probability` lies in (0, 1).
[[nodiscard]] double chi_squared_quantile(double probability, double degrees);

}  // namespace assay::stats
