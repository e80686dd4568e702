#pragma once

#include <cstdint>
#include <vector>

namespace assay::plot {

/// A closed interval of values or of coordinates. A range may run backwards: SVG's y axis points down.
struct Span {
  double from = 0;
  double to = 1;
};

/// Returns "nice" values (1, 2 or 5 times a power of ten apart) inside [span.from, span.to], about `wanted` >
/// 1 of them (Heckbert, "Nice numbers for graph labels", Graphics Gems, 1990). The span must run forwards.
[[nodiscard]] std::vector<double> linear_ticks(Span span, int wanted);

/// Returns ticks for a logarithmic axis over a span above 0: powers of ten if there are many decades, 1, 2, 5
/// times them if there are few, and linear ticks where even those would be fewer than three.
[[nodiscard]] std::vector<double> log_ticks(Span span, int wanted);

/// Maps values to coordinates. Immutable.
class Scale {
 public:
  enum class Kind : std::uint8_t { linear, logarithmic };

  /// Makes a scale. The domain must be finite and run forwards, above 0 for a logarithmic one; an empty
  /// domain (from == to) is widened around its value.
  Scale(Kind kind, Span domain, Span range);

  /// Returns the coordinate of a value; values outside the domain lie outside the range.
  [[nodiscard]] double at(double value) const;
  /// Returns the same, held inside the range. Infinite values lie at its ends.
  [[nodiscard]] double clamped(double value) const;
  [[nodiscard]] bool contains(double value) const { return value >= domain_.from && value <= domain_.to; }
  [[nodiscard]] std::vector<double> ticks(int wanted) const;
  [[nodiscard]] Span domain() const { return domain_; }
  [[nodiscard]] Span range() const { return range_; }

 private:
  Kind kind_;
  Span domain_;
  Span range_;
};

}  // namespace assay::plot
