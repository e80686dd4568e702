#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/generate_documents.hpp>
#include <assay/task/sample_evaluation.hpp>

// Whatever keeps the rules is written and read back as the same document, through text.
namespace assay::task {
namespace {

using base::Json;

Json through_text(const Json& json) { return base::parse_json(base::dump_pretty(json), "text").value(); }

template <class Make, class Decode>
void round_trips(const char* what, Make make, Decode decode) {
  EXPECT_TRUE(rc::check(what, [&] {
    const auto value = make();
    const Json json = encode(value);
    const auto decoded = decode(through_text(json));
    for (const Problem& problem : decoded.problems) {
      RC_LOG() << problem.pointer << ": " << problem.message << "\n";
    }
    RC_ASSERT(decoded.value.has_value());
    RC_ASSERT(encode(*decoded.value).dump() == json.dump());
  }));
}

TEST(RoundTrip, AnyDefinition) {
  round_trips("definition", testing::any_definition, [](const Json& json) { return decode_definition(json); });
}

TEST(RoundTrip, AnyWorkload) {
  round_trips("workload", testing::any_workload, [](const Json& json) { return decode_workload(json); });
}

TEST(RoundTrip, AnySolution) {
  round_trips("solution", testing::any_solution, [](const Json& json) { return decode_solution(json); });
}

TEST(RoundTrip, AnyTrace) {
  round_trips("trace", testing::any_trace, [](const Json& json) { return decode_trace(json); });
}

TEST(RoundTrip, AnyRequest) {
  EXPECT_TRUE(rc::check("request", [] {
    EvaluationRequest request = testing::sample_request();
    request.candidate = testing::any_solution();
    request.candidate.definition = request.definition.name;
    request.incumbent = testing::any_solution();
    request.incumbent->definition = request.definition.name;
    request.stage = testing::any_of<Stage>({Stage::build, Stage::measure, Stage::gate, Stage::sweep});
    request.device = testing::any_of<std::string>({"cpu", "simulated:0", "simulated:18446744073709551615"});
    request.seed = testing::any_of<std::optional<std::uint64_t>>({std::nullopt, *rc::gen::arbitrary<std::uint64_t>()});
    request.workloads[1].inputs[1].second = ScalarInput{testing::any_number()};
    const Json json = encode(request);
    const auto decoded = decode_request(through_text(json), "request");
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(encode(*decoded).dump() == json.dump());
    RC_ASSERT(identify(decoded->candidate) == identify(request.candidate));
  }));
}

TEST(RoundTrip, AnyEvaluation) {
  EXPECT_TRUE(rc::check("evaluation", [] {
    Evaluation evaluation = testing::sample_evaluation();
    evaluation.outcome = testing::any_of(all_outcomes());
    evaluation.cause = testing::some_text();
    evaluation.seed = *rc::gen::arbitrary<std::uint64_t>();
    evaluation.retries = testing::some_texts();
    evaluation.timer_floor_ns = testing::number_from_zero();
    evaluation.findings.resize(*rc::gen::inRange<std::size_t>(0, 3));
    for (Finding& finding : evaluation.findings) {
      finding.kind = testing::some_text();
      finding.message = testing::some_text();
      finding.got = testing::any_number();
      finding.tensor = testing::maybe_text();
      finding.index =
          testing::any_of<std::optional<std::vector<std::int64_t>>>({std::nullopt, std::vector<std::int64_t>{}});
    }
    evaluation.timings[0].log_ratio = testing::any_number();
    evaluation.comparison->pair_log_ratios = {testing::any_number(), testing::any_number()};
    const Json json = encode(evaluation);
    const auto decoded = decode_evaluation(through_text(json), "evaluation");
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(encode(*decoded).dump() == json.dump());
  }));
}

// Every value of a document in turn replaced by values of other kinds: a decoder must answer, and what it accepts must
// still be a fixed point.
template <class Decode>
void survives(const Json& document, Decode decode) {
  const std::vector<Json> values = {nullptr,
                                    true,
                                    -1,
                                    1.5,
                                    "x",
                                    "",
                                    "1",
                                    Json::array(),
                                    Json::object(),
                                    Json::array({Json::object()}),
                                    Json::parse("18446744073709551615"),
                                    1e300};
  const Json flat = document.flatten();
  EXPECT_GT(flat.size(), 4U);
  for (const auto& [pointer, unused] : flat.items()) {
    for (const Json& value : values) {
      Json changed = document;
      changed[Json::json_pointer(pointer)] = value;
      const auto decoded = decode(changed);
      ASSERT_EQ(decoded.value.has_value(), decoded.problems.empty()) << pointer << " " << value;
      if (decoded.value) {
        const Json normal = encode(*decoded.value);
        const auto again = decode(normal);
        ASSERT_TRUE(again.value.has_value()) << pointer << " " << value;
        EXPECT_EQ(encode(*again.value).dump(), normal.dump()) << pointer << " " << value;
      } else {
        EXPECT_FALSE(problems_error("d", decoded.problems).message.empty());
      }
    }
  }
}

TEST(Hostile, AnyValueAnywhereIsAnswered) {
  survives(encode(testing::sample_definition()), [](const Json& json) { return decode_definition(json); });
  survives(encode(testing::sample_workload("w", 3)), [](const Json& json) { return decode_workload(json); });
  Solution solution = testing::sample_solution("s");
  solution.tuning = Tuning{{{"A", {1, 2}}}, {"A > 0"}};
  solution.parameters = {{"A", 2}};
  survives(encode(solution), [](const Json& json) { return decode_solution(json); });
  Trace trace{"d", testing::sample_workload("w", 3), "s", TraceEvaluation{}};
  trace.evaluation->hardware = "H";
  trace.evaluation->timestamp = "t";
  trace.evaluation->correctness = TraceCorrectness{1, 2, "{}"};
  trace.evaluation->performance = TracePerformance{1, 2, 2};
  survives(encode(trace), [](const Json& json) { return decode_trace(json); });
}

// The truncated text of any document is an error with a place, never a crash or a part of it.
TEST(Hostile, EveryTruncationIsAnError) {
  const std::string text = base::dump_pretty(encode(testing::sample_solution("s")));
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto result = load_solution(text.substr(0, size), "s.json");
    ASSERT_FALSE(result.has_value()) << size;
    EXPECT_EQ(result.error().code, "json.syntax");
    EXPECT_THAT(result.error().message,
                ::testing::AllOf(::testing::HasSubstr("s.json"), ::testing::HasSubstr("line ")));
  }
}

TEST(Hostile, NumbersThatFitNowhereAreRefused) {
  EXPECT_EQ(load_solution("[1e400]", "s.json").error().code, "json.number");
  EXPECT_EQ(load_solution(std::string(1000, '['), "s.json").error().code, "json.depth");
}

}  // namespace
}  // namespace assay::task
