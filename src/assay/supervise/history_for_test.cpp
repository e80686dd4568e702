#include <assay/supervise/history_for_test.hpp>

#include <cstdint>

namespace assay::supervise::testing {
namespace {

Attempt& add(History& history, AttemptKind kind) {
  Attempt& attempt = history.attempts.emplace_back();
  attempt.number = static_cast<int>(history.attempts.size());
  attempt.code = "code " + std::to_string(attempt.number);
  attempt.kind = kind;
  return attempt;
}

}  // namespace

Attempt& add_measured(History& history) { return add(history, AttemptKind::measured); }

Attempt& add_improvement(History& history, double gain) {
  Attempt& attempt = add(history, AttemptKind::measured);
  attempt.improvement = gain;
  return attempt;
}

Attempt& add_failed(History& history) { return add(history, AttemptKind::failed); }

Attempt& add_lost(History& history) { return add(history, AttemptKind::lost); }

Attempt& add_repeat(History& history, std::size_t of) {
  const std::string code = history.attempts.at(of).code;
  Attempt& attempt = add(history, AttemptKind::measured);
  attempt.code = code;
  return attempt;
}

void add_flat(History& history, int count) {
  for (int i = 0; i < count; ++i) {
    add_measured(history);
  }
}

int count_runs(int runs, const std::function<bool(base::Philox&)>& faulty) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    base::Philox random(20261130, static_cast<std::uint64_t>(run));
    count += faulty(random) ? 1 : 0;
  }
  return count;
}

}  // namespace assay::supervise::testing
