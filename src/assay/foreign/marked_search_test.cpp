#include <assay/foreign/marked_search.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <assay/foreign/trace_archive.hpp>
#include <assay/supervise/words.hpp>

// What the supervisor would have said in the five public traces. Its rules know no name of them.
namespace assay::foreign {
namespace {

const Audit& supervised_traces() {
  static const Audit kAudit = [] {
    auto archive = read_trace_archive(os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces");
    EXPECT_TRUE(archive) << archive.error().text();
    return archive ? audit(*std::move(archive)) : Audit();
  }();
  return kAudit;
}

// "plateau/noise_floor 9..10": condition, cause, and the iterations from the first sight to the last.
std::vector<std::string> told(const TraceAudit& trace, const std::vector<supervise::Condition>& conditions) {
  std::vector<std::string> lines;
  for (const supervise::Mark& mark : trace.marks) {
    if (std::find(conditions.begin(), conditions.end(), mark.finding.condition) != conditions.end()) {
      lines.push_back(std::string(to_string(mark.finding.condition)) + "/" +
                      std::string(to_string(mark.finding.cause)) + " " +
                      std::to_string(*evaluation_of(supervised_traces(), trace, mark.finding.at).iteration) + ".." +
                      std::to_string(*evaluation_of(supervised_traces(), trace, mark.until).iteration) +
                      (mark.open ? ", open" : ""));
    }
  }
  return lines;
}

TEST(MarkedSearch, ThePhantomBreakthroughIsMarkedAndNothingElseIsTakenForOne) {
  int phantoms = 0;
  for (const TraceAudit& trace : supervised_traces().traces) {
    for (const supervise::Mark& mark : trace.marks) {
      if (mark.finding.condition != supervise::Condition::phantom) {
        continue;
      }
      ++phantoms;
      EXPECT_EQ(trace.name, "gdn_decode_qk4_v8_d128_k_last");
      EXPECT_EQ(evaluation_of(supervised_traces(), trace, mark.finding.at).iteration, 5);
      EXPECT_THAT(mark.finding.evidence, ::testing::HasSubstr("2.86 times as fast"));
      EXPECT_THAT(mark.finding.evidence, ::testing::HasSubstr("its code is that of attempt 2, which it replaced"));
      EXPECT_THAT(mark.finding.evidence, ::testing::HasSubstr("different environments"));
    }
  }
  EXPECT_EQ(phantoms, 1);
}

TEST(MarkedSearch, ThePlateausAreMarked) {
  const std::vector<TraceAudit>& traces = supervised_traces().traces;
  ASSERT_EQ(traces.size(), 5U);
  const auto plateaus = [](const TraceAudit& trace) { return told(trace, {supervise::Condition::plateau}); };
  using ::testing::ElementsAre;
  EXPECT_EQ(traces[0].name.substr(0, 10), "dsa_sparse");
  EXPECT_THAT(plateaus(traces[0]), ElementsAre("plateau/none 18..28"));
  EXPECT_EQ(traces[1].name.substr(0, 8), "dsa_topk");
  EXPECT_THAT(plateaus(traces[1]), ElementsAre("plateau/noise_floor 5..6"));
  EXPECT_EQ(traces[2].name.substr(0, 10), "gdn_decode");
  EXPECT_THAT(plateaus(traces[2]), ElementsAre("plateau/noise_floor 9..10, open"));
  EXPECT_EQ(traces[3].name.substr(0, 11), "gdn_prefill");
  EXPECT_THAT(plateaus(traces[3]), ElementsAre()) << "it improved to its end";
  EXPECT_EQ(traces[4].name.substr(0, 3), "moe");
  EXPECT_THAT(plateaus(traces[4]), ElementsAre("plateau/noise_floor 6..25", "plateau/noise_floor 28..29",
                                               "plateau/noise_floor 35..38", "plateau/none 45..50, open"));
}

TEST(MarkedSearch, TheRestOfWhatIsMarked) {
  const std::vector<TraceAudit>& traces = supervised_traces().traces;
  const auto stalls = [](const TraceAudit& trace) { return told(trace, {supervise::Condition::stall}); };
  EXPECT_THAT(stalls(traces[1]), ::testing::ElementsAre("stall/invalid_rate 4..4"));
  EXPECT_THAT(stalls(traces[4]), ::testing::ElementsAre("stall/invalid_rate 35..36"));
  EXPECT_FALSE(told(traces[4], {supervise::Condition::cycle}).empty()) << "half of its sources are repeats";
}

TEST(MarkedSearch, TheJsonNamesThePlaces) {
  const base::Json json = encode_marks(supervised_traces());
  ASSERT_EQ(json.size(), 5U);
  const base::Json& decode = json["gdn_decode_qk4_v8_d128_k_last"];
  EXPECT_EQ(decode["attempts"], 51);
  EXPECT_EQ(decode["not_placed"], 83);
  ASSERT_FALSE(decode["marks"].empty());
  const base::Json& phantom = decode["marks"][0];
  EXPECT_EQ(phantom["condition"], "phantom");
  EXPECT_EQ(phantom["recovery"], "buy_repeats");
  EXPECT_EQ(phantom["found"]["iteration"], 5);
  EXPECT_FALSE(phantom["found"]["evaluation"].get<std::string>().empty());
}

TEST(MarkedSearch, TheSentenceSaysWhereAndWhat) {
  const TraceAudit& decode = supervised_traces().traces[2];
  ASSERT_FALSE(decode.marks.empty());
  EXPECT_THAT(mark_sentence(supervised_traces(), decode, decode.marks.front()),
              ::testing::HasSubstr("iteration 5 (attempt 18): a phantom gain; it would have said: buy repeats."));
}

}  // namespace
}  // namespace assay::foreign
