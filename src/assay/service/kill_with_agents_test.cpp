// kill -9 after each event of a campaign in which an agent proposes, and in the middle of a run of it. The controller is a
// process of its own; what it leaves on the disk is all that its successor has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/journal_replay.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Each round makes the kernel a little faster than the one before: it counts what was tried. The second run of a round does
// what the first did.
constexpr const char* kFaster = R"(#!/bin/sh
tried=$(grep -c '"number"' state.json)
printf 'ASSAY_KERNEL(run) { static const char* kSays = "cost=%s"; return kSays == nullptr; }\n' $((90 - 10 * tried)) \
  > candidate/kernel.cpp
echo '{"change": "less of it"}' > hypothesis.json
)";
// The same, after a while.
constexpr const char* kSlowly = "#!/bin/sh\nsleep 30\n";

// What must be the same whatever was killed. An agent's own time is no simulated one.
struct Ended {
  std::vector<std::string> journal;
  std::vector<std::string> candidates;
  base::Json spending;
  bool operator==(const Ended&) const = default;
};

base::Json without_wall(base::Json json) {
  if (json.is_object()) {
    json.erase("wall_ms");
  }
  if (json.is_structured()) {
    for (auto& item : json) {
      item = without_wall(item);
    }
  }
  return json;
}

class KillWithAgents : public testing::Test {
 protected:
  KillWithAgents() { write_agent(kFaster); }

  void write_agent(const std::string& script) {
    ASSERT_TRUE(os::write_file_atomic(agent_, script));
    ASSERT_EQ(::chmod(agent_.c_str(), 0755), 0);
  }

  CampaignOptions options() const {
    CampaignOptions options;
    options.name = "night";
    options.device = "simulated:7";
    options.rounds = 2;
    options.candidates_per_round = 2;
    options.agent.word = "command:" + agent_.string();
    options.agent.tokens = 100;
    options.agent.budget_tokens = 1000;
    options.budget_device_seconds = 60;
    return options;
  }

  // Starts a controller; `dies_after` events it is killed, if any.
  static pid_t start(const rehearsal::World& world, const CampaignOptions& options, int dies_after) {
    const pid_t child = ::fork();
    if (child == 0) {
      int seen = 0;
      const auto status =
          run_campaign(world.context(), options, [&](double, double, const std::string&, bool is_event) {
            if (is_event && ++seen == dies_after) {
              ::kill(::getpid(), SIGKILL);
            }
          });
      ::_exit(status ? 0 : 1);
    }
    return child;
  }

  static int wait_for(pid_t child) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  static Ended ended(const rehearsal::World& world) {
    Ended result;
    const auto archive = archive::Archive::open_reader(world.context().places.archive).value();
    const std::vector<archive::Event> events = archive.events("night").value();
    for (const archive::Event& event : events) {
      result.journal.push_back(event.kind + " " + base::dump_compact(without_wall(base::Json::parse(event.body))));
    }
    const auto status = campaign_status(world.context(), "night").value();
    for (const control::CandidateState& candidate : status.state.candidates) {
      result.candidates.push_back(candidate.name + " " + candidate.identity.content.hex() + " " +
                                  std::string(task::to_string(candidate.outcome.value())));
    }
    result.spending = without_wall(encode(status)["spending"]);
    return result;
  }

  static std::size_t runs_begun(const rehearsal::World& world) {
    return os::list_directory(world.context().places.archive / "agent-runs").value().size();
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-agent-").value();
  os::Path agent_ = folder_.path() / "agent";
};

TEST_F(KillWithAgents, AfterAnyEventEndsAsIfNothingHadBeen) {
  const rehearsal::World undisturbed;
  ASSERT_EQ(wait_for(start(undisturbed, options(), 0)), 0);
  const Ended expected = ended(undisturbed);
  ASSERT_THAT(expected.candidates, SizeIs(4));
  ASSERT_EQ(runs_begun(undisturbed), 4U);
  EXPECT_EQ(expected.spending["ledger"]["tokens"]["spent"], 400);
  const auto events = static_cast<int>(expected.journal.size());
  ASSERT_GT(events, 20);
  for (int index = 1; index <= events; ++index) {
    SCOPED_TRACE("killed after event " + std::to_string(index) + ": " +
                 expected.journal[static_cast<std::size_t>(index - 1)]);
    const rehearsal::World world;
    const int status = wait_for(start(world, options(), index));
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ASSERT_EQ(wait_for(start(world, options(), 0)), 0);
    const Ended resumed = ended(world);
    EXPECT_EQ(resumed.journal, expected.journal);
    EXPECT_EQ(resumed.candidates, expected.candidates);
    EXPECT_EQ(resumed.spending, expected.spending);
    EXPECT_EQ(runs_begun(world), 4U) << "no run was made twice";
    EXPECT_THAT(archive::Archive::open_reader(world.context().places.archive).value().verify().value().problems,
                IsEmpty());
  }
}

TEST_F(KillWithAgents, InTheMiddleOfARunItIsPaidForAndMadeAgain) {
  const rehearsal::World world;
  write_agent(kSlowly);
  const pid_t child = start(world, options(), 0);
  const os::Path begun = world.context().places.archive / "agent-runs" / "night-run-1.jsonl";
  std::error_code error;
  for (int i = 0; i < 1000 && !std::filesystem::exists(begun, error); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGKILL);
  static_cast<void>(wait_for(child));
  write_agent(kFaster);
  ASSERT_EQ(wait_for(start(world, options(), 0)), 0);
  const Ended resumed = ended(world);
  EXPECT_THAT(resumed.candidates, SizeIs(4));
  EXPECT_EQ(resumed.spending["ledger"]["tokens"]["spent"], 500) << "the lost one as it was set aside";
  const auto status = campaign_status(world.context(), "night").value();
  ASSERT_THAT(status.state.runs, SizeIs(5));
  EXPECT_EQ(status.state.runs[0].outcome, agent::RunOutcome::interrupted);
  EXPECT_EQ(status.state.candidates[0].name, "night-run-2");
}

TEST_F(KillWithAgents, ACampaignOfAgentsIsReplayedWithoutThem) {
  const rehearsal::World world;
  ASSERT_EQ(wait_for(start(world, options(), 0)), 0);
  write_agent("#!/bin/sh\nexit 1\n");
  const auto replay = replay_journal(world.context(), "night");
  ASSERT_TRUE(replay) << replay.error().text();
  ASSERT_FALSE(replay->difference) << replay->difference->why << replay->difference->other;
  EXPECT_EQ(replay->taken.at("agent_run_ended"), 4);
  EXPECT_EQ(replay->decided.at("candidates_proposed"), 2);
}

}  // namespace
}  // namespace assay::service
