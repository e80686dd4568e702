#include <assay/control/configuration.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include <assay/control/sample_campaign.hpp>

namespace assay::control {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::must;
using testing::sample_configuration;

TEST(CampaignConfiguration, SurvivesStorage) {
  const CampaignConfiguration configuration = sample_configuration();
  const base::Json json = encode(configuration);
  const CampaignConfiguration read =
      must(decode_configuration(must(base::parse_json(base::dump_compact(json), "stored")), "stored"));
  EXPECT_EQ(encode(read), json);
  EXPECT_EQ(read.name, "scale-search");
  EXPECT_EQ(read.supplied.size(), configuration.supplied.size());
  ASSERT_TRUE(read.tunable);
  EXPECT_EQ(task::identify(*read.tunable), task::identify(*configuration.tunable));
  EXPECT_EQ(task::identify(read.baseline), task::identify(configuration.baseline));
}

TEST(CampaignConfiguration, KeepsItsRolesAndIsStoredAsBeforeWithoutThem) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.agent.emplace().word = "codex";
  EXPECT_FALSE(encode(configuration)["agent"].contains("full_agent"));
  EXPECT_FALSE(must(decode_configuration(encode(configuration), "stored")).agent->full_agent);
  configuration.agent->full_agent = FullAgentPlan{"claude", "command:s", 5, 7};
  const base::Json json = encode(configuration);
  const CampaignConfiguration read = must(decode_configuration(json, "stored"));
  EXPECT_EQ(encode(read), json);
  EXPECT_EQ(read.agent->full_agent->islands, 5);
  base::Json none = json;
  none["agent"]["full_agent"]["islands"] = 0;
  EXPECT_FALSE(decode_configuration(none, "stored"));
}

TEST(CampaignConfiguration, KeepsSeedsOfAllSixtyFourBits) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.tuner_seed = 0xffffffffffffffffU;
  configuration.device = "simulated:18446744073709551615";
  const CampaignConfiguration read =
      must(decode_configuration(must(base::parse_json(base::dump_compact(encode(configuration)), "stored")), "stored"));
  EXPECT_EQ(read.tuner_seed, 0xffffffffffffffffU);
  EXPECT_EQ(simulated_seed(read.device), 0xffffffffffffffffU);
}

TEST(CampaignConfiguration, KeepsTheLengthsThatDecideHowLongACallTakes) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.workloads[1].lengths = {5, 0, 2};
  configuration.workloads[0].given = {{"x", "/a/blob", 8, 64, std::string(64, 'a')}};
  const CampaignConfiguration read = must(decode_configuration(encode(configuration), "stored"));
  EXPECT_EQ(read.workloads[1].lengths, configuration.workloads[1].lengths);
  EXPECT_TRUE(read.workloads[0].lengths.empty());
  ASSERT_EQ(read.workloads[0].given.size(), 1U);
  EXPECT_EQ(read.workloads[0].given[0].sha256, configuration.workloads[0].given[0].sha256);
  EXPECT_TRUE(read.workloads[1].given.empty());
}

TEST(CampaignConfiguration, NeedsNoTunableAndNoSuppliedCandidates) {
  CampaignConfiguration configuration = sample_configuration();
  configuration.tunable.reset();
  configuration.supplied.clear();
  configuration.rounds = 0;
  EXPECT_FALSE(must(decode_configuration(encode(configuration), "stored")).tunable);
}

TEST(CampaignConfiguration, KeepsWhatItsSupervisorGoesBy) {
  CampaignConfiguration configuration = sample_configuration();
  EXPECT_FALSE(encode(configuration).contains("supervision")) << "campaigns of before are stored as they ever were";
  EXPECT_FALSE(must(decode_configuration(encode(configuration), "stored")).supervision);
  configuration.supervision = Supervision{12, 0.05, 2, 7.5};
  const auto read = must(decode_configuration(encode(configuration), "stored")).supervision;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->horizon, 12);
  EXPECT_EQ(read->least_probability, 0.05);
  EXPECT_EQ(read->deadline_rounds, 2);
  EXPECT_EQ(read->ask_above_sweep_seconds, 7.5);
  EXPECT_EQ(read->habits, kNewestHabits);
  base::Json before = encode(configuration);
  before["supervision"].erase("habits");
  EXPECT_EQ(must(decode_configuration(before, "stored")).supervision->habits, 1) << "campaigns of before keep theirs";
  configuration.supervision->least_probability = 1;
  EXPECT_FALSE(decode_configuration(encode(configuration), "stored"));
}

struct Bad {
  std::string name;
  std::function<void(base::Json&)> damage;
  std::vector<std::string> says;
};

class BadConfiguration : public ::testing::TestWithParam<Bad> {};

TEST_P(BadConfiguration, IsRefusedWithThePlace) {
  base::Json json = encode(sample_configuration());
  GetParam().damage(json);
  const auto read = decode_configuration(json, "campaign x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().owner, base::Owner::input);
  EXPECT_THAT(read.error().message, HasSubstr("campaign x"));
  for (const std::string& part : GetParam().says) {
    EXPECT_THAT(read.error().message, HasSubstr(part));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadConfiguration,
    ::testing::ValuesIn(std::vector<Bad>{
        {"Version", [](base::Json& json) { json["version"] = 2; }, {"/version", "another version of Assay"}},
        {"NameUpper", [](base::Json& json) { json["name"] = "Scale"; }, {"/name", "a-z, 0-9"}},
        {"NameEmpty", [](base::Json& json) { json["name"] = ""; }, {"/name"}},
        {"NameLong", [](base::Json& json) { json["name"] = std::string(41, 'a'); }, {"/name", "1 to 40"}},
        {"NameSlash", [](base::Json& json) { json["name"] = "../x"; }, {"/name"}},
        {"NameDash", [](base::Json& json) { json["name"] = "-x"; }, {"/name"}},
        {"Device", [](base::Json& json) { json["device"] = "gpu"; }, {"/device", "\"gpu\" is not known"}},
        {"DeviceSeed", [](base::Json& json) { json["device"] = "simulated:-1"; }, {"/device"}},
        {"NoWorkloads",
         [](base::Json& json) { json["workloads"] = base::Json::array(); },
         {"/workloads", "at least 1"}},
        {"UnknownAxis", [](base::Json& json) { json["workloads"][1]["axes"] = {{"m", 3}}; }, {"/workloads/1/axes"}},
        {"SameUuid",
         [](base::Json& json) { json["workloads"][1]["uuid"] = json["workloads"][0]["uuid"]; },
         {"/workloads/1/uuid", "earlier workload"}},
        {"OtherBaseline",
         [](base::Json& json) { json["baseline"]["definition"] = "other"; },
         {"/baseline/definition", "\"other\"", "\"scale\""}},
        {"OtherSupplied",
         [](base::Json& json) { json["supplied"][2]["definition"] = "other"; },
         {"/supplied/2/definition"}},
        {"OtherTunable", [](base::Json& json) { json["tunable"]["definition"] = "other"; }, {"/tunable/definition"}},
        {"NoPerRound", [](base::Json& json) { json["candidates_per_round"] = 0; }, {"/candidates_per_round"}},
        {"NegativeRounds", [](base::Json& json) { json["rounds"] = -1; }, {"/rounds"}},
        {"Policy", [](base::Json& json) { json["policy"]["sweep"]["alpha"] = 2; }, {"/policy", "/sweep/alpha"}},
        {"Missing", [](base::Json& json) { json.erase("tuner_seed"); }, {"/tuner_seed", "missing"}},
        {"Unknown", [](base::Json& json) { json["colour"] = "red"; }, {"/colour"}},
    }),
    [](const ::testing::TestParamInfo<Bad>& one) { return one.param.name; });

TEST(SimulatedSeed, IsReadWholeOrNotAtAll) {
  EXPECT_EQ(simulated_seed("simulated:0"), 0U);
  EXPECT_EQ(simulated_seed("simulated:12"), 12U);
  for (const char* device : {"cpu", "simulated", "simulated:", "simulated:x", "simulated:1x", "simulated: 1",
                             "simulated:18446744073709551616", ""}) {
    EXPECT_FALSE(simulated_seed(device)) << device;
  }
}

}  // namespace
}  // namespace assay::control
