#include <assay/plot/marker.hpp>

#include <fmt/core.h>

#include <array>
#include <span>

#include <assay/plot/number.hpp>

namespace assay::plot {
namespace {

// Moves the pen: 'M' or 'L' to x and y in tenths of the half-width; 'Z' closes the figure.
struct Step {
  char command;
  int x;
  int y;
};

std::string draw(const Point& center, double size, std::span<const Step> steps) {
  std::string data;
  for (const Step& step : steps) {
    if (step.command == 'Z') {
      data += 'Z';
    } else {
      data += fmt::format("{}{} {}", step.command, coordinate(center.x + size * step.x / 10),
                          coordinate(center.y + size * step.y / 10));
    }
  }
  return data;
}

constexpr std::array<Step, 4> kCross{{{'M', -9, -9}, {'L', 9, 9}, {'M', -9, 9}, {'L', 9, -9}}};
constexpr std::array<Step, 4> kTriangle{{{'M', 0, -10}, {'L', 10, 8}, {'L', -10, 8}, {'Z', 0, 0}}};
constexpr std::array<Step, 5> kSquare{{{'M', -8, -8}, {'L', 8, -8}, {'L', 8, 8}, {'L', -8, 8}, {'Z', 0, 0}}};
constexpr std::array<Step, 5> kDiamond{{{'M', 0, -11}, {'L', 11, 0}, {'L', 0, 11}, {'L', -11, 0}, {'Z', 0, 0}}};
constexpr std::array<Step, 4> kPlus{{{'M', -10, 0}, {'L', 10, 0}, {'M', 0, -10}, {'L', 0, 10}}};
constexpr std::array<Step, 4> kInverted{{{'M', 0, 10}, {'L', 10, -8}, {'L', -10, -8}, {'Z', 0, 0}}};
constexpr std::array<Step, 2> kBar{{{'M', 0, -10}, {'L', 0, 10}}};
constexpr std::array<Step, 6> kStar{
    {{'M', 0, -10}, {'L', 0, 10}, {'M', -9, -5}, {'L', 9, 5}, {'M', -9, 5}, {'L', 9, -5}}};

}  // namespace

std::string marker_path(std::size_t shape, Point center, double size) {
  switch (shape % kMarkerShapes) {
    case 0:
      return draw(center, size, kCross);
    case 1:
      return draw(center, size, kTriangle);
    case 2:
      return draw(center, size, kSquare);
    case 3:
      return draw(center, size, kDiamond);
    case 4:
      return draw(center, size, kPlus);
    case 5:
      return draw(center, size, kInverted);
    case 6:
      return draw(center, size, kBar);
    default:
      return draw(center, size, kStar);
  }
}

}  // namespace assay::plot
