#include <assay/archive/decisions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/archive/archive.hpp>
#include <assay/archive/migrations.hpp>
#include <assay/archive/sample_bundle.hpp>

namespace assay::archive {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Two campaigns whose decisions alternate: links 1 and 3 are of "a", 2 and 4 of "b"; 1 rests on an evaluation.
class DecisionsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(archive_.create_campaign({"a", "scale", R"({"of":"a"})", ""}));
    ASSERT_TRUE(archive_.create_campaign({"b", "scale", "{}", ""}));
    ASSERT_TRUE(archive_.append({"a", 0, {{"campaign_started", "{}"}}}));
    ASSERT_TRUE(archive_.ingest(put_sample(archive_.spool(), "e-1"), "a",
                                Append{"a", 1, {{"candidate_swept", R"({"evaluation":"e-1"})"}}}));
    ASSERT_TRUE(archive_.append({"b", 0, {{"campaign_started", "{}"}, {"candidate_promoted", R"({"by":"Ada"})"}}}));
    ASSERT_TRUE(archive_.append({"a", 2, {{"candidate_refused", R"({"by":"Bob"})"}, {"noise", "{}"}}}));
    ASSERT_TRUE(archive_.append({"b", 2, {{"campaign_confirmed", "{}"}}}));
  }
  void damage(const std::string& sql) {
    const auto done = open_raw(root_).script("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; " + sql);
    ASSERT_TRUE(done) << done.error().text();
  }
  std::vector<std::string> problems() const { return archive_.verify().value().problems; }
  std::vector<ChainedDecision> chain() const { return archive_.decisions().value(); }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "decisions-").value();
  os::Path root_ = folder_.path() / "archive";
  Archive archive_ = Archive::open_writer(root_).value();
};

TEST_F(DecisionsTest, OneChainHoldsTheDecisionsOfAllCampaigns) {
  const auto links = chain();
  ASSERT_THAT(links, SizeIs(4));
  base::Digest before;
  for (std::size_t i = 0; i < links.size(); ++i) {
    EXPECT_EQ(links[i].number, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(links[i].predecessor, before);
    EXPECT_EQ(links[i].digest, link_digest(before, links[i].record));
    EXPECT_EQ(links[i].chained, Chained::with_entry);
    before = links[i].digest;
  }
  EXPECT_EQ(links[2].campaign, "a");
  EXPECT_EQ(links[2].sequence, 3);
  EXPECT_EQ(links[3].campaign, "b");
  EXPECT_EQ(links[3].sequence, 3);
  EXPECT_TRUE(links[0].evidence.has_value());
  EXPECT_FALSE(links[1].evidence.has_value());
  EXPECT_EQ(archive_.verify()->decisions, 4U);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(DecisionsTest, ARecordCanBeRecomputedFromWhatItCovers) {
  const auto events = archive_.events("a").value();
  DecisionRecord record{1, "a", 2, Chained::with_entry, base::sha256(R"({"of":"a"})"), {}, {}};
  record.journal = extend_journal(extend_journal({}, events[0]), events[1]);
  record.evidence = base::sha256(archive_.bundle_file("e-1", "manifest.json").value());
  EXPECT_EQ(chain()[0].record, record_digest(record));
  // Every field counts.
  const base::Digest whole = record_digest(record);
  const auto changed = [&](auto change) {
    DecisionRecord other = record;
    change(other);
    return record_digest(other) != whole;
  };
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.number = 2; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.campaign = "b"; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.sequence = 1; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.chained = Chained::at_migration; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.configuration = {}; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.journal = {}; }));
  EXPECT_TRUE(changed([](DecisionRecord& r) { r.evidence.reset(); }));
}

TEST_F(DecisionsTest, EveryFieldOfAJournalsEntryCounts) {
  const Event entry{3, "kind", "{}", "2026-11-30T10:00:00Z"};
  const base::Digest whole = extend_journal({}, entry);
  EXPECT_NE(extend_journal({}, {4, "kind", "{}", entry.at}), whole);
  EXPECT_NE(extend_journal({}, {3, "kin", "d{}", entry.at}), whole);
  EXPECT_NE(extend_journal({}, {3, "kind", "{ }", entry.at}), whole);
  EXPECT_NE(extend_journal({}, {3, "kind", "{}", "2026-11-30T10:00:01Z"}), whole);
  EXPECT_NE(extend_journal(whole, entry), whole);
}

TEST_F(DecisionsTest, ARefusedAppendChainsNothing) {
  EXPECT_EQ(archive_.append({"b", 1, {{"candidate_swept", "{}"}}}).error().code, "archive.moved");
  EXPECT_THAT(chain(), SizeIs(4));
}

TEST_F(DecisionsTest, AChangedDecisionIsTheFirstBrokenLink) {
  damage(R"(UPDATE events SET body = '{"by":"Eve"}' WHERE campaign = 'b' AND sequence = 2)");
  EXPECT_THAT(problems(), ElementsAre(testing::AllOf(HasSubstr("decision 2 (campaign b, entry 2)"),
                                                     HasSubstr(chain()[1].record.hex()), HasSubstr("now gives"))));
}

TEST_F(DecisionsTest, TheTimeOfADecisionCountsToo) {
  damage("UPDATE events SET at = '2020-01-01T00:00:00Z' WHERE campaign = 'a' AND sequence = 3");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("decision 3 (campaign a, entry 3)")));
}

TEST_F(DecisionsTest, AnEarlierEntryOfTheJournalCountsThoughItIsNoDecision) {
  damage(R"(UPDATE events SET body = '{"version":2}' WHERE campaign = 'a' AND sequence = 1)");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("decision 1 (campaign a, entry 2)")));
}

TEST_F(DecisionsTest, TheConfigurationCounts) {
  damage(R"(UPDATE campaigns SET configuration = '{"of":"x"}' WHERE name = 'a')");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("decision 1 (campaign a, entry 2)")));
}

TEST_F(DecisionsTest, TheEvidenceCounts) {
  damage("UPDATE evaluations SET bundle = '" + std::string(64, 'a') + "'");
  EXPECT_THAT(problems(), testing::Contains(testing::AllOf(HasSubstr("decision 1"), HasSubstr("rests on manifest"),
                                                           HasSubstr(std::string(64, 'a')))));
}

TEST_F(DecisionsTest, AMissingLinkIsNamed) {
  damage("DELETE FROM decisions WHERE number = 3");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("lacks decision 3: after 2 comes decision 4"),
                                      HasSubstr("campaign a: entry 3 is a decision and in no link")));
}

TEST_F(DecisionsTest, ACutEndIsSeenWhileTheEntryIsThere) {
  damage("DELETE FROM decisions WHERE number = 4");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("campaign b: entry 3 is a decision and in no link")));
}

TEST_F(DecisionsTest, ALinkThatIsForgedWholeBreaksTheNext) {
  // Eve changes what was decided and recomputes that link, but not those after it.
  damage(R"(UPDATE events SET body = '{"by":"Eve"}' WHERE campaign = 'b' AND sequence = 2)");
  const auto links = chain();
  const auto events = archive_.events("b").value();
  const base::Digest record = record_digest({2, "b", 2, Chained::with_entry, base::sha256("{}"),
                                             extend_journal(extend_journal({}, events[0]), events[1]), std::nullopt});
  damage("UPDATE decisions SET record = '" + record.hex() + "', digest = '" +
         link_digest(links[1].predecessor, record).hex() + "' WHERE number = 2");
  EXPECT_THAT(problems(), ElementsAre(testing::AllOf(HasSubstr("decision 3"), HasSubstr("names predecessor"),
                                                     HasSubstr(links[1].digest.hex()))));
}

// The steps up to the one that chains; whatever comes later.
std::vector<Migration> steps_before_the_chain() {
  std::vector<Migration> steps;
  for (const Migration& step : migrations()) {
    if (step.then == &chain_earlier_decisions) {
      return steps;
    }
    steps.push_back(step);
  }
  ADD_FAILURE() << "no migration chains the decisions";
  return steps;
}

TEST(EarlierDecisions, AreChainedByTheMigrationCampaignByCampaign) {
  const os::TemporaryDirectory folder = os::TemporaryDirectory::create(testing::TempDir(), "older-").value();
  const Database raw = Database::open(folder.path() / "archive.sqlite", Access::read_write).value();
  ASSERT_TRUE(migrate(raw, steps_before_the_chain()));
  const auto filled = raw.script(R"sql(
    INSERT INTO campaigns (name, definition, configuration, created) VALUES ('z', 'd', '{}', ''), ('a', 'd', '{}', '');
    INSERT INTO events (campaign, sequence, kind, body, at) VALUES
      ('a', 1, 'candidate_promoted', '{}', '2026-01-01T00:00:00Z'), ('a', 2, 'noise', '{}', '2026-01-01T00:00:00Z'),
      ('a', 3, 'campaign_confirmed', '{}', '2026-01-02T00:00:00Z'), ('z', 1, 'noise', '{}', '2026-01-03T00:00:00Z'),
      ('z', 2, 'candidate_swept', '{"evaluation":"e"}', '2026-01-03T00:00:00Z');
    INSERT INTO candidates VALUES (1, ')sql" +
                                 std::string(64, 'c') + "', '" + std::string(64, 'c') +
                                 R"sql(', 'd', 'blob', '');
    INSERT INTO evaluations VALUES (1, 'e', 'z', 1, NULL, 'sweep', 'cpu', 'better', '', '', 1, ')sql" +
                                 std::string(64, 'b') + "');");
  ASSERT_TRUE(filled) << filled.error().text();
  ASSERT_TRUE(migrate(raw));
  const auto links = read_chain(raw).value();
  std::vector<std::string> order;
  for (const ChainedDecision& link : links) {
    EXPECT_EQ(link.chained, Chained::at_migration);
    order.push_back(link.campaign + std::to_string(link.sequence));
  }
  EXPECT_THAT(order, ElementsAre("z2", "a1", "a3")) << "z was created first";
  EXPECT_EQ(links[0].evidence, base::Digest::parse(std::string(64, 'b')).value());
  EXPECT_THAT(chain_problems(raw).value(), IsEmpty());
  // Once only.
  ASSERT_TRUE(migrate(raw));
  EXPECT_THAT(read_chain(raw).value(), SizeIs(3));
}

TEST_F(DecisionsTest, GoesOnFromWhatWasChainedAtAMigration) {
  damage("DELETE FROM decisions");
  ASSERT_TRUE(chain_earlier_decisions(open_raw(root_)));
  const base::Digest last = chain().back().digest;
  ASSERT_TRUE(archive_.append({"b", 3, {{"candidate_refused", "{}"}}}));
  EXPECT_EQ(chain().back().chained, Chained::with_entry);
  EXPECT_EQ(chain().back().predecessor, last);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(DecisionsTest, ADamagedDigestIsADamagedArchive) {
  damage("UPDATE decisions SET digest = 'rubbish' WHERE number = 4");
  EXPECT_EQ(archive_.decisions().error().code, "archive.damaged");
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("\"rubbish\", which is no digest")));
}

}  // namespace
}  // namespace assay::archive
