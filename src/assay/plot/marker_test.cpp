#include <assay/plot/marker.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace assay::plot {
namespace {

TEST(Marker, ShapesDifferInForm) {
  std::set<std::string> shapes;
  for (std::size_t shape = 0; shape < kMarkerShapes; ++shape) {
    shapes.insert(marker_path(shape, {0, 0}, 10));
  }
  EXPECT_EQ(shapes.size(), kMarkerShapes);
  EXPECT_EQ(marker_path(kMarkerShapes, {0, 0}, 10), marker_path(0, {0, 0}, 10));
}

TEST(Marker, LiesAboutItsCentre) { EXPECT_EQ(marker_path(4, {100, 50}, 4), "M96 50L104 50M100 46L100 54"); }

TEST(Marker, ClosesFigures) { EXPECT_EQ(marker_path(2, {0, 0}, 10), "M-8 -8L8 -8L8 8L-8 8Z"); }

}  // namespace
}  // namespace assay::plot
