// How often rules that promote kernels are wrong, and how much they find, on simulated devices with realistic noise.
//
// usage: promotion_rules RESULTS.json RULES.svg REPLAY.svg [SELF_COMPARISONS [GAINS [PLANTED]]]
//
// 1. Sessions in which the candidate is the incumbent's own code (a promotion is an error), and sessions in which it is
//    faster by 1 %, under the noise of stats::TimingNoise. All rules see the same calls.
// 2. A defect on one workload of 128 that shows in 1.5 % of calls, and 2,000 trials to find it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/os/file.hpp>
#include <assay/plot/rate_chart.hpp>
#include <assay/promote/policy.hpp>
#include <assay/promote/recompute.hpp>
#include <assay/stats/binomial_bound.hpp>
#include <assay/stats/quantile.hpp>
#include <assay/stats/replay.hpp>
#include <assay/stats/simulated_session.hpp>

namespace {

using namespace assay;

constexpr int kWorkloads = 4;
constexpr double kGain = 0.01;

// What a rule did in one session.
struct Verdict {
  bool promoted = false;
  int pairs = 0;
};

struct Rule {
  const char* key;
  std::string name;
  std::string detail;
};

// One session: a pair's log-ratios of single calls, its mean over workloads of log-ratios of medians, and what somebody who
// compares with a stored number goes by.
struct Session {
  std::vector<double> pair_log_ratios;
  std::vector<double> calls_of_first_pair;
  double stored_log_ratio = 0;
};

double mean_log_median(const std::vector<stats::PairedSample>& samples, bool candidate) {
  double sum = 0;
  for (int workload = 0; workload < kWorkloads; ++workload) {
    std::vector<double> times;
    for (const stats::PairedSample& sample : samples) {
      if (sample.workload == workload && sample.candidate == candidate) {
        times.push_back(sample.elapsed_ns);
      }
    }
    sum += std::log(stats::median(times)) / kWorkloads;
  }
  return sum;
}

Session simulate(double log_ratio, const task::SessionPlan& plan, std::uint64_t seed) {
  const stats::TimingNoise noise;
  stats::SimulatedSession simulated(noise, log_ratio, kWorkloads, plan.samples_per_pair, 2 * seed);
  stats::SimulatedSession earlier(noise, 0, kWorkloads, plan.samples_per_pair, 2 * seed + 1);
  Session session;
  for (int pair = 0; pair < plan.maximum_pairs; ++pair) {
    std::vector<stats::PairedSample> samples = simulated.next_pair();
    if (pair == 0) {
      session.stored_log_ratio = mean_log_median(samples, true) - mean_log_median(earlier.next_pair(), false);
      for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {  // Neighbours in time are the two sides.
        const double ratio = std::log(samples[i].elapsed_ns / samples[i + 1].elapsed_ns);
        session.calls_of_first_pair.push_back(samples[i].candidate ? ratio : -ratio);
      }
    }
    for (stats::PairedSample& sample : samples) {
      sample.pair = 0;
    }
    session.pair_log_ratios.push_back(stats::tabulate(samples, 1, kWorkloads).pair_log_ratios.front());
  }
  return session;
}

// Looks at an ordinary 95 % interval after each pair and promotes as soon as it lies below 0.
Verdict plain_interval_after_each(const std::vector<double>& ratios) {
  for (std::size_t pairs = 3; pairs <= ratios.size(); ++pairs) {
    if (stats::t_interval(std::span(ratios).first(pairs), 0.05).upper < 0) {
      return {true, static_cast<int>(pairs)};
    }
  }
  return {false, static_cast<int>(ratios.size())};
}

Verdict by_rule(const std::vector<double>& ratios, const stats::PairedRule& rule) {
  const stats::PairedDecision decision = stats::decide_paired(ratios, rule);
  return {decision.conclusion == stats::PairedConclusion::better, decision.pairs_used};
}

std::vector<Rule> rules_of(const promote::Policy& policy) {
  const task::SessionPlan& plan = policy.sweep;
  return {{"greedy", "greedy", "best time so far, stored"},
          {"plain_interval_of_calls", "plain 95 % interval", "over calls of one process pair"},
          {"plain_interval_after_each_pair", "plain 95 % interval", "looked at after each pair"},
          {"student_t_split", "Student's t, error split",
           fmt::format("over {} looks", plan.maximum_pairs - plan.minimum_pairs + 1)},
          {"evidence", "evidence", fmt::format("policy {}", policy.name)}};
}

std::array<Verdict, 5> judge(const Session& session, const task::SessionPlan& plan) {
  stats::PairedRule rule = promote::rule_of(plan);
  const Verdict evidence = by_rule(session.pair_log_ratios, rule);
  rule.test = stats::PairedTest::student_t;
  return {Verdict{session.stored_log_ratio < 0, 1},
          Verdict{stats::t_interval(session.calls_of_first_pair, 0.05).upper < 0, 1},
          plain_interval_after_each(session.pair_log_ratios), by_rule(session.pair_log_ratios, rule), evidence};
}

struct Tally {
  std::int64_t sessions = 0;
  std::int64_t promoted = 0;
  std::vector<double> pairs;

  [[nodiscard]] plot::Rate rate() const {
    const auto interval = stats::failure_rate_interval(promoted, sessions, 0.95);
    return {static_cast<double>(promoted) / static_cast<double>(sessions), interval.lower, interval.upper};
  }
};

base::Json encode(const Tally& tally) {
  const plot::Rate rate = tally.rate();
  return {{"sessions", tally.sessions},
          {"promoted", tally.promoted},
          {"share", rate.estimate},
          {"share_95", {rate.lower, rate.upper}},
          {"mean_pairs", stats::mean(tally.pairs)},
          {"pairs_95th_percentile", stats::quantile(tally.pairs, 0.95)}};
}

std::vector<Tally> run_sessions(double log_ratio, const task::SessionPlan& plan, std::int64_t sessions,
                                std::uint64_t first_seed) {
  std::vector<Tally> tallies(5);
  for (std::int64_t i = 0; i < sessions; ++i) {
    const auto verdicts = judge(simulate(log_ratio, plan, first_seed + static_cast<std::uint64_t>(i)), plan);
    for (std::size_t rule = 0; rule < verdicts.size(); ++rule) {
      ++tallies[rule].sessions;
      tallies[rule].promoted += verdicts[rule].promoted ? 1 : 0;
      tallies[rule].pairs.push_back(verdicts[rule].pairs);
    }
  }
  return tallies;
}

constexpr std::size_t kReplayWorkloads = 128;
constexpr std::size_t kReplayBudget = 2000;
constexpr double kDefectRate = 0.015;

// Where history points: at the defect (a sibling that shares it was tried evenly until it failed once), nowhere (nobody was
// tried), or at another workload (a sibling failed there for a reason of its own; or siblings did, five times; or one did, and
// other candidates had a thousand clean trials on each workload before).
enum class History { sibling_failed_there, none, sibling_failed_elsewhere, five_failed_elsewhere, after_many_clean };

bool catches(History history, const stats::ReplayOptions& options, std::uint64_t run) {
  base::Philox random(run, base::stream_id("bench.replay"));
  const auto bad = static_cast<std::size_t>(random.next_below(kReplayWorkloads));
  const std::size_t pointed = history == History::sibling_failed_there ? bad : (bad + 64) % kReplayWorkloads;
  std::vector<stats::ReplayStratum> strata(kReplayWorkloads);
  const int failures = history == History::none ? 0 : history == History::five_failed_elsewhere ? 5 : 1;
  for (int failed = 0; failed < failures;) {
    for (std::size_t i = 0; i < strata.size() && failed < failures; ++i) {
      const bool fails = i == pointed && random.next_uniform() < kDefectRate;
      ++strata[i].of_siblings.trials;
      strata[i].of_siblings.failures += fails ? 1 : 0;
      failed += fails ? 1 : 0;
    }
  }
  if (history == History::after_many_clean) {
    for (stats::ReplayStratum& stratum : strata) {
      stratum.of_operator = {1000, 0};
    }
  }
  for (const stats::ReplayTrial& trial : stats::plan_replay(strata, kReplayBudget, options, random)) {
    if (trial.stratum == bad && random.next_uniform() < kDefectRate) {
      return true;
    }
  }
  return false;
}

plot::Rate caught_share(History history, const stats::ReplayOptions& options, std::int64_t runs) {
  std::int64_t caught = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    caught += catches(history, options, static_cast<std::uint64_t>(run)) ? 1 : 0;
  }
  const auto interval = stats::failure_rate_interval(caught, runs, 0.95);
  return {static_cast<double>(caught) / static_cast<double>(runs), interval.lower, interval.upper};
}

std::string run_replay(std::int64_t runs, base::Json& results) {
  plot::RateChart chart;
  chart.id = "replay";
  chart.title = fmt::format("A defect on 1 of {} workloads, seen in {:g} % of calls: caught within {} trials",
                            kReplayWorkloads, 100 * kDefectRate, kReplayBudget);
  chart.panels = {{"after one sibling failed there", 0.8, "at least 80 %", plot::RatePanel::Wanted::above},
                  {"a sibling failed elsewhere", std::nullopt, "", plot::RatePanel::Wanted::above},
                  {"five failed elsewhere", std::nullopt, "", plot::RatePanel::Wanted::above}};
  constexpr double kAll = 1e9;
  struct Allocation {
    const char* key;
    const char* name;
    const char* detail;
    stats::ReplayOptions options;
    bool drawn = true;
  };
  const std::vector<Allocation> allocations = {
      {"even", "even", "", {.even_share = 1}},
      {"expected_detection", "expected detection", "a fifth spread evenly", {}},
      {"history_believed_wholly",
       "history believed wholly",
       "expected detection, a fifth evenly",
       {.sibling_discount = 1, .believed_failures = kAll}},
      {"history_believed_wholly_half_even",
       "history believed wholly",
       "expected detection, half evenly",
       {.even_share = 0.5, .sibling_discount = 1, .believed_failures = kAll},
       false},
      {"history_at_half_without_bound",
       "history at half, without a bound",
       "expected detection, a fifth evenly",
       {.believed_failures = kAll},
       false},
      {"thompson", "Thompson", "a fifth spread evenly", {.rule = stats::ReplayRule::thompson}}};
  const std::array<std::pair<const char*, History>, 5> histories = {
      {{"sibling_failed_there", History::sibling_failed_there},
       {"sibling_failed_elsewhere", History::sibling_failed_elsewhere},
       {"five_failed_elsewhere", History::five_failed_elsewhere},
       {"no_history", History::none},
       {"sibling_failed_elsewhere_after_many_clean", History::after_many_clean}}};
  base::Json& json = results["replay"] = {
      {"workloads", kReplayWorkloads}, {"budget", kReplayBudget}, {"defect_rate", kDefectRate}, {"runs", runs}};
  for (const Allocation& allocation : allocations) {
    const char* name = allocation.key;
    plot::RateRow row{allocation.name, allocation.detail, {}};
    for (const auto& [key, history] : histories) {
      row.rates.push_back(caught_share(history, allocation.options, runs));
      json["caught"][name][key] = {{"share", row.rates.back().estimate},
                                   {"share_95", {row.rates.back().lower, row.rates.back().upper}}};
      fmt::print("replay, {}, {}: {:.1f} %\n", name, key, 100 * row.rates.back().estimate);
    }
    row.rates.resize(chart.panels.size());  // The rest is in the results.
    if (allocation.drawn) {
      chart.rows.push_back(std::move(row));
    }
  }
  return plot::draw(chart);
}

std::string run_rules(std::int64_t copies, std::int64_t gains, base::Json& results) {
  const promote::Policy policy = promote::built_in_policy("release").value();
  const task::SessionPlan& plan = policy.sweep;
  const std::vector<Tally> of_copies = run_sessions(0, plan, copies, 1'000'000);
  const std::vector<Tally> of_gains = run_sessions(std::log1p(-kGain), plan, gains, 5'000'000);
  const std::vector<Tally> at_edge = run_sessions(std::log1p(-plan.minimum_effect), plan, gains, 8'000'000);
  plot::RateChart chart;
  chart.id = "rules";
  chart.title = "Promotion rules on one simulated device: copies promoted in error, and gains of 1 % found";
  chart.panels = {{fmt::format("{} copies: promoted in error", copies), plan.alpha,
                   fmt::format("at most {:g} %", 100 * plan.alpha), plot::RatePanel::Wanted::below},
                  {fmt::format("{} true gains of {:g} %: found", gains, 100 * kGain), 0.95, "at least 95 %",
                   plot::RatePanel::Wanted::above}};
  base::Json& json = results["rules"] = {{"policy", policy.name},
                                         {"alpha", plan.alpha},
                                         {"minimum_effect", plan.minimum_effect},
                                         {"maximum_pairs", plan.maximum_pairs},
                                         {"samples_per_pair", plan.samples_per_pair},
                                         {"workloads", kWorkloads},
                                         {"gain", kGain}};
  const std::vector<Rule> rules = rules_of(policy);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    chart.rows.push_back({rules[i].name, rules[i].detail, {of_copies[i].rate(), of_gains[i].rate()}});
    json["by_rule"][rules[i].key] = {{"copies", encode(of_copies[i])},
                                     {"gains", encode(of_gains[i])},
                                     {"at_the_minimum_effect", encode(at_edge[i])}};
    fmt::print(
        "{} ({}): {:.3f} % of copies, {:.1f} % of gains, {:.2f} % at the minimum effect; {:.1f} and {:.1f} pairs\n",
        rules[i].name, rules[i].detail, 100 * of_copies[i].rate().estimate, 100 * of_gains[i].rate().estimate,
        100 * at_edge[i].rate().estimate, stats::mean(of_copies[i].pairs), stats::mean(of_gains[i].pairs));
  }
  const stats::TimingNoise noise;
  results["noise"] = {
      {"session", noise.session},           {"drift", noise.drift},         {"drift_memory", noise.drift_memory},
      {"process", noise.process},           {"placement", noise.placement}, {"misplaced", noise.misplaced},
      {"misplacement", noise.misplacement}, {"call", noise.call},           {"spikes", noise.spikes}};
  return plot::draw(chart);
}

std::int64_t count_from(int argc, char** argv, int index, std::int64_t otherwise) {
  return argc > index ? std::max<std::int64_t>(1, std::atoll(argv[index])) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: {} RESULTS.json RULES.svg REPLAY.svg [SELF_COMPARISONS [GAINS [PLANTED]]]\n", argv[0]);
    return 2;
  }
  base::Json results = {{"benchmark", "promotion_rules"}};
  const std::string rules = run_rules(count_from(argc, argv, 4, 10'000), count_from(argc, argv, 5, 1000), results);
  const std::string replay = run_replay(count_from(argc, argv, 6, 500), results);
  const auto written = [](const char* path, const std::string& text) {
    const auto result = os::write_file_atomic(path, text);
    if (!result) {
      fmt::print(stderr, "{}\n", result.error().text());
    }
    return result.has_value();
  };
  const bool all =
      written(argv[1], base::dump_pretty(results) + "\n") && written(argv[2], rules) && written(argv[3], replay);
  return all ? 0 : 1;
}
