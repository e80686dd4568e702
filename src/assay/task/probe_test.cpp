#include <assay/task/probe.hpp>

#include <gtest/gtest.h>
#include <set>

namespace assay::task {
namespace {

TEST(Probe, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < probe_names().size(); ++i) {
    const auto probe = static_cast<Probe>(i);
    EXPECT_TRUE(seen.insert(to_string(probe)).second);
    EXPECT_EQ(probe_named(to_string(probe)), probe);
  }
  EXPECT_EQ(to_string(Probe::roofline_floor), probe_names().back()) << "one name an enumerator";
  EXPECT_EQ(probe_named("roofline"), std::nullopt);
}

}  // namespace
}  // namespace assay::task
