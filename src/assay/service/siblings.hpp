#pragma once

#include <set>
#include <string>

#include <assay/task/solution.hpp>

namespace assay::service {

/// Tells who shares code with one candidate: a sibling is a solution of which at least half the distinct lines of code are
/// this one's too, or the other way round. What a sibling fails of, this one is likely to fail of.
class Siblings {
 public:
  explicit Siblings(const task::Solution& candidate);
  [[nodiscard]] bool include(const task::Solution& other) const;

 private:
  std::set<std::string> lines_;
};

}  // namespace assay::service
