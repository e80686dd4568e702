#pragma once

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <assay/base/digest.hpp>
#include <assay/base/random.hpp>
#include <assay/report/model.hpp>

namespace assay::report::testing {

/// A made-up campaign of a realistic shape, for the tests of this layer only: 32 candidates of every outcome,
/// 54 workloads over seven batch sizes, three promotions.

inline WorkloadRow sample_workload(int number, std::int64_t batch, base::Philox& random) {
  WorkloadRow row;
  row.uuid = base::sha256(std::to_string(number)).hex().substr(0, 8) + "-0000-4000-8000-000000000000";
  row.axes = {{"batch_size", batch}};
  const double baseline = (9'000.0 + 41'500.0 * static_cast<double>(batch)) * std::exp(0.03 * random.next_normal());
  const double gain =
      (batch == 1 ? 1.02 : 2.1 + 0.1 * std::log2(static_cast<double>(batch))) * std::exp(0.03 * random.next_normal());
  row.baseline_ns = baseline;
  row.incumbent_ns = baseline / gain;
  row.speedup = Ratio{gain, gain * 0.97, gain * 1.031};
  return row;
}

inline CandidateRow sample_candidate(int number, task::Outcome outcome, std::string cause) {
  CandidateRow row;
  row.number = number;
  row.round = (number + 1) / 8;
  row.name = row.round == 0 ? fmt::format("sample-bad-{}", number) : fmt::format("gdn_decode_tunable#{}", number);
  row.digest = base::sha256(row.name).brief();
  row.outcome = outcome;
  row.cause = std::move(cause);
  row.hypothesis = {"all", "unknown", "supplied by hand", "none stated"};
  if (row.round > 0) {
    const int block = 1 << (number % 5);
    row.parameters = {{"BLOCK_V", block}, {"UNROLL", 1 << (number % 3)}, {"VECTOR_WIDTH", 8}, {"THREADS", 2}};
    row.hypothesis = {"batch_size 16..64", "memory bandwidth", fmt::format("BLOCK_V {} -> {}", block, 2 * block),
                      "faster; size not predicted"};
    row.parent = row.round > 1 ? std::optional(number - 8) : std::nullopt;
  }
  row.stage = outcome == task::Outcome::duplicate   ? std::nullopt
              : outcome == task::Outcome::not_built ? std::optional(task::Stage::build)
                                                    : std::optional(task::Stage::gate);
  return row;
}

inline std::vector<CandidateRow> sample_candidates() {
  using task::Outcome;
  base::Philox random(7, base::stream_id("report.sample"));
  std::vector<CandidateRow> rows{
      sample_candidate(1, Outcome::not_built, "g++: kernel.cpp:14:3: error: ‘stat’ was not declared in this scope"),
      sample_candidate(2, Outcome::incorrect,
                       "new_state[3, 7, 127, 127] was never written: the output still holds the judge’s poison."),
      sample_candidate(3, Outcome::crashed, "Signal 11 (segmentation fault) in the call of workload 2, batch_size=64."),
      sample_candidate(4, Outcome::timed_out, "The call did not return within 2,000 ms (workload 0, batch_size=1)."),
      sample_candidate(5, Outcome::incorrect, "The guard band after output was overwritten at byte 0 (offset 4,096)."),
      sample_candidate(6, Outcome::suspect, "The worker’s clock says 1.2 µs a call, the judge’s 48 µs.")};
  double incumbent = 1;
  for (int number = 7; number <= 32; ++number) {
    if (number == 20 || number == 27) {
      rows.push_back(sample_candidate(number, Outcome::duplicate, "Same normalised source and parameters."));
      rows.back().duplicate_of = number - 9;
      continue;
    }
    const bool promoted = number == 9 || number == 14 || number == 23;
    const double gain = promoted ? 1.34 : 0.72 + 0.29 * random.next_uniform();
    const double speedup = incumbent * gain;
    const double reach = 1.01 + 0.05 * random.next_uniform();
    rows.push_back(sample_candidate(number,
                                    promoted       ? Outcome::better
                                    : gain > 0.985 ? Outcome::indistinguishable
                                                   : Outcome::not_better,
                                    promoted       ? "Faster by 25.4 % than the incumbent, which is more than 1 %."
                                    : gain > 0.985 ? "The limits were reached without a decision."
                                                   : "An improvement of 1 % is excluded."));
    rows.back().speedup = Ratio{speedup, speedup / reach, speedup * reach};
    if (promoted) {
      rows.back().promoted = true;
      rows.back().stage = task::Stage::sweep;
      incumbent = speedup;
    }
  }
  return rows;
}

inline CampaignReport sample_report() {
  CampaignReport report;
  report.campaign = "gdn-decode-overnight";
  report.definition = "gdn_decode_qk4_v8_d128_k_last";
  report.device = "cpu";
  report.policy = "quick";
  report.policy_sentences = {
      "At the gate a candidate meets the incumbent on 3 representative workloads, over 3 to 8 process pairs.",
      "It must be faster by more than 1 %, with an error of at most 5 % over all looks.",
      "The best of a round is swept over all 54 workloads; none may be missing.",
      "No workload may be slower by more than 5 %.", "The policy approves a winner; a tie keeps the incumbent."};
  report.state = "finished";
  report.started = "2026-11-29T17:39:39Z";
  report.finished = "2026-11-29T17:41:22Z";
  report.baseline = "gdn_decode_plain";
  report.incumbent = "gdn_decode_tunable#23";
  report.incumbent_number = 23;
  report.decision = {
      "Candidate 23 replaces the baseline: it is 2.31 times as fast over all 54 workloads.",
      "The whole interval, 2.24 to 2.38, lies beyond the minimum effect of 1 %, after 4 process pairs.",
      "Every guard holds: the slowest workload is at 0.97 of the baseline’s speed, within the 5 % allowed.",
      "No failure in 1,206 checked calls."};
  report.headline = Headline{{2.31, 2.24, 2.38}, 0.412, 2.374, 54, 4};
  report.candidates = sample_candidates();
  base::Philox random(8, base::stream_id("report.sample"));
  constexpr std::array<std::pair<std::int64_t, int>, 7> kBatches{
      {{1, 10}, {4, 8}, {8, 7}, {16, 7}, {32, 7}, {48, 7}, {64, 8}}};
  int number = 0;
  for (const auto& [batch, count] : kBatches) {
    for (int i = 0; i < count; ++i) {
      report.workloads.push_back(sample_workload(number++, batch, random));
    }
  }
  report.winner_source = {{SourceText::Kind::diff, "kernel.cpp, against the baseline",
                           "--- baseline/kernel.cpp\n+++ candidate/kernel.cpp\n@@ -21,4 +21,5 @@\n"
                           " for (int head = 0; head < kHeads; ++head) {\n"
                           "-  for (int v = 0; v < 128; ++v) {\n+  for (int v = 0; v < 128; v += BLOCK_V) {\n"
                           "+    #pragma GCC unroll UNROLL\n     accumulate(state, v);\n   }\n"}};
  report.environment = {{"cpu", "AMD EPYC 9654, 2 of 96 cores, pinned"},
                        {"kernel", "Linux 6.1.0-27-amd64"},
                        {"toolchain", "g++ 12.2.0 -O3 -march=native"},
                        {"isolation", "namespaces, seccomp, rlimits"},
                        {"timer floor", "38 ns"}};
  report.generated = "2026-11-29T17:41:25Z";
  report.version = "0.1.0";
  return report;
}

/// Puts hostile text into every field that holds text.
inline CampaignReport hostile_report() {
  const std::string evil = "</td><script>alert(\"x\")</script>&\x1b[31m'\xff";
  CampaignReport report = sample_report();
  for (std::string* text :
       {&report.campaign, &report.definition, &report.device, &report.policy, &report.state, &report.started,
        &report.finished, &report.baseline, &report.incumbent, &report.generated, &report.version}) {
    *text = evil;
  }
  report.policy_sentences = {evil};
  report.decision = {evil, evil};
  for (CandidateRow& row : report.candidates) {
    row.name = evil;
    row.digest = evil;
    row.cause = evil;
    row.hypothesis = {evil, evil, evil, evil};
    row.parameters = {{evil, 1}};
  }
  for (WorkloadRow& row : report.workloads) {
    row.uuid = evil;
    row.axes = {{evil, row.axes.front().second}};
  }
  report.alarms = {evil};
  report.warnings = {evil};
  report.candidates.front().unswept = evil;
  report.candidates.back().promoted = true;
  report.candidates.back().demotion = evil;
  report.injections = {{1, 1, evil, evil, task::Outcome::better, evil, task::Stage::sweep, Ratio{}, evil}};
  report.winner_source = {{SourceText::Kind::diff, evil, "+" + evil}, {SourceText::Kind::whole, evil, evil}};
  report.environment = {{evil, evil}};
  return report;
}

}  // namespace assay::report::testing
