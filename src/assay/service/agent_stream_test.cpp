#include <assay/service/agent_stream.hpp>

#include <gtest/gtest.h>

#include <assay/agent/stream_reader.hpp>
#include <assay/os/file.hpp>

namespace assay::service {
namespace {

const os::Path kStreams = os::Path(ASSAY_SOURCE_DIR) / "tests/data/agent_streams";

TEST(AgentStream, ReadsAFileAsItReadsBytes) {
  const os::Path file = kStreams / "codex/tools2.stdout.jsonl";
  const auto found = read_agent_stream({agent::Dialect::codex, file, {}, 0, false});
  ASSERT_TRUE(found) << found.error().text();
  const auto expected = agent::summarise_stream(agent::Dialect::codex, os::read_file(file).value(), {});
  EXPECT_EQ(found->spend, expected.spend);
  EXPECT_EQ(found->tools, expected.tools);
  EXPECT_EQ(found->outcome, agent::RunOutcome::finished);
}

TEST(AgentStream, TakesOffWhatTheRunBeforeHadCost) {
  const auto found = read_agent_stream({agent::Dialect::claude, kStreams / "claude/resume.stdout.jsonl",
                                        kStreams / "claude/simple_json.stdout.jsonl", 0, false});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(*found->spend.usage.dollars, 0.02031, 1e-12);
}

TEST(AgentStream, RefusesARunBeforeWithoutATotal) {
  const auto found = read_agent_stream({agent::Dialect::codex, kStreams / "codex/simple.stdout.jsonl",
                                        kStreams / "codex/sig_INT.stdout.jsonl", 0, false});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "agent.no_total");
  EXPECT_NE(found.error().message.find("sig_INT"), std::string::npos);
}

TEST(AgentStream, AFileThatIsNotThereIsAnError) {
  const auto found = read_agent_stream({agent::Dialect::codex, kStreams / "none", {}, 0, false});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().owner, base::Owner::input);
}

TEST(AgentStream, ReadsMoreThanOnePiece) {
  const auto folder = os::TemporaryDirectory::create(::testing::TempDir(), "assay-stream-").value();
  const std::string one = os::read_file(kStreams / "claude/bare.stdout.jsonl").value();
  std::string many;
  while (many.size() < (std::size_t{1} << 18U)) {
    many += one;
  }
  ASSERT_TRUE(os::write_file_atomic(folder.path() / "many", many));
  const auto found = read_agent_stream({agent::Dialect::claude, folder.path() / "many", {}, 0, false});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lines.malformed, 0);
  EXPECT_NEAR(*found->spend.usage.dollars, 0.02031, 1e-12);  // One session, however often it is told.
}

}  // namespace
}  // namespace assay::service
