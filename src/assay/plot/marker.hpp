#pragma once

#include <cstddef>
#include <string>

#include <assay/plot/svg.hpp>

namespace assay::plot {

/// Number of distinct marker shapes.
inline constexpr std::size_t kMarkerShapes = 8;

/// Returns path data for the `shape`-th marker (modulo kMarkerShapes) of half-width `size` about `center`: a
/// cross, a triangle, a square, a diamond, a plus, an inverted triangle, a bar and a star. They differ in
/// form, not in colour.
[[nodiscard]] std::string marker_path(std::size_t shape, Point center, double size);

}  // namespace assay::plot
