#include <assay/certify/contradictions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <assay/certify/sample_certificate.hpp>

namespace assay::certify {
namespace {

using ::testing::Contains;
using testing::edit;
using testing::forge_digests;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::refusal;
using testing::sample_files;

Evidence whole_evidence(const Files& files) {
  auto evidence = read_evidence(files);
  EXPECT_TRUE(evidence) << evidence.error().text();
  return std::move(evidence.value());
}

// Edits one file of the sweep, mends the digests of files, and returns what contradicts.
std::vector<std::string> contradicting(const std::string& path, const std::function<void(base::Json&)>& change) {
  Files files = sample_files();
  edit(files, path, change);
  forge_digests(files, path.substr(0, path.find('/')));
  std::vector<std::string> found;
  for (const Difference& one : contradictions(whole_evidence(files), files)) {
    found.push_back(one.place + ": " + one.what);
  }
  return found;
}

TEST(Contradictions, OfARequestThatAsksOtherwiseContradicts) {
  const std::string request = "sweep/request.json";
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["plan"]["maximum_regression"] = 0.9; }),
              Contains(HasSubstr("sweep/request.json: /plan: is ")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["workloads"].erase(1); }),
              Contains(HasSubstr("sweep/request.json: /workloads: is 1 workloads")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["stage"] = "gate"; }),
              Contains(HasSubstr("sweep/request.json: /stage: is gate, and the campaign asks for sweep")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["device"] = "cpu"; }),
              Contains(HasSubstr("sweep/request.json: /device: is cpu")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["id"] = "another"; }),
              Contains(HasSubstr("sweep/request.json: /id: is another")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["definition"]["description"] = "easier"; }),
              Contains(HasSubstr("sweep/request.json: /definition")));
  EXPECT_THAT(contradicting(request, [](base::Json& json) { json["seed"] = 1; }),
              Contains(HasSubstr("sweep/evaluation.json: /seed")));
  EXPECT_THAT(
      contradicting(request, [](base::Json& json) { json["disabled_probes"] = base::Json::array({"reconcile"}); }),
      Contains(HasSubstr("sweep/request.json: /disabled_probes: is 1 probes")));
}

TEST(Contradictions, OfAnotherCandidateContradicts) {
  const auto swap = [](base::Json& json) { json["candidate"]["sources"][0]["content"] = "other"; };
  EXPECT_THAT(contradicting("sweep/request.json", swap),
              ::testing::AllOf(Contains(HasSubstr("sweep/request.json: /candidate: is ")),
                               Contains(HasSubstr("sweep/evaluation.json: /candidate/content: is "))));
  // A confirmation against another than the baseline.
  const auto easier = [](base::Json& json) { json["incumbent"]["sources"][0]["content"] = "slower"; };
  EXPECT_THAT(contradicting("confirmation/request.json", easier),
              Contains(HasSubstr("confirmation/request.json: /incumbent: is ")));
  EXPECT_THAT(contradicting("sweep/evaluation.json", [](base::Json& json) { json["id"] = "another"; }),
              Contains(HasSubstr("sweep/evaluation.json: /id: is another")));
}

TEST(Contradictions, OfMoreCleanCallsThanTheSamplesHaveContradicts) {
  for (const std::string session : {"sweep", "confirmation"}) {
    const auto more = [](base::Json& json) { json["clean_on_workloads"][1] = 5000; };
    EXPECT_THAT(
        contradicting(session + "/evaluation.json", more),
        Contains(HasSubstr(session + "/evaluation.json: /clean_on_workloads/1: is 5000, and the samples have ")));
  }
}

TEST(Contradictions, OfAFileThatItsManifestDoesNotNameContradicts) {
  Files files = sample_files();
  files["sweep/extra.log"] = "x";
  files["confirmation/candidate-build.log"] += "x";
  std::vector<std::string> found;
  for (const Difference& one : contradictions(whole_evidence(sample_files()), files)) {
    found.push_back(one.place);
  }
  EXPECT_THAT(found, ::testing::ElementsAre("sweep/extra.log", "confirmation/candidate-build.log"));
  files.erase("confirmation/candidate-build.log");
  EXPECT_THAT(contradictions(whole_evidence(sample_files()), files).back().what, HasSubstr("is missing"));
}

// Each field of a request: how it is edited here, and where that is seen. A field that is not compared says why.
struct EditedField {
  const char* name;
  std::function<void(task::EvaluationRequest&)> change;
  const char* seen;      // Empty: not by itself.
  const char* why = "";  // Not.
};

task::KeptInput kept_input(const task::EvaluationRequest& request) {
  task::KeptInput kept;
  kept.input.workload = request.workloads.front();
  kept.input.seed = 5;
  kept.caught = "somebody";
  kept.evaluation = "e-1";
  return kept;
}

std::vector<EditedField> fields_of_a_request() {
  using Request = task::EvaluationRequest;
  return {
      {"id", [](Request& one) { one.id = "another"; }, "request.json: /id: "},
      {"stage", [](Request& one) { one.stage = task::Stage::gate; }, "request.json: /stage: "},
      {"device", [](Request& one) { one.device = "simulated:8"; }, "request.json: /device: "},
      {"seed", [](Request& one) { one.seed.reset(); }, "request.json: /seed: is left to the judge"},
      {"definition", [](Request& one) { one.definition.description = "easier"; }, "request.json: /definition: "},
      {"workloads", [](Request& one) { one.workloads.pop_back(); }, "request.json: /workloads: "},
      {"candidate", [](Request& one) { one.candidate.name = "the hero"; }, "request.json: /candidate/name: "},
      {"incumbent", [](Request& one) { one.incumbent->author = "nobody"; }, "request.json: /incumbent: "},
      {"plan", [](Request& one) { one.plan.alpha = 0.3; }, "request.json: /plan: "},
      {"official_trials", [](Request& one) { one.official_trials = 3; }, "request.json: /official_trials: is 3"},
      {"trials", [](Request& one) { one.trials = 7; }, "request.json: /trials: is 7"},
      {"trials_on", [](Request& one) { one.trials_on = {5, 0}; }, "request.json: /trials_on: are 5 trials"},
      {"known_code", [](Request& one) { one.known_code = {{1, std::string(64, 'a')}}; }, "request.json: /known_code: "},
      {"refuse_twin", [](Request& one) { one.refuse_twin = true; }, "request.json: /refuse_twin: is true"},
      {"judge_twin", [](Request& one) { one.judge_twin = true; }, "request.json: /judge_twin: is true"},
      {"trials_turn",
       [](Request& one) {
         one.trials_turn = one.trials_turn == task::TrialsTurn::after_gain ? task::TrialsTurn::before_timing
                                                                           : task::TrialsTurn::after_gain;
       },
       "request.json: /trials_turn: "},
      {"replays", [](Request& one) { one.replays = {kept_input(one)}; },
       "evaluation.json: /replayed: is 0, and the campaign asks for 1"},
      {"kept_inputs", [](Request& one) { one.kept_inputs = 4; }, "",
       "how many the archive held is known to that archive alone; the number decides nothing, and the chain covers it"},
      {"disabled_probes", [](Request& one) { one.disabled_probes = {task::Probe::reconcile}; },
       "request.json: /disabled_probes: is 1 probes"},
  };
}

TEST(EveryFieldOfARequest, IsComparedOrSaysWhyNot) {
  for (const EditedField& field : fields_of_a_request()) {
    // The second candidate's sweep: its incumbent was supplied by hand, so that the configuration has all of it.
    const auto found = contradicting("sweep/request.json", [&](base::Json& json) {
      auto request = task::decode_request(json, "request");
      ASSERT_TRUE(request) << request.error().text();
      field.change(*request);
      json = task::encode(*request);
    });
    if (std::string(field.seen).empty()) {
      EXPECT_STRNE(field.why, "") << field.name;
      EXPECT_THAT(found, IsEmpty()) << field.name;
    } else {
      EXPECT_THAT(found, Contains(HasSubstr(std::string("sweep/") + field.seen))) << field.name;
    }
  }
}

// Fails to compile with a field more: say above whether a certificate's verifier compares it.
TEST(EveryFieldOfARequest, IsInTheList) {
  const task::EvaluationRequest request;
  const auto& [id, stage, device, seed, definition, workloads, candidate, incumbent, plan, official_trials, trials,
               trials_on, known_code, refuse_twin, judge_twin, trials_turn, replays, kept_inputs, disabled_probes] =
      request;
  static_cast<void>(id);
  constexpr std::size_t kFields = 19;
  EXPECT_EQ(fields_of_a_request().size(), kFields);
}

TEST(Contradictions, WhatDecidesNothingByItselfIsCoveredByTheChain) {
  Files files = sample_files();
  edit(files, "sweep/request.json", [](base::Json& json) { json["kept_inputs"] = 4; });
  forge_digests(files, "sweep");
  EXPECT_THAT(refusal(files), ::testing::AllOf(HasSubstr("/sweep/manifest"), HasSubstr("/chain/0/evidence")));
}

TEST(Contradictions, OfAPromotionByWhomThePolicyDoesNotLeaveItTo) {
  Evidence evidence = whole_evidence(sample_files());
  const auto first = [&] {
    const auto found = contradictions(evidence, sample_files());
    return found.empty() ? std::string() : found[0].place + ": " + found[0].what;
  };
  EXPECT_EQ(first(), "");
  evidence.promotion.by = "Ada";
  EXPECT_THAT(first(), HasSubstr("/body/by: is Ada, and the campaign's policy leaves promotions to policy shared"));
  evidence.configuration.policy.approval = promote::Approval::person;
  EXPECT_EQ(first(), "");
  evidence.promotion.by = "policy shared";
  EXPECT_THAT(first(), HasSubstr("leaves promotions to a person"));
}

TEST(Contradictions, TrialsMayBeSpreadByRiskIfAFifthIsSpreadEvenly) {
  Evidence evidence = whole_evidence(sample_files());
  const auto spread = [&](int asked, std::vector<int> on) {
    evidence.sweep.asked.trials = asked;
    evidence.sweep.request.trials = asked;
    evidence.sweep.request.trials_on = std::move(on);
    std::string found;
    for (const Difference& one : contradictions(evidence, sample_files())) {
      found += one.place + ": " + one.what + "\n";
    }
    return found;
  };
  EXPECT_EQ(spread(20, {18, 2}), "");
  EXPECT_EQ(spread(20, {}), "") << "equally many";
  EXPECT_THAT(spread(20, {19, 1}),
              HasSubstr("sweep/request.json: /trials_on: are 20 trials, at least 1 on a workload"));
  EXPECT_THAT(spread(20, {9, 10}), HasSubstr("/trials_on: are 19 trials"));
  EXPECT_THAT(spread(0, {1, 1}), HasSubstr("/trials_on: are 2 trials"));
}

}  // namespace
}  // namespace assay::certify
