#include <assay/cli/print_agent_stream.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

agent::StreamSummary finished_run() {
  agent::StreamSummary summary;
  summary.outcome = agent::RunOutcome::finished;
  summary.cause = "it ended its turn";
  summary.spend = {agent::Certainty::exact, {{10012, 8000, 2000, 150, 64}, 0.02031}};
  summary.session_total = summary.spend.usage;
  summary.session = "2d8936ba";
  summary.files = {{"/workdir/k.cu", "add"}};
  summary.tools = {{"kernelharness", "evaluate", 2, 1, 0}, {"", "shell", 0, 0, 1}};
  summary.last_words = "done\x1b[31m";
  summary.lines.lines = 6;
  return summary;
}

TEST(PrintAgentStream, TellsHowItEndedWhatItCostAndWhatItDid) {
  const std::string text = print_agent_stream(finished_run(), report::Colour::off);
  EXPECT_THAT(text, HasSubstr("finished: it ended its turn\n"));
  EXPECT_THAT(text, HasSubstr("$0.02031, 10012 tokens in (8000 cached, 2000 written to the cache), 150 out (64 of it"));
  EXPECT_THAT(text, HasSubstr("/workdir/k.cu (add)"));
  EXPECT_THAT(text, HasSubstr("kernelharness/evaluate: 2 completed, 1 failed, shell: 0 completed, 1 unfinished"));
  EXPECT_THAT(text, HasSubstr("no evidence:\ndone"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("in all its runs")));
}

TEST(PrintAgentStream, SaysWhatIsNotKnown) {
  agent::StreamSummary summary = finished_run();
  summary.spend = {};
  summary.outcome = agent::RunOutcome::quota;
  const std::string text = print_agent_stream(summary, report::Colour::off);
  EXPECT_THAT(text, HasSubstr("not known: its account is lost"));
  EXPECT_THAT(text, HasSubstr("add credit"));
  EXPECT_THAT(text, Not(HasSubstr("$0.00000")));
  EXPECT_THAT(spend_text({agent::Certainty::at_least, {}}), HasSubstr("at least dollars not told, 0 tokens in"));
}

TEST(PrintAgentStream, TellsWhatCouldNotBeRead) {
  agent::StreamSummary summary = finished_run();
  summary.lines.malformed = 2;
  summary.lines.cut_off = true;
  summary.lines.unknown_kinds["item.plan.delta"] = 3;
  EXPECT_THAT(print_agent_stream(summary, report::Colour::off),
              HasSubstr("6 read, 2 malformed, the last one cut off, 3 of the unknown kind item.plan.delta"));
}

}  // namespace
}  // namespace assay::cli
