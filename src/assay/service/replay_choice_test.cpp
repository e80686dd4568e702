#include <assay/service/replay_choice.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/service/evaluate.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReplayChoiceTest : public testing::Test {
 protected:
  EvaluateReport judge(const std::string& name, const std::string& text, int trials = 0) {
    EvaluateOptions options;
    options.candidate = world_.kernel(name, text);
    options.workloads = "all";
    options.trials = trials;
    options.reuse = reuse_;
    auto report = evaluate(world_.context(), options);
    EXPECT_TRUE(report) << report.error().text();
    return report.value_or(EvaluateReport{});
  }
  // A kept input of this kind ("" is in use) by a candidate, as the archive lists it.
  static archive::StoredFailingInput kept(const std::string& kind, std::uint64_t seed, const base::Digest& candidate) {
    archive::StoredFailingInput stored;
    stored.input.workload.uuid = "w";
    stored.input.seed = seed;
    stored.input.stress_kind = kind.empty() ? std::nullopt : std::optional(kind);
    stored.candidate = candidate;
    return stored;
  }
  archive::Archive reader() const { return archive::Archive::open_reader(world_.context().places.archive).value(); }

  rehearsal::World world_;
  Reuse reuse_ = Reuse::stored;
};

std::vector<std::uint64_t> seeds_of(const std::vector<archive::StoredFailingInput>& kept) {
  std::vector<std::uint64_t> seeds;
  for (const archive::StoredFailingInput& one : kept) {
    seeds.push_back(one.input.seed);
  }
  return seeds;
}

TEST_F(ReplayChoiceTest, WhatCaughtACandidateIsReplayedAgainstTheNext) {
  EXPECT_THAT(judge("first.cpp", "cost=90").request.replays, IsEmpty());
  const EvaluateReport wrong = judge("wrong.cpp", "incorrect");
  const EvaluateReport next = judge("next.cpp", "cost=80");
  ASSERT_THAT(next.request.replays, SizeIs(1));
  EXPECT_THAT(next.request.replays[0].caught, HasSubstr("wrong (" + wrong.evaluation.candidate.content.brief()));
  EXPECT_EQ(next.request.replays[0].evaluation, wrong.evaluation.id);
  EXPECT_EQ(next.request.kept_inputs, 1);
  EXPECT_EQ(encode(next)["verdict"]["replayed_inputs"], 1);
}

TEST_F(ReplayChoiceTest, OneThatFailsOnAReplayAddsNoInput) {
  judge("wrong.cpp", "incorrect");
  judge("wrong_too.cpp", "crashed");
  const auto kept = reader().failing_inputs("scale").value();
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].failures, 2);
}

TEST_F(ReplayChoiceTest, AnAnswerFromTheArchiveSaysWhatItMisses) {
  EXPECT_EQ(judge("good.cpp", "cost=90").missed_replays, 0U);
  judge("wrong.cpp", "incorrect");
  const EvaluateReport stored = judge("good.cpp", "cost=90");
  EXPECT_EQ(stored.origin, Origin::stored);
  EXPECT_EQ(stored.missed_replays, 1U);
  reuse_ = Reuse::never;
  EXPECT_EQ(judge("good.cpp", "cost=90").missed_replays, 0U);
}

TEST_F(ReplayChoiceTest, OwnFailuresComeFirstThenThoseOfSiblings) {
  const EvaluateReport own = judge("own.cpp", "cost=90");
  task::Solution sibling = own.request.candidate;
  sibling.sources.front().content += "int more;\n";
  task::Solution stranger = own.request.candidate;
  stranger.sources.front().content = "int quite;\nint another;\nint kernel;\n";
  {
    auto writer = archive::Archive::open_writer(world_.context().places.archive).value();
    ASSERT_TRUE(writer.record_candidate(sibling));
    ASSERT_TRUE(writer.record_candidate(stranger));
  }
  const auto digest = [](const task::Solution& solution) { return task::identify(solution).content; };
  const auto ordered = order_replays(reader(),
                                     {kept("a", 1, digest(stranger)), kept("a", 2, digest(sibling)),
                                      kept("a", 3, digest(own.request.candidate)), kept("b", 4, digest(sibling))},
                                     own.request.candidate);
  ASSERT_TRUE(ordered) << ordered.error().text();
  EXPECT_THAT(seeds_of(*ordered), ElementsAre(3, 2, 4, 1));
}

TEST_F(ReplayChoiceTest, EachKindAndWorkloadHasItsNewestBeforeAnyHasASecond) {
  const EvaluateReport any = judge("any.cpp", "cost=90");
  const base::Digest other = any.evaluation.incumbent->content;
  const auto ordered =
      order_replays(reader(), {kept("a", 1, other), kept("a", 2, other), kept("b", 3, other), kept("", 4, other)},
                    any.request.candidate);
  ASSERT_TRUE(ordered) << ordered.error().text();
  EXPECT_THAT(seeds_of(*ordered), ElementsAre(1, 3, 4, 2));
}

// Fills the archive with failing inputs of the largest or smallest workload.
void keep_many(const os::Path& root, const EvaluateReport& like, std::int64_t size, int count) {
  auto archive = archive::Archive::open_writer(root).value();
  for (int i = 0; i < count; ++i) {
    task::EvaluationRequest request = like.request;
    request.id = "kept-" + std::to_string(size) + "-" + std::to_string(i);
    request.replays.clear();
    request.candidate.sources.front().content = "incorrect " + std::to_string(i);
    request.seed = static_cast<std::uint64_t>(i);
    request.workloads.front().axes = {{"n", size}};
    rehearsal::FakeJudge judge(std::make_shared<rehearsal::Record>());
    const auto bundle = judge.run(request, archive.spool(), {});
    ASSERT_TRUE(bundle) << bundle.error().text();
    ASSERT_TRUE(archive.ingest(*bundle, "", std::nullopt));
  }
}

TEST_F(ReplayChoiceTest, WithoutTrialsOnlySoManyAreReplayedAndWithThemAll) {
  const EvaluateReport any = judge("any.cpp", "cost=90");
  keep_many(world_.context().places.archive, any, 8, 9);
  const EvaluateReport quick = judge("quick.cpp", "cost=80");
  EXPECT_THAT(quick.request.replays, SizeIs(kReplaysWithoutTrials));
  EXPECT_EQ(quick.request.kept_inputs, 9);
  EXPECT_THAT(judge("long.cpp", "cost=70", 40).request.replays, SizeIs(9));
}

TEST_F(ReplayChoiceTest, ALargeInputIsReplayedAloneWithoutTrials) {
  const EvaluateReport any = judge("any.cpp", "cost=90");
  // x and y of n rows of 2 floats: 16 bytes each row.
  keep_many(world_.context().places.archive, any, static_cast<std::int64_t>(kReplayedBytesWithoutTrials / 16), 3);
  EXPECT_THAT(judge("quick.cpp", "cost=80").request.replays, SizeIs(1));
}

TEST_F(ReplayChoiceTest, ALargeInputDoesNotPushOutSmallOnes) {
  const EvaluateReport any = judge("any.cpp", "cost=90");
  keep_many(world_.context().places.archive, any, 8, 1);
  keep_many(world_.context().places.archive, any, static_cast<std::int64_t>(kReplayedBytesWithoutTrials / 8), 1);
  const EvaluateReport quick = judge("quick.cpp", "cost=80");
  ASSERT_THAT(quick.request.replays, SizeIs(1));
  EXPECT_EQ(quick.request.replays.front().input.workload.axes.front().second, 8) << "the newer one takes too long";
}

TEST_F(ReplayChoiceTest, WhatTheDatasetNoLongerGivesIsNotReplayed) {
  const EvaluateReport any = judge("any.cpp", "cost=90");
  auto archive = archive::Archive::open_writer(world_.context().places.archive).value();
  task::EvaluationRequest request = any.request;
  request.id = "given";
  request.replays.clear();
  task::KeptInput given;
  given.input.workload = request.workloads.front();
  given.input.varied = false;
  given.caught = "x";
  given.evaluation = "y";
  request.replays = {given};
  request.candidate.sources.front().content = "incorrect";
  rehearsal::FakeJudge judge(std::make_shared<rehearsal::Record>());
  ASSERT_TRUE(archive.ingest(judge.run(request, archive.spool(), {}).value(), "", std::nullopt));
  task::EvaluationRequest now = any.request;
  now.replays.clear();
  ASSERT_TRUE(add_history(archive, given_of(now.workloads), 1, now));
  EXPECT_THAT(now.replays, IsEmpty());
  EXPECT_EQ(now.kept_inputs, 1);
  std::vector<task::Workload> with_files = now.workloads;
  with_files.front().given = {{"x", "/data/x.safetensors", 0, 8, std::string(64, 'a')}};
  ASSERT_TRUE(add_history(archive, given_of(with_files), 1, now));
  ASSERT_THAT(now.replays, SizeIs(1));
  EXPECT_EQ(now.replays[0].input.workload.given.front().file, "/data/x.safetensors");
}

}  // namespace
}  // namespace assay::service
