#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/random.hpp>
#include <assay/task/named.hpp>
#include <assay/task/solution.hpp>

namespace assay::agent {

/// One choice of all parameters: the index of the chosen value, one a parameter, in their order.
using Point = std::vector<std::size_t>;

/// The points that a solution's tuning allows. Small spaces are enumerated; large ones are drawn from.
class ParameterSpace {
 public:
  /// Spaces of up to this many points (before constraints) are enumerated.
  static constexpr std::uint64_t kMostEnumerated = 65'536;

  /// Refuses a tuning without parameters, a parameter without values, and constraints that no point, or not the first
  /// one (the declared defaults), fulfils. A constraint that has no value somewhere (a division by zero) is an input
  /// error that shows the point.
  [[nodiscard]] static base::Result<ParameterSpace> create(task::Tuning tuning);

  [[nodiscard]] const task::Tuning& tuning() const { return tuning_; }
  /// Returns the first value of each parameter.
  [[nodiscard]] Point defaults() const { return Point(tuning_.parameters.size(), 0); }
  [[nodiscard]] task::Named<std::int64_t> values(const Point& point) const;
  /// Returns the point with these values, in any order; nullopt if they are not exactly the parameters and values of
  /// this space. The constraints are not asked.
  [[nodiscard]] std::optional<Point> locate(const task::Named<std::int64_t>& values) const;
  [[nodiscard]] base::Result<bool> allows(const Point& point) const;
  /// Returns the allowed points with one parameter moved to the value before or after, in the order of parameters.
  [[nodiscard]] base::Result<std::vector<Point>> neighbours(const Point& point) const;
  /// Returns every allowed point in lexicographic order; nothing if the space is too large for that.
  [[nodiscard]] const std::optional<std::vector<Point>>& all() const { return all_; }
  /// Draws a point evenly from the whole space, allowed or not.
  [[nodiscard]] Point draw(base::Philox& random) const;

 private:
  explicit ParameterSpace(task::Tuning tuning) : tuning_(std::move(tuning)) {}
  [[nodiscard]] base::Result<void> enumerate();

  task::Tuning tuning_;
  std::optional<std::vector<Point>> all_;
};

/// Writes values as "BLOCK_V=8,UNROLL=2".
[[nodiscard]] std::string describe(const task::Named<std::int64_t>& values);

}  // namespace assay::agent
