#pragma once

#include <functional>
#include <string>

#include <assay/base/random.hpp>
#include <assay/supervise/history.hpp>

/// For tests only: histories of which it is known what is wrong with them.
namespace assay::supervise::testing {

/// Adds a measured attempt with code of its own that did not improve.
Attempt& add_measured(History& history);
/// Adds one that improved by `gain`.
Attempt& add_improvement(History& history, double gain = 0.1);
Attempt& add_failed(History& history);
Attempt& add_lost(History& history);
/// Adds one with the code of an earlier attempt, named by its index.
Attempt& add_repeat(History& history, std::size_t of);

/// Adds `count` measured attempts that do not improve.
void add_flat(History& history, int count);

/// Counts in how many of `runs` histories `faulty` says yes; each gets a generator of its own.
int count_runs(int runs, const std::function<bool(base::Philox&)>& faulty);

}  // namespace assay::supervise::testing
