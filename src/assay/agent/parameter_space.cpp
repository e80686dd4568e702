#include <assay/agent/parameter_space.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <assay/base/text.hpp>
#include <assay/task/expression.hpp>

namespace assay::agent {
namespace {

// Number of points before constraints, or more than kMostEnumerated.
std::uint64_t count_points(const task::Tuning& tuning) {
  std::uint64_t count = 1;
  for (const auto& [name, values] : tuning.parameters) {
    count *= values.size();
    if (count > ParameterSpace::kMostEnumerated) {
      break;
    }
  }
  return count;
}

// Moves to the next point in lexicographic order; false after the last.
bool advance(Point& point, const task::Tuning& tuning) {
  for (std::size_t i = point.size(); i-- > 0;) {
    if (++point[i] < tuning.parameters[i].second.size()) {
      return true;
    }
    point[i] = 0;
  }
  return false;
}

}  // namespace

std::string describe(const task::Named<std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) {
    parts.push_back(fmt::format("{}={}", name, value));
  }
  return base::join(parts, ",");
}

base::Result<ParameterSpace> ParameterSpace::create(task::Tuning tuning) {
  if (tuning.parameters.empty()) {
    return base::input_error("tuner.no_parameters",
                             "the solution declares no parameters to tune: add them under "
                             "/assay/tuning/parameters");
  }
  for (const auto& [name, values] : tuning.parameters) {
    if (values.empty()) {
      return base::input_error("tuner.no_values", fmt::format("parameter {} has no values: give at least one", name));
    }
  }
  ParameterSpace space(std::move(tuning));
  ASSAY_TRY_ASSIGN(const bool allowed, space.allows(space.defaults()));
  if (!allowed) {
    return base::input_error("tuner.defaults",
                             fmt::format("the first values of the parameters ({}) are their defaults and break a "
                                         "constraint: put values first that go together",
                                         describe(space.values(space.defaults()))));
  }
  if (count_points(space.tuning_) <= kMostEnumerated) {
    ASSAY_TRY(space.enumerate());
  }
  return space;
}

base::Result<void> ParameterSpace::enumerate() {
  all_.emplace();
  Point point = defaults();
  do {
    ASSAY_TRY_ASSIGN(const bool allowed, allows(point));
    if (allowed) {
      all_->push_back(point);
    }
  } while (advance(point, tuning_));
  return {};
}

task::Named<std::int64_t> ParameterSpace::values(const Point& point) const {
  ASSAY_CHECK(point.size() == tuning_.parameters.size());
  task::Named<std::int64_t> chosen;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& [name, values] = tuning_.parameters[i];
    ASSAY_CHECK(point[i] < values.size());
    chosen.emplace_back(name, values[point[i]]);
  }
  return chosen;
}

std::optional<Point> ParameterSpace::locate(const task::Named<std::int64_t>& values) const {
  if (values.size() != tuning_.parameters.size()) {
    return std::nullopt;
  }
  Point point;
  for (const auto& [name, choices] : tuning_.parameters) {
    const std::int64_t* value = task::find(values, name);
    const auto place = value == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *value);
    if (place == choices.end()) {
      return std::nullopt;
    }
    point.push_back(static_cast<std::size_t>(place - choices.begin()));
  }
  return point;
}

base::Result<bool> ParameterSpace::allows(const Point& point) const {
  const task::Named<std::int64_t> chosen = values(point);
  for (const std::string& constraint : tuning_.constraints) {
    auto truth = task::evaluate_expression(constraint, chosen);
    if (!truth) {
      truth.error().context.push_back(
          fmt::format("while checking the constraint \"{}\" at {}", constraint, describe(chosen)));
      return tl::unexpected(std::move(truth.error()));
    }
    if (*truth == 0) {
      return false;
    }
  }
  return true;
}

base::Result<std::vector<Point>> ParameterSpace::neighbours(const Point& point) const {
  std::vector<Point> found;
  for (std::size_t i = 0; i < point.size(); ++i) {
    std::vector<Point> moved;
    if (point[i] > 0) {
      moved.push_back(point);
      --moved.back()[i];
    }
    if (point[i] + 1 < tuning_.parameters[i].second.size()) {
      moved.push_back(point);
      ++moved.back()[i];
    }
    for (Point& one : moved) {
      ASSAY_TRY_ASSIGN(const bool allowed, allows(one));
      if (allowed) {
        found.push_back(std::move(one));
      }
    }
  }
  return found;
}

Point ParameterSpace::draw(base::Philox& random) const {
  Point point;
  for (const auto& [name, values] : tuning_.parameters) {
    point.push_back(static_cast<std::size_t>(random.next_below(values.size())));
  }
  return point;
}

}  // namespace assay::agent
