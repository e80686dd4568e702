#include <assay/service/doctor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using State = Capability::State;
using testing::HasSubstr;

const Capability* find(const DoctorReport& report, const std::string& name) {
  const auto found = std::find_if(report.capabilities.begin(), report.capabilities.end(),
                                  [&](const Capability& capability) { return capability.name == name; });
  return found == report.capabilities.end() ? nullptr : &*found;
}

class DoctorTest : public testing::Test {
 protected:
  void install(const os::Path& program, const std::string& script) {
    world_.write(program, "#!/bin/sh\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  State state(const DoctorReport& report, const std::string& name) {
    const Capability* capability = find(report, name);
    EXPECT_NE(capability, nullptr) << name;
    return capability == nullptr ? State::missing : capability->state;
  }

  rehearsal::World world_;
};

TEST_F(DoctorTest, WithoutOurProgramsNothingCanBeEvaluated) {
  const DoctorReport report = examine(world_.context());
  EXPECT_FALSE(report.healthy());
  EXPECT_EQ(state(report, "assay-judge"), State::missing);
  EXPECT_EQ(state(report, "assay-worker"), State::missing);
  EXPECT_THAT(find(report, "assay-judge")->remedy, HasSubstr("./dev build"));
}

TEST_F(DoctorTest, KnowsWhatThisTestNeedsToRunAtAll) {
  const DoctorReport report = examine(world_.context());
  EXPECT_EQ(state(report, "SQLite"), State::available);
  EXPECT_EQ(state(report, "disk"), State::available);
  EXPECT_EQ(state(report, "CPU"), State::available);
  EXPECT_EQ(state(report, "dataset"), State::available);
  EXPECT_THAT(find(report, "dataset")->detail, HasSubstr("1 definitions"));
}

TEST_F(DoctorTest, AbsentThingsAreNoReasonToDespair) {
  install(world_.context().places.judge, R"(echo '{"capabilities": [
    {"name": "cache flush", "available": true, "detail": "32 MiB", "remedy": "none"},
    {"name": "huge pages", "available": false, "detail": "off", "remedy": "timings vary more"}, {"broken": 1}]}')");
  install(world_.context().places.worker, "exit 0");
  world_.context().places.dataset = world_.path("nowhere");
  const DoctorReport report = examine(world_.context());
  EXPECT_EQ(state(report, "assay-judge"), State::available);
  EXPECT_EQ(state(report, "dataset"), State::absent);
  EXPECT_EQ(state(report, "judge: cache flush"), State::available);
  EXPECT_EQ(find(report, "judge: cache flush")->remedy, "");
  EXPECT_EQ(state(report, "judge: huge pages"), State::absent);
  for (const Capability& capability : report.capabilities) {
    if (capability.state == State::absent) {
      EXPECT_FALSE(capability.remedy.empty()) << capability.name << " says what is then not possible";
    }
  }
  EXPECT_TRUE(report.healthy());
}

TEST_F(DoctorTest, WhatTheJudgeLacksIsNeverMissingOnlyAbsent) {
  install(world_.context().places.judge, R"(echo '{"capabilities": [
    {"name": "NVIDIA driver", "available": false, "detail": "none", "remedy": "install it"},
    {"name": "nvcc", "available": false, "detail": "none", "remedy": "install the toolkit"}]}')");
  const DoctorReport report = examine(world_.context());
  EXPECT_EQ(state(report, "judge: NVIDIA driver"), State::absent);
  EXPECT_EQ(state(report, "judge: nvcc"), State::absent);
  EXPECT_EQ(find(report, "judge: nvcc")->remedy, "install the toolkit");
}

TEST_F(DoctorTest, ACompilerIsNeeded) {
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  world_.write(world_.path("empty/readme"), "");
  ASSERT_EQ(setenv("PATH", world_.path("empty").c_str(), 1), 0);
  const DoctorReport without = examine(world_.context());
  install(world_.path("empty/clang++"), "echo 'clang version 19'");
  const DoctorReport with_clang = examine(world_.context());
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  EXPECT_EQ(state(without, "g++"), State::missing);
  EXPECT_EQ(state(with_clang, "g++"), State::absent);
  EXPECT_EQ(find(with_clang, "clang++")->detail, "clang version 19");
}

TEST_F(DoctorTest, JsonTellsTheSame) {
  const DoctorReport report = examine(world_.context());
  const base::Json json = encode(report);
  EXPECT_EQ(json["healthy"], false);
  ASSERT_EQ(json["capabilities"].size(), report.capabilities.size());
  EXPECT_EQ(json["capabilities"][0]["name"], report.capabilities[0].name);
  EXPECT_EQ(json["capabilities"][0]["state"], to_string(report.capabilities[0].state));
}

}  // namespace
}  // namespace assay::service
