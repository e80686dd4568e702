#include <assay/plot/scale.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/error.hpp>

namespace assay::plot {
namespace {

// Keeps a tick at an end of the span from falling to a rounding error.
constexpr double kSlack = 1e-9;

double nice_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double fraction = rough / power;
  if (fraction <= 1.5) {
    return power;
  }
  if (fraction <= 3.5) {
    return 2 * power;
  }
  return fraction <= 7.5 ? 5 * power : 10 * power;
}

std::vector<double> decade_ticks(Span span, int every, bool with_2_and_5) {
  std::vector<double> ticks;
  constexpr std::array<double, 3> kMultiples = {1, 2, 5};
  const int first = static_cast<int>(std::floor(std::log10(span.from)));
  const int last = static_cast<int>(std::ceil(std::log10(span.to)));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double multiple : kMultiples) {
      const double value = multiple * std::pow(10.0, exponent);
      const bool inside = value >= span.from * (1 - kSlack) && value <= span.to * (1 + kSlack);
      const bool counted = with_2_and_5 || (multiple == 1 && (exponent - first) % every == 0);
      if (inside && counted) {
        ticks.push_back(value);
      }
    }
  }
  return ticks;
}

}  // namespace

std::vector<double> linear_ticks(Span span, int wanted) {
  ASSAY_CHECK(std::isfinite(span.from) && std::isfinite(span.to) && span.from <= span.to);
  ASSAY_CHECK(wanted > 1);
  if (span.from == span.to) {
    return {span.from};
  }
  const double step = nice_step((span.to - span.from) / (wanted - 1));
  const double slack = step * kSlack;
  std::vector<double> ticks;
  // Multiplying, not adding, so that errors do not pile up.
  for (double index = std::ceil((span.from - slack) / step); index * step <= span.to + slack; ++index) {
    ticks.push_back(index * step);
  }
  return ticks;
}

std::vector<double> log_ticks(Span span, int wanted) {
  ASSAY_CHECK(span.from > 0 && std::isfinite(span.to) && span.from <= span.to);
  ASSAY_CHECK(wanted > 1);
  const double decades = std::log10(span.to / span.from);
  if (3 * decades > wanted) {
    return decade_ticks(span, std::max(1, static_cast<int>(std::ceil(decades / wanted))), false);
  }
  std::vector<double> ticks = decade_ticks(span, 1, true);
  return ticks.size() < 3 ? linear_ticks(span, wanted) : ticks;
}

Scale::Scale(Kind kind, Span domain, Span range) : kind_(kind), domain_(domain), range_(range) {
  ASSAY_CHECK(std::isfinite(domain.from) && std::isfinite(domain.to) && domain.from <= domain.to);
  ASSAY_CHECK(kind == Kind::linear || domain.from > 0);
  if (domain.from == domain.to) {
    const double value = domain.from;
    const double margin = value == 0 ? 1 : std::abs(value) / 2;
    domain_ = {value - margin, value + margin};
  }
}

double Scale::at(double value) const {
  const auto transform = [this](double x) { return kind_ == Kind::linear ? x : std::log(x); };
  const double from = transform(domain_.from);
  const double share = (transform(value) - from) / (transform(domain_.to) - from);
  return range_.from + share * (range_.to - range_.from);
}

double Scale::clamped(double value) const { return at(std::clamp(value, domain_.from, domain_.to)); }

std::vector<double> Scale::ticks(int wanted) const {
  return kind_ == Kind::linear ? linear_ticks(domain_, wanted) : log_ticks(domain_, wanted);
}

}  // namespace assay::plot
