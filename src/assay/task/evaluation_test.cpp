#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <assay/task/evaluation.hpp>
#include <assay/task/sample_evaluation.hpp>
#include <assay/task/test_documents.hpp>

namespace assay::task {
namespace {

using base::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::parse;
using testing::sample_evaluation;

Json written(const Evaluation& evaluation) { return parse(encode(evaluation).dump()); }

std::string fault(const Json& json) {
  const auto result = decode_evaluation(json, "e.json");
  return result ? std::string() : result.error().message;
}

TEST(EvaluationCodec, RoundTripsWithNumbersThatAreNotFinite) {
  const Evaluation evaluation = sample_evaluation();
  const Evaluation read = decode_evaluation(written(evaluation), "e").value();
  EXPECT_EQ(encode(read).dump(), encode(evaluation).dump());
  EXPECT_TRUE(std::isnan(read.findings[0].got.value()));
  EXPECT_EQ(read.findings[0].expected, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(read.candidate, evaluation.candidate);
  EXPECT_EQ(read.seed, evaluation.seed);
}

TEST(EvaluationCodec, AMaterialiseRequestHasNone) {
  Json json = written(sample_evaluation());
  json["stage"] = "materialise";
  EXPECT_THAT(fault(json), HasSubstr("/stage"));
}

TEST(EvaluationCodec, RoundTripsWhenNothingIsThere) {
  const Evaluation read = decode_evaluation(
                              [] {
                                Evaluation bare;
                                bare.id = "x";
                                bare.device = "cpu";
                                return written(bare);
                              }(),
                              "e")
                              .value();
  EXPECT_FALSE(read.incumbent.has_value());
  EXPECT_FALSE(read.comparison.has_value());
  EXPECT_FALSE(read.incumbent_build.has_value());
}

TEST(EvaluationCodec, ARecordOfBeforeErrorsWereMeasuredIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["timings"][0]["largest_relative_error"], "Infinity");
  json["timings"][0].erase("largest_absolute_error");
  json["timings"][0].erase("largest_relative_error");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_FALSE(read.timings[0].largest_absolute_error || read.timings[0].largest_relative_error);
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, TheSizeOfWhatALogLeavesOutRoundTripsWhereThereIsOne) {
  Evaluation evaluation = sample_evaluation();
  EXPECT_FALSE(written(evaluation)["candidate_build"].contains("log_bytes_cut"));
  evaluation.candidate_build.log_bytes_cut = 3'000'000'000;
  const Json json = written(evaluation);
  EXPECT_EQ(json["candidate_build"]["log_bytes_cut"], 3'000'000'000);
  EXPECT_EQ(decode_evaluation(json, "e")->candidate_build.log_bytes_cut, 3'000'000'000U);
  Json wrong = json;
  wrong["candidate_build"]["log_bytes_cut"] = 0;
  EXPECT_FALSE(decode_evaluation(wrong, "e")) << "nothing is said of nothing";
}

TEST(EvaluationCodec, FloorsRoundTripAndARecordOfBeforeThemIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["timings"][0]["floor_ns"], 12.5);
  EXPECT_EQ(json["timings"][0]["floor_limit"], "memory");
  EXPECT_EQ(encode(decode_evaluation(json, "e").value()).dump(), json.dump());
  json["timings"][0].erase("floor_ns");
  json["timings"][0].erase("floor_limit");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_FALSE(read.timings[0].floor_ns);
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, KernelsRoundTripAndARecordOfBeforeThemIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["candidate_build"]["kernels"][0]["spill_load_bytes"], 1476);
  EXPECT_FALSE(json["incumbent_build"].contains("kernels"));
  EXPECT_EQ(json["candidate_build"]["tier"], "device-only");
  EXPECT_FALSE(json["incumbent_build"].contains("tier"));
  EXPECT_EQ(decode_evaluation(json, "e")->candidate_build.tier, Tier::device_only);
  EXPECT_EQ(decode_evaluation(json, "e")->candidate_build.kernels, sample_evaluation().candidate_build.kernels);
  json["candidate_build"].erase("kernels");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_TRUE(read.candidate_build.kernels.empty());
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, TheCodeRoundTripsLevelByLevelAndARecordOfBeforeItIsRead) {
  Evaluation evaluation = sample_evaluation();
  Json json = written(evaluation);
  EXPECT_EQ(json["candidate_build"]["code"]["sass"], std::string(64, '2'));
  EXPECT_FALSE(json["incumbent_build"].contains("code"));
  EXPECT_EQ(decode_evaluation(json, "e")->candidate_build.code, evaluation.candidate_build.code);
  evaluation.candidate_build.code = {"", "", std::string(64, 'e')};
  json = written(evaluation);
  EXPECT_EQ(json["candidate_build"]["code"].size(), 1U) << "what is not known is not said";
  EXPECT_EQ(decode_evaluation(json, "e")->candidate_build.code, evaluation.candidate_build.code);
  json["candidate_build"].erase("code");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_EQ(read.candidate_build.code, BuiltCode{});
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, CodeThatIsNoDigestIsRefused) {
  Json json = written(sample_evaluation());
  json["candidate_build"]["code"]["ptx"] = "short";
  EXPECT_THAT(fault(json), HasSubstr("/candidate_build/code/ptx"));
  json = written(sample_evaluation());
  json["candidate_build"]["code"]["cubin"] = std::string(64, 'a');
  EXPECT_THAT(fault(json), HasSubstr("/candidate_build/code/cubin"));
}

TEST(SelfComparison, IsOfTwoKnownBuildsThatAreTheSame) {
  Evaluation evaluation = sample_evaluation();
  EXPECT_FALSE(is_self_comparison(evaluation)) << "the incumbent's code is not known";
  evaluation.incumbent_build->code.machine_code = evaluation.candidate_build.code.machine_code;
  EXPECT_TRUE(is_self_comparison(evaluation));
  EvaluationRequest request;
  EXPECT_TRUE(holds_as_noise(request, evaluation));
  request.judge_twin = true;
  EXPECT_FALSE(holds_as_noise(request, evaluation)) << "a null injection asks whether the rule is fooled";
  evaluation.incumbent_build.reset();
  EXPECT_FALSE(is_self_comparison(evaluation));
  EXPECT_FALSE(same_machine_code(BuildRecord{}, BuildRecord{}));
}

TEST(EvaluationCodec, ConditionsRoundTripAndARecordOfBeforeThemIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["clock"]["method"], "graph");
  EXPECT_EQ(json["clock"]["cache"], "hot");
  EXPECT_EQ(json["device_readings"][0]["after"]["sm_mhz"], 1980);
  const Evaluation whole = decode_evaluation(json, "e").value();
  EXPECT_EQ(timing_of(whole), (base::Timing{base::TimingMethod::graph, base::CacheState::hot}));
  EXPECT_EQ(whole.device_readings.at(0).after.throttled, "power limit");
  EXPECT_EQ(whole.device_readings.at(0).before.processes, 3);
  EXPECT_DOUBLE_EQ(whole.canary.value().after_ns, 1100);
  for (const char* field : {"clock", "device_readings", "canary"}) {
    json.erase(field);
  }
  json["device"] = "cuda:0";
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_FALSE(read.timing || read.canary);
  EXPECT_TRUE(read.device_readings.empty());
  EXPECT_EQ(timing_of(read), (base::Timing{base::TimingMethod::events, base::CacheState::cold}));
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, TheSelfComparisonRoundTripsAndARecordOfBeforeItIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["comparison"]["aa"]["noise_floor"], 0.02);
  EXPECT_EQ(decode_evaluation(json, "e")->comparison->aa->pair_log_ratios, (std::vector<double>{0.01, -0.005}));
  json["comparison"].erase("aa");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_FALSE(read.comparison->aa);
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, AnotherEvaluatorsTimesAreKeptApartAndAVerdictWithoutThemIsRead) {
  Json json = written(sample_evaluation());
  EXPECT_EQ(json["official"]["timing"]["method"], "flashinfer-bench-cupti");
  const Evaluation whole = decode_evaluation(json, "e").value();
  const OfficialTiming& timing = whole.official->timing.value();
  EXPECT_EQ(timing.timed_calls, 50);
  EXPECT_DOUBLE_EQ(official_latency(timing.workloads.at(0).candidate_ns), 1100);
  EXPECT_DOUBLE_EQ(official_latency({}), 0);
  EXPECT_EQ(whole.official->not_timed, "it did not pass");
  json["official"].erase("timing");
  json["official"].erase("not_timed");
  const Evaluation read = decode_evaluation(json, "e").value();
  EXPECT_FALSE(read.official->timing);
  EXPECT_EQ(encode(read).dump(), json.dump());
}

TEST(EvaluationCodec, KernelsThatSayNothingAreRefused) {
  Json json = written(sample_evaluation());
  json["candidate_build"]["kernels"][0]["registers"] = -1;
  EXPECT_THAT(fault(json), HasSubstr("/candidate_build/kernels/0/registers"));
  json = written(sample_evaluation());
  json["candidate_build"]["kernels"] = Json::array();
  EXPECT_THAT(fault(json), HasSubstr("/candidate_build/kernels"));
}

TEST(EvaluationCodec, EveryOutcomeRoundTrips) {
  for (const Outcome outcome : all_outcomes()) {
    Evaluation evaluation = sample_evaluation();
    evaluation.outcome = outcome;
    EXPECT_EQ(decode_evaluation(written(evaluation), "e")->outcome, outcome);
  }
}

TEST(EvaluationCodec, RefusesTheUnknown) {
  const auto with = [](const std::string& pointer, const std::string& value) {
    Json json = written(sample_evaluation());
    json[Json::json_pointer(pointer)] = parse(value);
    return fault(json);
  };
  EXPECT_THAT(with("/version", "2"), HasSubstr("e.json: /version: is not 1"));
  EXPECT_THAT(with("/outcome", "\"fast\""), HasSubstr("/outcome:"));
  EXPECT_THAT(with("/outcome", "11"), HasSubstr("/outcome:"));
  EXPECT_THAT(with("/extra", "1"), HasSubstr("/extra:"));
  EXPECT_THAT(with("/findings/0/severity", "1"), HasSubstr("/findings/0/severity:"));
  EXPECT_THAT(with("/findings/0/side", "\"other\""), HasSubstr("/findings/0/side:"));
  EXPECT_THAT(with("/findings/0/workload", "-1"), HasSubstr("/findings/0/workload:"));
  EXPECT_THAT(with("/candidate/content", "\"abc\""), HasSubstr("/candidate/content:"));
  EXPECT_THAT(with("/candidate/content", "1"), HasSubstr("/candidate/content:"));
  EXPECT_THAT(with("/comparison/pairs", "-1"), HasSubstr("/comparison/pairs:"));
  EXPECT_THAT(with("/comparison/pair_log_ratios/0", "\"x\""), HasSubstr("/comparison/pair_log_ratios/0:"));
  EXPECT_THAT(with("/timings/0/axes/rows", "-1"), HasSubstr("/timings/0/axes/rows:"));
  EXPECT_THAT(with("/checked_calls", "-1"), HasSubstr("/checked_calls:"));
  EXPECT_THAT(with("/stress_trials", "-1"), HasSubstr("/stress_trials:"));
  EXPECT_THAT(with("/checker_doubts", "-1"), HasSubstr("/checker_doubts:"));
  EXPECT_THAT(with("/official/passed", "1"), HasSubstr("/official/passed:"));
  EXPECT_THAT(with("/official/rule", "1"), HasSubstr("/official/rule:"));
  EXPECT_THAT(with("/official/timing/method", "\"stopwatch\""), HasSubstr("/official/timing/method:"));
  EXPECT_THAT(with("/official/timing/workloads/0/candidate_ns/1", "-1"),
              HasSubstr("/official/timing/workloads/0/candidate_ns/1:"));
  EXPECT_THAT(with("/trials/calls", "-1"), HasSubstr("/trials/calls:"));
  EXPECT_THAT(with("/trials/on_workloads/0", "-1"), HasSubstr("/trials/on_workloads/0:"));
  EXPECT_THAT(with("/trials/seconds", "-1"), HasSubstr("/trials/seconds:"));
  EXPECT_THAT(with("/replayed", "-1"), HasSubstr("/replayed:"));
  EXPECT_THAT(with("/clean_on_workloads/1", "-1"), HasSubstr("/clean_on_workloads/1:"));
  EXPECT_THAT(with("/failing_inputs/0/seed", "-1"), HasSubstr("/failing_inputs/0/seed:"));
  EXPECT_THAT(with("/failing_inputs/0/caught", "\"x\""), HasSubstr("/failing_inputs/0/caught:"));
  EXPECT_THAT(with("/candidate_build/seconds", "\"NaN\""), HasSubstr("/candidate_build/seconds:"));
  EXPECT_THAT(with("/seed", "-1"), HasSubstr("/seed:"));
  EXPECT_THAT(with("/clock/method", "\"sundial\""), HasSubstr("/clock/method:"));
  EXPECT_THAT(with("/clock/cache", "\"warm\""), HasSubstr("/clock/cache:"));
  EXPECT_THAT(with("/clock/since", "1"), HasSubstr("/clock/since:"));
  EXPECT_THAT(with("/device_readings/0/before/sm_mhz", "-1"), HasSubstr("/device_readings/0/before/sm_mhz:"));
  EXPECT_THAT(with("/device_readings/0/after/power_watts", "-1"), HasSubstr("/device_readings/0/after/power_watts:"));
  EXPECT_THAT(with("/canary/before_ns", "-1"), HasSubstr("/canary/before_ns:"));
}

TEST(EvaluationCodec, EveryFieldMustBeThere) {
  const Json whole = written(sample_evaluation());
  const auto check = [](const Json& part, const Json& document, const std::string& place) {
    for (const auto& [key, value] : part.items()) {
      if (key.starts_with("largest_") || key.starts_with("floor_") || key == "stress_trials" || key == "official" ||
          key == "trials" || key == "phases" || place == "/phases" || key == "picture" || key == "kernels" ||
          key == "tier" || key == "clock" || key == "device_readings" || key == "canary" || key == "aa" ||
          key == "checker_doubts" || key == "code" || key == "replayed" || key == "clean_on_workloads" ||
          key == "failing_inputs") {
        continue;  // records of before do not have them
      }
      Json json = document;
      (place.empty() ? json : json[Json::json_pointer(place)]).erase(key);
      EXPECT_THAT(fault(json), HasSubstr(place + "/" + key + ": is missing")) << key;
    }
  };
  check(whole, whole, "");
  for (const char* place : {"/findings/0", "/candidate", "/candidate_build", "/candidate_build/kernels/0", "/timings/0",
                            "/comparison", "/comparison/aa", "/clock", "/device_readings/0",
                            "/device_readings/0/before", "/device_readings/0/after", "/canary"}) {
    check(whole[Json::json_pointer(place)], whole, place);
  }
}

TEST(CleanTrials, AreThoseCountedOrElseThoseAskedFor) {
  using ::testing::ElementsAre;
  Evaluation evaluation;
  EXPECT_THAT(clean_trials(evaluation, 2), ElementsAre(0, 0)) << "of nothing counted nothing is known";
  evaluation.trials = TrialsRecord{200, 90, 1, 1, {}};
  EXPECT_THAT(clean_trials(evaluation, 2), ElementsAre(90, 90));
  evaluation.trials->on_workloads = {110, 90};
  EXPECT_THAT(clean_trials(evaluation, 2), ElementsAre(110, 90));
  evaluation.clean_on_workloads = {120, 101};
  EXPECT_THAT(clean_trials(evaluation, 2), ElementsAre(120, 101));
  EXPECT_THAT(clean_trials(evaluation, 3), ElementsAre(90, 90, 90)) << "counts of other workloads say nothing";
}

TEST(EvaluationCodec, SidesHaveTheirSpelling) {
  EXPECT_EQ(to_string(Side::candidate), "candidate");
  EXPECT_EQ(to_string(Side::incumbent), "incumbent");
}

rc::Gen<Sample> samples() {
  const auto index = rc::gen::inRange<std::int32_t>(0, std::numeric_limits<std::int32_t>::max());
  const auto duration = rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  return rc::gen::build<Sample>(rc::gen::set(&Sample::pair, index), rc::gen::set(&Sample::order, index),
                                rc::gen::set(&Sample::side, rc::gen::element(Side::candidate, Side::incumbent)),
                                rc::gen::set(&Sample::workload, index), rc::gen::set(&Sample::repetition, index),
                                rc::gen::set(&Sample::elapsed_ns, duration),
                                rc::gen::set(&Sample::round_trip_ns, duration),
                                rc::gen::set(&Sample::checked, rc::gen::arbitrary<bool>()),
                                rc::gen::set(&Sample::self, rc::gen::arbitrary<bool>()));
}

bool same(const Sample& left, const Sample& right) {
  return left.pair == right.pair && left.order == right.order && left.side == right.side &&
         left.workload == right.workload && left.repetition == right.repetition &&
         left.elapsed_ns == right.elapsed_ns && left.round_trip_ns == right.round_trip_ns &&
         left.checked == right.checked && left.self == right.self;
}

TEST(SampleCodec, AnySamplesRoundTrip) {
  EXPECT_TRUE(rc::check("samples", [] {
    const auto written_samples = *rc::gen::container<std::vector<Sample>>(samples());
    const auto read = decode_samples(parse(encode(written_samples).dump()), "s");
    RC_ASSERT(read.has_value());
    RC_ASSERT(std::equal(read->begin(), read->end(), written_samples.begin(), written_samples.end(), same));
  }));
}

TEST(SampleCodec, ColumnsMustAgree) {
  const Json good = encode(std::vector<Sample>(3));
  EXPECT_EQ(good["side"], "ccc");
  EXPECT_EQ(good["checked"], "000");
  const auto with = [&good](const std::string& field, const std::string& value) {
    Json json = good;
    json[field] = parse(value);
    const auto result = decode_samples(json, "s.json");
    return result ? std::string() : result.error().message;
  };
  EXPECT_THAT(with("order", "[0, 1]"), AllOf(HasSubstr("s.json"), HasSubstr("different lengths")));
  EXPECT_THAT(with("side", "\"cc\""), HasSubstr("different lengths"));
  EXPECT_THAT(with("side", "\"cxc\""), AllOf(HasSubstr("/side:"), HasSubstr("position 1")));
  EXPECT_THAT(with("checked", "\"01x\""), HasSubstr("/checked:"));
  EXPECT_THAT(with("pair", "[0, -1, 0]"), HasSubstr("/pair/1:"));
  EXPECT_THAT(with("pair", "[0, 2147483648, 0]"), HasSubstr("/pair/1:"));
  EXPECT_THAT(with("elapsed_ns", "[0, 1.5, 0]"), HasSubstr("/elapsed_ns/1:"));
  EXPECT_THAT(with("elapsed_ns", "[0, -5, 0]"), HasSubstr("/elapsed_ns/1:"));
  EXPECT_THAT(with("version", "7"), HasSubstr("/version:"));
  EXPECT_THAT(with("clock", "1"), HasSubstr("/clock:"));
  EXPECT_EQ(with("version", "1"), "");
}

TEST(SampleCodec, TheIncumbentsCopyHasLettersOfItsOwn) {
  std::vector<Sample> four(4);
  four[1].side = four[3].side = Side::incumbent;
  four[2].self = four[3].self = true;
  EXPECT_EQ(encode(four)["side"], "ciab");
}

TEST(SampleCodec, TheirClockStandsOnTopAndSamplesOfBeforeItAreRead) {
  std::vector<Sample> two(2);
  EXPECT_FALSE(encode(two).contains("clock"));
  EXPECT_FALSE(decode_samples(encode(two), "s")->front().timing);
  two[0].timing = two[1].timing = base::Timing{base::TimingMethod::cupti, base::CacheState::hot};
  const Json json = encode(two);
  EXPECT_EQ(json["clock"].dump(), R"({"method":"cupti","cache":"hot"})");
  EXPECT_EQ(decode_samples(json, "s")->back().timing, two[1].timing);
  two[1].timing->cache = base::CacheState::cold;
  EXPECT_DEATH(static_cast<void>(encode(two)), "timing");
}

TEST(SampleCodec, NoSamplesAreFine) { EXPECT_TRUE(decode_samples(encode(std::vector<Sample>{}), "s").value().empty()); }

}  // namespace
}  // namespace assay::task
