#pragma once

#include <cmath>
#include <limits>

#include <assay/base/digest.hpp>
#include <assay/task/evaluation.hpp>

/// Test code only.
namespace assay::task::testing {

/// An evaluation in which every field holds something.
[[nodiscard]] inline Evaluation sample_evaluation() {
  Evaluation evaluation;
  evaluation.id = "20260101-a1";
  evaluation.stage = Stage::sweep;
  evaluation.device = "cpu";
  evaluation.outcome = Outcome::not_better;
  evaluation.cause = "A workload is slower.";
  evaluation.candidate = {base::sha256("a"), base::sha256("b")};
  evaluation.incumbent = CandidateIdentity{base::sha256("c"), base::sha256("d")};
  Finding finding;
  finding.kind = "mismatch";
  finding.message = "y[3, 0] differs";
  finding.side = Side::incumbent;
  finding.workload = 1;
  finding.tensor = "y";
  finding.index = std::vector<std::int64_t>{3, 0};
  finding.expected = -std::numeric_limits<double>::infinity();
  finding.got = std::nan("");
  finding.picture = {"  #", "   "};
  evaluation.findings = {finding};
  evaluation.candidate_build = {true,
                                false,
                                "g++ 12.2.0",
                                {"g++", "-O3"},
                                std::string(64, 'a'),
                                "candidate-build.log",
                                1.5,
                                {{"_Z1kPf", "k(float*)", "sm_90a", 64, 1, 1032, 1464, 1476, 4096, 352}},
                                Tier::device_only,
                                {std::string(64, '1'), std::string(64, '2'), std::string(64, '3')}};
  evaluation.incumbent_build =
      BuildRecord{true, true, "g++ 12.2.0", {}, std::string(64, 'b'), "incumbent-build.log", 0};
  evaluation.checked_calls = 12;
  evaluation.stress_trials = 8;
  evaluation.checker_doubts = 2;
  evaluation.replayed = 3;
  evaluation.clean_on_workloads = {40, 60};
  Workload failed_on;
  failed_on.uuid = "w-1";
  failed_on.axes = {{"rows", 4}};
  evaluation.failing_inputs = {{failed_on, "ties", 7, 8, 9, true}};
  evaluation.official = OfficialVerdict{
      false, 3, "y[0] is 5",
      OfficialTiming{std::string(kOfficialTimingMethod), 16, 50, {{"w-1", {1000.5, 1100, 1199.5}, {2000}}}},
      "it did not pass"};
  evaluation.phases = {{"build", 1.5}, {"process pairs", 0.5}};
  evaluation.trials = TrialsRecord{3024, 56, 12.5, 1.25, {56, 112}};
  WorkloadTiming timing;
  timing.uuid = "w-1";
  timing.axes = {{"rows", 4}};
  timing.candidate_ns = 1234.5;
  timing.log_ratio = -0.25;
  timing.largest_absolute_error = 0.125;
  timing.largest_relative_error = std::numeric_limits<double>::infinity();
  timing.floor_ns = 12.5;
  timing.floor_limit = "memory";
  evaluation.timings = {timing};
  evaluation.comparison = Comparison{2,
                                     {-0.5, 0.25},
                                     -0.125,
                                     -1.0,
                                     std::numeric_limits<double>::infinity(),
                                     {"w-1 is slower"},
                                     SelfComparison{2, {0.01, -0.005}, 0.0025, -0.015, 0.02, 0.02}};
  evaluation.timer_floor_ns = 21.5;
  evaluation.timing = base::Timing{base::TimingMethod::graph, base::CacheState::hot};
  evaluation.device_readings = {{1, 3, {345, 3201, 30, 75.5, "", 3}, {1980, 3201, 41, 312.25, "power limit", 4}}};
  evaluation.canary = Canary{1000.5, 1100};
  evaluation.seed = std::numeric_limits<std::uint64_t>::max();
  evaluation.environment = {{"kernel", "6.1"}, {"cpu", "model"}};
  evaluation.retries = {"The worker did not start."};
  evaluation.started = "2026-01-01T00:00:00Z";
  evaluation.wall_seconds = 3.25;
  return evaluation;
}

}  // namespace assay::task::testing
