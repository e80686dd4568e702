#include <assay/tensor/error_map.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>

namespace assay::tensor {
namespace {

constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostColumns = 64;

char shade(std::size_t wrong, std::size_t all) {
  const double share = static_cast<double>(wrong) / static_cast<double>(all);
  return wrong == 0 ? ' ' : share < 0.01 ? '.' : share < 0.1 ? ':' : share < 0.5 ? '+' : '#';
}

std::vector<std::string> draw(std::size_t rows, std::size_t columns, const std::vector<bool>& wrong) {
  const std::size_t lines = std::min(rows, kMostLines);
  const std::size_t width = std::min(columns, kMostColumns);
  std::vector<std::size_t> counts(lines * width);
  std::vector<std::size_t> totals(lines * width);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t line = row * lines / rows;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t cell = line * width + column * width / columns;
      ++totals[cell];
      counts[cell] += wrong[row * columns + column] ? 1U : 0U;
    }
  }
  std::vector<std::string> picture;
  for (std::size_t line = 0; line < lines; ++line) {
    std::string text;
    for (std::size_t at = line * width; at < (line + 1) * width; ++at) {
      text += shade(counts[at], totals[at]);
    }
    picture.push_back(std::move(text));
  }
  return picture;
}

std::string range(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
}

}  // namespace

std::vector<bool> wrong_elements(const ConstView& got, std::span<const double> expected, const ComparisonRule& rule) {
  ASSAY_CHECK(element_count(got.shape) == expected.size());
  const double absolute = rule.absolute_of_rms * root_mean_square(expected);
  std::vector<bool> wrong(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    wrong[i] = excess_error(element(got, i), expected[i], absolute + rule.relative * std::fabs(expected[i])) > 0;
  }
  return wrong;
}

ErrorMap map_errors(const Shape& shape, const std::vector<bool>& wrong) {
  ASSAY_CHECK(element_count(shape) == wrong.size());
  ErrorMap map;
  map.first.assign(shape.size(), std::numeric_limits<std::int64_t>::max());
  map.last.assign(shape.size(), -1);
  std::vector<std::int64_t> index(shape.size());
  for (const bool is_wrong : wrong) {
    if (is_wrong) {
      ++map.wrong;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        map.first[axis] = std::min(map.first[axis], index[axis]);
        map.last[axis] = std::max(map.last[axis], index[axis]);
      }
    }
    for (std::size_t axis = shape.size(); axis > 0 && ++index[axis - 1] == shape[axis - 1]; --axis) {
      index[axis - 1] = 0;
    }
  }
  if (map.wrong == 0) {
    return {};
  }
  double box = 1;
  std::vector<std::string> ranges;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    box *= static_cast<double>(map.last[axis] - map.first[axis] + 1);
    ranges.push_back(range(map.first[axis], map.last[axis]));
  }
  const double filled = 100 * static_cast<double>(map.wrong) / box;
  map.sentence = box == static_cast<double>(wrong.size())
                     ? fmt::format("wrong elements are everywhere: {:.3g} % of all", filled)
                     : fmt::format("all wrong elements lie in [{}], and there {:.3g} % are wrong",
                                   base::join(ranges, ", "), filled);
  const std::size_t columns = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  map.picture = draw(wrong.size() / columns, columns, wrong);
  return map;
}

}  // namespace assay::tensor
