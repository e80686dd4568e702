#pragma once

#include <array>
#include <cstddef>

namespace assay::supervise {

/// How likely the next attempts are to improve, from how long the improvements before them took.
///
/// Model: between two improvements each attempt improves with a probability p that does not change, and that is drawn
/// anew from one Beta distribution after each (whoever has improved stands elsewhere); so waits are beta-geometric (Fader
/// and Hardie, "How to project customer retention", Journal of Interactive Marketing 21, 2007, have the distribution). How
/// often and how evenly this search improves is learnt: a grid over the mean of that distribution and its concentration,
/// all points alike before anything is seen. With probability kExhausted nothing is left to find after an improvement (or at
/// the start), ever.
///
/// Assumes: attempts are independent given p, and p is not raised by what is learnt in between. A search that improves in
/// bursts is therefore given up too early rather than too late where its quiet times are longer than any before.
class ImprovementModel {
 public:
  /// One attempt that could have improved and did, or did not.
  void observe(bool improved);

  /// The probability that at least one of the next `attempts` improves.
  [[nodiscard]] double probability_within(int attempts) const;
  /// Attempts since the last improvement, or since the start.
  [[nodiscard]] int since_improvement() const { return since_; }

  static constexpr double kExhausted = 0.01;

 private:
  static constexpr std::array<double, 6> kConcentrations = {0.25, 0.5, 1, 2, 4, 8};
  static constexpr std::array<double, 6> kMeans = {0.005, 0.02, 0.05, 0.1, 0.2, 0.4};
  static constexpr std::size_t kPoints = kConcentrations.size() * kMeans.size();

  struct Shapes {
    double a = 1;
    double b = 1;
  };
  [[nodiscard]] static Shapes shapes(std::size_t point);

  std::array<double, kPoints> log_weights_{};
  int since_ = 0;
};

}  // namespace assay::supervise
