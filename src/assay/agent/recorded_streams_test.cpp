// Every stream that was recorded of a real program, and what a person finds in it: outcome, spend, files and calls,
// written down from the streams themselves (docs/agents.md says how they were made), not from what the code said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include <assay/agent/test_streams.hpp>

namespace assay::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::recorded;
using testing::usage;

struct Expected {
  Dialect dialect;
  const char* name;
  int exit_code;
  RunOutcome outcome;
  Certainty certainty;
  Usage spent;
  const char* session;
};

void PrintTo(const Expected& one, std::ostream* out) { *out << to_string(one.dialect) << '/' << one.name; }

constexpr Dialect kCodex = Dialect::codex;
constexpr Dialect kClaude = Dialect::claude;
constexpr Certainty kExact = Certainty::exact;

// One request of the recordings: $5 a million in, 6.25 written to the cache, 0.5 read from it, 25 out.
const Usage kOneRequest = usage(10012, 8000, 2000, 150, 0, 0.02031);
const Usage kTwoRequests = usage(20024, 16000, 4000, 300, 0, 0.04062);
const Usage kThreeRequests = usage(30036, 24000, 6000, 450, 0, 0.06093);
const Usage kFree = usage(0, 0, 0, 0, 0, 0.0);

const Expected kRecorded[] = {
    // The service refused: the turn's account is lost, and only the words of the failure say why.
    {kCodex, "err_401", 1, RunOutcome::authentication, Certainty::unknown, {}, "01a227bb-3d3e-7391-9bdf-02dc850fe66e"},
    {kCodex, "err_429", 1, RunOutcome::rate_limited, Certainty::unknown, {}, "01a227bb-41d0-7312-9b68-56854c63a330"},
    {kCodex, "err_quota", 1, RunOutcome::quota, Certainty::unknown, {}, "01a227bb-5101-77e0-a1fb-996c39be89ae"},
    {kCodex, "err_usage", 1, RunOutcome::quota, Certainty::unknown, {}, "01a227bb-4990-74d2-8c0e-390f2e904ee2"},
    {kCodex, "hang", 1, RunOutcome::unavailable, Certainty::unknown, {}, "01a227bb-54d4-74c0-9b4b-16a1a7517713"},
    // A required tool server is broken: nothing on stdout at all.
    {kCodex, "mcpbad", 1, RunOutcome::not_started, kExact, {}, ""},
    {kCodex, "sig_INT", 1, RunOutcome::truncated, Certainty::unknown, {}, "01a227be-9a0e-7702-88ba-f99c7b0f9961"},
    {kCodex, "sig_TERM", 143, RunOutcome::interrupted, Certainty::unknown, {}, "01a227be-b07a-7883-ae0c-7e4e2d059507"},
    {kCodex, "simple", 0, RunOutcome::finished, kExact, usage(1200, 800, 0, 150, 64),
     "01a227b9-5fe3-7523-ba38-7dc3c9824937"},
    {kCodex, "tools2", 0, RunOutcome::finished, kExact, usage(8400, 5600, 0, 1050, 448),
     "01a227ba-a959-7162-9e4b-6878952aaeb5"},
    {kCodex, "newmodel", 0, RunOutcome::finished, kExact, usage(4800, 3200, 0, 600, 256),
     "01a227c1-5ecb-77e1-a0a4-11cb22e4cbc6"},
    {kCodex, "mcpdual", 0, RunOutcome::finished, kExact, usage(2400, 1600, 0, 300, 128),
     "01a227c0-a3dd-7742-9efc-06a7293a7be9"},
    {kCodex, "mcp_noann", 0, RunOutcome::finished, kExact, usage(2400, 1600, 0, 300, 128),
     "01a227c1-160a-7200-8242-091e60062860"},
    {kCodex, "long_silent", 0, RunOutcome::finished, kExact, usage(2400, 1600, 0, 300, 128),
     "01a227c9-1a06-7b72-8a00-c6d93bc02dd2"},
    // Alone it is the total of the thread it was forked from, too: see the test of forks below.
    {kCodex, "fork", 0, RunOutcome::finished, kExact, usage(10800, 7200, 0, 1350, 576),
     "01a227bb-32f7-75e1-9caf-ce360faa1abc"},

    {kClaude, "badschema", 1, RunOutcome::not_started, kExact, {}, ""},
    {kClaude, "noverb", 1, RunOutcome::not_started, kExact, {}, ""},
    {kClaude, "bare", 0, RunOutcome::finished, kExact, kOneRequest, "2d8936ba-6438-47a0-8d2d-ada20c11a24f"},
    {kClaude, "simple_json", 0, RunOutcome::finished, kExact, kOneRequest, "bc589a42-99da-4156-90a0-ef307b797b57"},
    {kClaude, "badso", 0, RunOutcome::finished, kExact, usage(40048, 32000, 8000, 600, 0, 0.08124),
     "39c070b4-6250-489c-ae2e-ca3f99258408"},
    // "usage" misses the last request; "modelUsage" and the dollars have it.
    {kClaude, "budget", 1, RunOutcome::limit_reached, kExact, kThreeRequests, "b58453a4-20ea-4968-a252-6e4b3c9ef768"},
    {kClaude, "maxturns", 1, RunOutcome::limit_reached, kExact, kThreeRequests, "d17b1391-415c-4837-8166-227502a4360e"},
    // All of these say subtype "success".
    {kClaude, "err_400", 1, RunOutcome::failed, kExact, kFree, "cc8e6166-bc1c-43e6-92be-11eff3b17978"},
    {kClaude, "err_401", 1, RunOutcome::authentication, kExact, kFree, "c2f03040-1d14-470b-ac0c-0e299d2e8120"},
    {kClaude, "err_429", 1, RunOutcome::rate_limited, kExact, kFree, "ef5fc5b7-73a4-44ce-976d-7d5c449822a7"},
    {kClaude, "err_500", 1, RunOutcome::unavailable, kExact, kFree, "f9904059-39a9-40d7-bc13-7f1eb257761b"},
    {kClaude, "err_529", 1, RunOutcome::unavailable, kExact, kFree, "f8a9bef8-d477-4f17-8459-9e03480c42c5"},
    {kClaude, "long_silent", 0, RunOutcome::finished, kExact, kTwoRequests, "b7851b09-f401-4ee4-899a-7ddf4187d0e2"},
    {kClaude, "mcpdual", 0, RunOutcome::finished, kExact, kTwoRequests, "add5bf4b-c9c6-4506-9b4e-6c1ee76801e6"},
    {kClaude, "mcpdualto", 0, RunOutcome::finished, kExact, kTwoRequests, "2d76a26f-c2dd-4486-b608-4736a95225a6"},
    // Two results: the second one's account includes the first one's.
    {kClaude, "streamin", 0, RunOutcome::finished, kExact, kTwoRequests, "73f11527-b6e1-4c5b-a1c4-f3de6c7b3464"},
    {kClaude, "resume", 0, RunOutcome::finished, kExact, kTwoRequests, "bc589a42-99da-4156-90a0-ef307b797b57"},
    // It ends with exit code 0 when it is interrupted, and with its account.
    {kClaude, "sig_INT", 0, RunOutcome::interrupted, kExact, kOneRequest, "91881513-9bd4-4ed3-97c1-8ab9531ae131"},
    // Only what the first message began with is known.
    {kClaude, "sig_TERM", 143, RunOutcome::interrupted, Certainty::at_least, usage(10012, 8000, 2000, 1, 0),
     "b5a1fe1c-7798-4abd-81af-34b1a8648ada"},
};

class RecordedStream : public ::testing::TestWithParam<Expected> {};

TEST_P(RecordedStream, HasTheOutcomeAndTheSpend) {
  const Expected& expected = GetParam();
  RunFacts facts;
  facts.exit_code = expected.exit_code;
  const StreamSummary found = summarise_stream(expected.dialect, recorded(expected.dialect, expected.name), facts);
  EXPECT_EQ(to_string(found.outcome), to_string(expected.outcome)) << found.cause;
  EXPECT_FALSE(found.cause.empty());
  EXPECT_EQ(to_string(found.spend.certainty), to_string(expected.certainty));
  EXPECT_EQ(found.spend.usage.tokens, expected.spent.tokens);
  EXPECT_EQ(found.spend.usage.dollars.has_value(), expected.spent.dollars.has_value());
  EXPECT_NEAR(found.spend.usage.dollars.value_or(0), expected.spent.dollars.value_or(0), 1e-12);
  EXPECT_EQ(found.session, expected.session);
  EXPECT_EQ(found.lines.malformed, 0);
  EXPECT_FALSE(found.lines.cut_off);
  EXPECT_TRUE(found.lines.unknown_kinds.empty()) << found.lines.unknown_kinds.begin()->first;
}

TEST_P(RecordedStream, IsReadTheSameByteByByte) {
  const Expected& expected = GetParam();
  const std::string bytes = recorded(expected.dialect, expected.name);
  RunFacts facts;
  facts.exit_code = expected.exit_code;
  StreamReader reader(expected.dialect);
  for (const char& byte : bytes) {
    reader.feed({&byte, 1});
  }
  const StreamSummary found = reader.finish(facts);
  EXPECT_EQ(found.outcome, expected.outcome);
  EXPECT_EQ(found.spend, summarise_stream(expected.dialect, bytes, facts).spend);
}

// Whoever kills a run cuts its stream somewhere: then it never counts as finished, and what it cost is never said to be
// known better than it is. A cut behind the final event is none.
TEST_P(RecordedStream, CutAnywhereIsNoSuccess) {
  const Expected& expected = GetParam();
  const std::string bytes = recorded(expected.dialect, expected.name);
  const std::size_t last_line = bytes.size() < 2 ? 0 : bytes.rfind('\n', bytes.size() - 2) + 1;
  const std::size_t step = 1 + bytes.size() / 1500;  // All of the short ones.
  for (std::size_t size = 0; size + 1 < bytes.size(); size += step) {
    RunFacts facts;
    facts.signal = 9;
    const StreamSummary found = summarise_stream(expected.dialect, std::string_view(bytes).substr(0, size), facts);
    // Two turns: the first one's result stands while the second has not begun.
    const bool between_turns = std::string_view(expected.name) == "streamin";
    if (!between_turns) {
      EXPECT_EQ(found.outcome, RunOutcome::interrupted) << size;
      EXPECT_NE(found.spend.certainty, kExact) << size;
    }
    EXPECT_NE(found.outcome, RunOutcome::finished) << size;
    EXPECT_EQ(found.lines.cut_off, size > 0 && bytes[size - 1] != '\n' && bytes[size] != '\n') << size;
    EXPECT_EQ(found.lines.malformed, 0) << size;
    EXPECT_LE(found.spend.usage.tokens.input, expected.spent.tokens.input + 10012) << size;
    if (size < last_line) {
      EXPECT_LE(found.spend.usage.dollars.value_or(0), 0.04062) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedStream, ::testing::ValuesIn(kRecorded), [](const auto& one) {
  return std::string(to_string(one.param.dialect)) + "_" + one.param.name;
});

TEST(RecordedStreams, NoneIsLeftOut) {
  for (const Dialect dialect : {kCodex, kClaude}) {
    std::set<std::string> expected;
    for (const Expected& one : kRecorded) {
      if (one.dialect == dialect) {
        expected.insert(std::string(one.name) + ".stdout.jsonl");
      }
    }
    const auto present = os::list_directory(testing::stream_path(dialect, "x").parent_path()).value();
    EXPECT_EQ(std::set<std::string>(present.begin(), present.end()), expected);
  }
}

TEST(RecordedStreams, EnvironmentIsToldFromTheAgent) {
  for (const Expected& one : kRecorded) {
    const bool expected = one.outcome == RunOutcome::quota || one.outcome == RunOutcome::rate_limited ||
                          one.outcome == RunOutcome::authentication || one.outcome == RunOutcome::unavailable ||
                          one.outcome == RunOutcome::not_started;
    EXPECT_EQ(is_environment(one.outcome), expected);
    EXPECT_EQ(remedy(one.outcome).empty(), !expected);
  }
}

TEST(RecordedStreams, WhatARunBeforeCostIsNotCountedAgain) {
  const StreamSummary first = summarise_stream(kClaude, recorded(kClaude, "simple_json"), {});
  RunFacts facts;
  facts.before = first.session_total;
  const StreamSummary resumed = summarise_stream(kClaude, recorded(kClaude, "resume"), facts);
  EXPECT_EQ(resumed.session, first.session);
  EXPECT_EQ(resumed.spend.certainty, kExact);
  EXPECT_EQ(resumed.spend.usage.tokens, kOneRequest.tokens);
  EXPECT_NEAR(*resumed.spend.usage.dollars, 0.02031, 1e-12);
  EXPECT_NEAR(*resumed.session_total->dollars, 0.04062, 1e-12);
}

// The thread had 8400 after its first run and 9600 when it was forked.
TEST(RecordedStreams, AForkBeginsWithItsParentsTotal) {
  RunFacts facts;
  facts.before = usage(9600, 6400, 0, 1200, 512);
  const StreamSummary forked = summarise_stream(kCodex, recorded(kCodex, "fork"), facts);
  EXPECT_EQ(forked.spend, (Spend{kExact, usage(1200, 800, 0, 150, 64)}));
}

TEST(RecordedStreams, ATotalThatShrinksIsNoTotalOfThatSession) {
  RunFacts facts;
  facts.before = usage(20000, 0, 0, 0, 0);
  const StreamSummary found = summarise_stream(kCodex, recorded(kCodex, "simple"), facts);
  EXPECT_EQ(found.spend, Spend{});
  EXPECT_EQ(found.outcome, RunOutcome::finished);
}

TEST(RecordedStreams, FilesAndCallsAreTold) {
  const StreamSummary codex = summarise_stream(kCodex, recorded(kCodex, "tools2"), {});
  EXPECT_THAT(codex.files, ElementsAre(ChangedFile{"/workdir/kernel2.cu", "add"}));
  EXPECT_THAT(codex.tools,
              ElementsAre(ToolUse{"", "shell", 2, 1, 0}, ToolUse{"", "file_change", 1, 0, 0},
                          ToolUse{"kernelharness", "evaluate_candidate", 1, 1, 0}, ToolUse{"", "web_search", 1, 0, 0}));
  EXPECT_THAT(codex.answer, HasSubstr("vectorise loads"));
  const StreamSummary newer = summarise_stream(kCodex, recorded(kCodex, "newmodel"), {});
  EXPECT_THAT(newer.files, ElementsAre(ChangedFile{"/workdir/k3.cu", "add"}));
  EXPECT_EQ(newer.last_words, "done");
  const StreamSummary killed = summarise_stream(kCodex, recorded(kCodex, "sig_INT"), {});
  EXPECT_THAT(killed.tools, ElementsAre(ToolUse{"", "shell", 0, 0, 1}));
  EXPECT_EQ(killed.last_words, "running long");
  const StreamSummary refused = summarise_stream(kCodex, recorded(kCodex, "mcp_noann"), {});
  EXPECT_THAT(refused.tools, ElementsAre(ToolUse{"kernelharness", "evaluate_candidate", 0, 1, 0}));

  const StreamSummary claude = summarise_stream(kClaude, recorded(kClaude, "mcpdual"), {});
  EXPECT_THAT(claude.tools, ElementsAre(ToolUse{"kernelharness", "evaluate_candidate", 1, 0, 0}));
  EXPECT_TRUE(claude.files.empty());
  EXPECT_EQ(claude.model, "claude-opus-4-6");
  EXPECT_EQ(claude.program_version, "2.1.332");
  const StreamSummary late = summarise_stream(kClaude, recorded(kClaude, "mcpdualto"), {});
  EXPECT_THAT(late.tools, ElementsAre(ToolUse{"kernelharness", "evaluate_candidate", 0, 1, 0}));
  const StreamSummary stopped = summarise_stream(kClaude, recorded(kClaude, "sig_TERM"), {});
  EXPECT_THAT(stopped.tools, ElementsAre(ToolUse{"", "Bash", 0, 1, 0}));
  EXPECT_EQ(stopped.outcome, RunOutcome::truncated);  // Without the exit code nobody knows of a signal.
  EXPECT_EQ(summarise_stream(kClaude, recorded(kClaude, "err_529"), {}).retries, 1);
}

TEST(RecordedStreams, ProseIsNoStructuredAnswer) {
  RunFacts facts;
  facts.exit_code = 0;
  facts.answer_wanted = true;
  const StreamSummary claude = summarise_stream(kClaude, recorded(kClaude, "badso"), facts);
  EXPECT_EQ(claude.outcome, RunOutcome::failed);
  EXPECT_EQ(claude.last_words, "I refuse");
  EXPECT_EQ(summarise_stream(kCodex, recorded(kCodex, "simple"), facts).outcome, RunOutcome::failed);
  EXPECT_EQ(summarise_stream(kCodex, recorded(kCodex, "tools2"), facts).outcome, RunOutcome::finished);
}

}  // namespace
}  // namespace assay::agent
