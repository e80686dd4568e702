#include <assay/promote/representatives.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>

namespace assay::promote {
namespace {

// Workloads with the same axes: they differ in their inputs alone.
struct Group {
  std::vector<std::size_t> members;
  double total_ns = 0;

  [[nodiscard]] double mean_ns() const { return total_ns / static_cast<double>(members.size()); }
};

std::vector<Group> group_by_axes(const std::vector<task::Workload>& workloads, const std::vector<double>& baseline_ns) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      return workloads[one.members.front()].axes == workloads[i].axes;
    });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{});
    }
    group->members.push_back(i);
    group->total_ns += baseline_ns[i];
  }
  return groups;
}

// Returns where the sorted groups are cut: the positions before which a new regime begins, ascending.
std::vector<std::size_t> cuts(const std::vector<Group>& sorted, std::size_t count) {
  std::vector<std::pair<double, std::size_t>> gaps;  // (minus the width, position): the widest sorts first
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double width = std::log(sorted[i].mean_ns()) - std::log(sorted[i - 1].mean_ns());
    if (width > 0) {
      gaps.emplace_back(-width, i);
    }
  }
  std::sort(gaps.begin(), gaps.end());
  gaps.resize(std::min(gaps.size(), count - 1));
  std::vector<std::size_t> positions;
  std::transform(gaps.begin(), gaps.end(), std::back_inserter(positions), [](const auto& gap) { return gap.second; });
  std::sort(positions.begin(), positions.end());
  return positions;
}

// Names the axes that differ between any two workloads, in their order.
std::vector<std::string> varying_axes(const std::vector<task::Workload>& workloads) {
  std::vector<std::string> names;
  for (const auto& [name, value] : workloads.front().axes) {
    const bool varies =
        std::any_of(workloads.begin(), workloads.end(), [&, &axis = name, &first = value](const auto& one) {
          const std::int64_t* other = task::find(one.axes, axis);
          return other == nullptr || *other != first;
        });
    if (varies) {
      names.push_back(name);
    }
  }
  return names;
}

std::string name_regime(const std::vector<task::Workload>& workloads, const std::vector<std::size_t>& members,
                        const std::vector<std::string>& axes) {
  std::vector<std::string> parts;
  for (const std::string& axis : axes) {
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t member : members) {
      if (const std::int64_t* value = task::find(workloads[member].axes, axis)) {
        lowest = std::min(lowest, *value);
        highest = std::max(highest, *value);
      }
    }
    if (lowest <= highest) {
      parts.push_back(lowest == highest ? fmt::format("{} {}", axis, lowest)
                                        : fmt::format("{} {}..{}", axis, lowest, highest));
    }
  }
  return parts.empty() ? "all" : base::join(parts, ", ");
}

}  // namespace

std::vector<Regime> choose_representatives(const std::vector<task::Workload>& workloads,
                                           const std::vector<double>& baseline_ns, std::size_t count) {
  ASSAY_CHECK(workloads.size() == baseline_ns.size());
  ASSAY_CHECK(count > 0);
  ASSAY_CHECK(
      std::all_of(baseline_ns.begin(), baseline_ns.end(), [](double ns) { return ns > 0 && std::isfinite(ns); }));
  if (workloads.empty()) {
    return {};
  }
  std::vector<Group> groups = group_by_axes(workloads, baseline_ns);
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::pair(a.mean_ns(), a.members.front()) < std::pair(b.mean_ns(), b.members.front());
  });
  std::vector<std::size_t> ends = cuts(groups, count);
  ends.push_back(groups.size());

  const double total = std::accumulate(baseline_ns.begin(), baseline_ns.end(), 0.0);
  const std::vector<std::string> axes = varying_axes(workloads);
  std::vector<Regime> regimes;
  std::set<std::string> names;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    Regime regime;
    const Group* heaviest = &groups[begin];
    double regime_ns = 0;
    for (std::size_t i = begin; i < end; ++i) {
      regime.members.insert(regime.members.end(), groups[i].members.begin(), groups[i].members.end());
      regime_ns += groups[i].total_ns;
      heaviest = groups[i].total_ns > heaviest->total_ns ? &groups[i] : heaviest;
    }
    std::sort(regime.members.begin(), regime.members.end());
    regime.representative = heaviest->members.front();
    regime.latency_share = regime_ns / total;
    regime.name = name_regime(workloads, regime.members, axes);
    if (!names.insert(regime.name).second) {
      // Two regimes may span the same values: latency need not be monotone in the axes.
      regime.name += fmt::format(" (regime {})", regimes.size() + 1);
      names.insert(regime.name);
    }
    regimes.push_back(std::move(regime));
    begin = end;
  }
  return regimes;
}

}  // namespace assay::promote
