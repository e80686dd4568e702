#include <assay/foreign/record_reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::foreign {
namespace {

using base::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json success() {
  return {{"trace", "t"},
          {"evaluation", "a"},
          {"source_sha256", std::string(64, 'a')},
          {"normalized_sha256", std::string(64, 'b')},
          {"status", "success"},
          {"recorded_kind", "none"},
          {"mean_latency_ms", 1.5},
          {"mean_reference_latency_ms", 3.0}};
}

Json failure(const std::string& status, const std::string& kind) {
  Json record = success();
  record["status"] = status;
  record["recorded_kind"] = kind;
  record["mean_latency_ms"] = nullptr;
  record.erase("mean_reference_latency_ms");
  return record;
}

task::Decoded<Evaluation> decoded(const Json& record) {
  return task::decode_whole(record, task::Coercion::strict, read_evaluation);
}

// Where the faults of a record lie.
std::vector<std::string> places(const Json& record) {
  std::vector<std::string> found;
  for (const task::Problem& problem : decoded(record).problems) {
    found.push_back(problem.pointer);
  }
  return found;
}

Json with(const std::string& field, const Json& value) {
  Json record = success();
  record[field] = value;
  return record;
}

TEST(ForEachRecord, CountsEveryLineAndReadsNoBlankOne) {
  std::vector<std::string> read;
  const auto note = [&](const Json& json, const std::string& place) -> base::Result<void> {
    read.push_back(place + "=" + json.dump());
    return {};
  };
  ASSERT_TRUE(for_each_record("1\n\n  \n[2]\r\n3", "f", note));
  EXPECT_THAT(read, ElementsAre("f:1=1", "f:4=[2]", "f:5=3"));
  read.clear();
  ASSERT_TRUE(for_each_record("", "f", note));
  EXPECT_THAT(read, IsEmpty());
  const auto broken = for_each_record("1\n{\n3", "f", note);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().text(), HasSubstr("f:2"));
  EXPECT_THAT(read, ElementsAre("f:1=1")) << "nothing behind a fault is read";
}

TEST(ForEachRecord, EndsWithTheFirstErrorOfItsReader) {
  int read = 0;
  const auto result = for_each_record("1\n2\n3", "f", [&](const Json& json, const std::string& place) {
    ++read;
    return json == 2 ? base::Result<void>(base::input_error("test", place + " is two")) : base::Result<void>();
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "f:2 is two");
  EXPECT_EQ(read, 2);
}

TEST(ReadEvaluation, ReadsEveryField) {
  Json record = success();
  record.update(Json{{"iteration", 0},
                     {"round", 1},
                     {"candidate", 2},
                     {"controller_run", 3},
                     {"solution", "s"},
                     {"time", "2026-04-14T18:09:01.060Z"},
                     {"evaluator_sha256", std::string(64, 'c')},
                     {"score", -2.0},
                     {"workloads_total", 4},
                     {"per_workload", {{{"uuid", "w"}, {"axes", {{"n", 8}}}, {"latency_ms", 0.5}}, Json::object()}},
                     {"profile", {{"usable", true}}},
                     {"error_excerpt", "none at all"}});
  const auto read = decoded(record);
  ASSERT_TRUE(read.value);
  const Evaluation& evaluation = *read.value;
  EXPECT_EQ(evaluation.iteration, 0);
  EXPECT_EQ(evaluation.round, 1);
  EXPECT_EQ(evaluation.candidate, 2);
  EXPECT_EQ(evaluation.controller_run, 3);
  EXPECT_TRUE(evaluation.stored());
  EXPECT_EQ(evaluation.evaluator->hex(), std::string(64, 'c'));
  EXPECT_EQ(evaluation.score, -2);
  EXPECT_EQ(evaluation.workloads, 4);
  EXPECT_EQ(evaluation.latency_ms, 1.5);
  EXPECT_EQ(evaluation.reference_latency_ms, 3);
  ASSERT_EQ(evaluation.per_workload.size(), 2U);
  EXPECT_EQ(evaluation.per_workload[0].axes, (task::Named<std::int64_t>{{"n", 8}}));
  EXPECT_EQ(evaluation.per_workload[0].latency_ms, 0.5);
  EXPECT_EQ(evaluation.per_workload[1].latency_ms, std::nullopt) << "not recorded is not zero";
  EXPECT_TRUE(evaluation.profile->usable);
  EXPECT_EQ(evaluation.message, "none at all");
}

struct Spelled {
  std::string status;
  std::string kind;
  Status read_status;
  RecordedKind read_kind;
};
class SpelledFailure : public testing::TestWithParam<Spelled> {};

TEST_P(SpelledFailure, IsReadAndHasNoLatency) {
  Json record = failure(GetParam().status, GetParam().kind);
  const auto read = decoded(record);
  ASSERT_TRUE(read.value);
  EXPECT_EQ(read.value->status, GetParam().read_status);
  EXPECT_EQ(read.value->kind, GetParam().read_kind);
  EXPECT_FALSE(read.value->succeeded());
  record["mean_latency_ms"] = 7;  // Whatever a failure says of its time, it is none.
  EXPECT_EQ(decoded(record).value->latency_ms, std::nullopt);
  record["recorded_kind"] = "none";
  EXPECT_THAT(places(record), ElementsAre("/recorded_kind"));
}

INSTANTIATE_TEST_SUITE_P(
    All, SpelledFailure,
    testing::Values(
        Spelled{"execution_failed", "COMPILE_ERROR", Status::execution_failed, RecordedKind::compile_error},
        Spelled{"execution_failed", "RUNTIME_ERROR", Status::execution_failed, RecordedKind::runtime_error},
        Spelled{"validation_failed", "INCORRECT_NUMERICAL", Status::validation_failed,
                RecordedKind::incorrect_numerical},
        Spelled{"validation_failed", "INCORRECT_SHAPE", Status::validation_failed, RecordedKind::incorrect_shape},
        Spelled{"validation_failed", "INCORRECT_DTYPE", Status::validation_failed, RecordedKind::incorrect_dtype},
        Spelled{"execution_failed", "TIMEOUT", Status::execution_failed, RecordedKind::timeout},
        Spelled{"framework_error", "SHARD_FAILED", Status::framework_error, RecordedKind::shard_failed},
        Spelled{"framework_error", "NO_RESULTS", Status::framework_error, RecordedKind::no_results},
        Spelled{"framework_error", "FRAMEWORK_TIMEOUT", Status::framework_error, RecordedKind::framework_timeout}),
    [](const auto& one) { return one.param.kind; });

struct Faulty {
  std::string field;
  Json value;
  std::string place;
};
class FaultyField : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyField, IsTheOnlyFaultAndNamed) {
  const Json record = with(GetParam().field, GetParam().value);
  EXPECT_THAT(places(record), ElementsAre(GetParam().place)) << record.dump();
  EXPECT_FALSE(decoded(record).value) << "a document with a fault is never handed out";
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultyField,
    testing::Values(
        Faulty{"trace", "", "/trace"}, Faulty{"evaluation", 1, "/evaluation"}, Faulty{"iteration", -1, "/iteration"},
        Faulty{"round", 0.5, "/round"}, Faulty{"solution", "", "/solution"},
        Faulty{"time", "2026-04-14T18:09:01Z", "/time"}, Faulty{"time", "2026-04-14T18:09:01.060+", "/time"},
        Faulty{"time", "2026-04-14T18:09:01.0x0Z", "/time"},
        Faulty{"source_sha256", std::string(64, 'A'), "/source_sha256"},
        Faulty{"normalized_sha256", std::string(63, 'a'), "/normalized_sha256"},
        Faulty{"evaluator_sha256", "none", "/evaluator_sha256"}, Faulty{"recorded_kind", "none ", "/recorded_kind"},
        Faulty{"score", "Infinity", "/score"}, Faulty{"workloads_total", 0, "/workloads_total"},
        Faulty{"mean_latency_ms", 1e-10, "/mean_latency_ms"},
        Faulty{"mean_reference_latency_ms", 1e13, "/mean_reference_latency_ms"},
        Faulty{"per_workload", Json::object(), "/per_workload"},
        Faulty{"per_workload", Json::array({Json{{"latency_ms", 0}}}), "/per_workload/0/latency_ms"},
        Faulty{"profile", {{"usable", "yes"}}, "/profile/usable"}, Faulty{"error_excerpt", 3, "/error_excerpt"}));

TEST(ReadEvaluation, FindsAllFaultsInOnePass) {
  Json record = with("iteration", -1);
  record.erase("trace");
  record["score"] = "x";
  EXPECT_THAT(places(record), testing::UnorderedElementsAre("/trace", "/iteration", "/score"));
}

}  // namespace
}  // namespace assay::foreign
