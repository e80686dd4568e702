#include <assay/service/agent_arms.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/os/file.hpp>

namespace assay::service {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class AgentArmsTest : public ::testing::Test {
 protected:
  base::Result<std::vector<control::AgentArm>> plan() {
    static const dataset::Dataset kDataset =
        dataset::Dataset::open(os::Path(ASSAY_SOURCE_DIR) / "datasets/contest").value();
    control::CampaignConfiguration configuration;
    configuration.definition = *kDataset.definition("gdn_decode_qk4_v8_d128_k_last");
    configuration.baseline.spec.language = task::Language::python;
    return plan_arms(kDataset, given_, configuration);
  }

  AgentOptions given_;
};

TEST_F(AgentArmsTest, AreEachAgentInEachLanguage) {
  given_.word = "command:true";
  given_.others = {"command:false"};
  given_.model = "a";
  given_.languages = {"cpp", "python"};
  const auto arms = plan();
  ASSERT_TRUE(arms) << arms.error().text();
  ASSERT_THAT(*arms, SizeIs(4));
  EXPECT_EQ(control::arm_name(arms->at(0), false), "command:true (a, cpp)");
  EXPECT_EQ(arms->at(0).origin->spec.language, task::Language::cpp);
  EXPECT_EQ(arms->at(0).origin->definition, "gdn_decode_qk4_v8_d128_k_last");
  EXPECT_EQ(control::arm_name(arms->at(3), false), "command:false (python)") << "which is the baseline's";
}

TEST_F(AgentArmsTest, WithoutALanguageBeginWithTheBaseline) {
  given_.word = "command:true";
  given_.others = {"http:http://127.0.0.1:9/v1"};
  given_.models = {"m"};
  const auto arms = plan();
  ASSERT_TRUE(arms) << arms.error().text();
  ASSERT_THAT(*arms, SizeIs(2));
  EXPECT_FALSE(arms->at(0).origin);
  EXPECT_EQ(control::arm_name(arms->at(1), false), "http:http://127.0.0.1:9/v1 (m)");
  EXPECT_EQ(control::arm_name(arms->at(0), true), "command:true");
}

TEST_F(AgentArmsTest, WhatIsNotThereIsToldAtOnce) {
  given_.word = "command:true";
  given_.languages = {"tilelang"};
  EXPECT_THAT(plan().error().message, HasSubstr("nothing to begin with in \"tilelang\""));
  given_.languages.clear();
  given_.others = {"gemini"};
  EXPECT_THAT(plan().error().message, HasSubstr("no agent"));
  given_.others = {"http:http://127.0.0.1:9/v1"};
  EXPECT_THAT(plan().error().message, HasSubstr("--agent-model"));
}

}  // namespace
}  // namespace assay::service
