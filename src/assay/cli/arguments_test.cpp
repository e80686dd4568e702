#include <assay/cli/arguments.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/base/text.hpp>

namespace assay::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Parsed parse_line(const std::string& line) {
  std::vector<std::string> words = base::split(line, ' ');
  std::vector<const char*> argv = {"assay"};
  for (const std::string& word : words) {
    if (!word.empty()) {
      argv.push_back(word.c_str());
    }
  }
  return parse(static_cast<int>(argv.size()), argv.data());
}

template <class T>
T command(const std::string& line) {
  const Parsed parsed = parse_line(line);
  EXPECT_TRUE(parsed.arguments) << line << ": " << parsed.text;
  if (!parsed.arguments || !std::holds_alternative<T>(parsed.arguments->command)) {
    ADD_FAILURE() << line << " is another command";
    return T{};
  }
  return std::get<T>(parsed.arguments->command);
}

TEST(ParseTest, EvaluateHasDefaults) {
  const auto parsed = command<EvaluateCommand>("evaluate kernel.cpp");
  EXPECT_EQ(parsed.options.candidate, "kernel.cpp");
  EXPECT_EQ(parsed.options.definition, "");
  EXPECT_EQ(parsed.options.against, "");
  EXPECT_EQ(parsed.options.policy, "quick");
  EXPECT_EQ(parsed.options.workloads, "gate");
  EXPECT_EQ(parsed.options.device, "cpu");
  EXPECT_EQ(parsed.options.reuse, service::Reuse::stored);
}

TEST(ParseTest, SelftestHasDefaultsAndTakesSeveralCorpora) {
  const auto plain = command<SelftestCommand>("selftest");
  EXPECT_TRUE(plain.options.corpora.empty());
  EXPECT_EQ(plain.options.runs, 1);
  EXPECT_EQ(plain.options.only, "");
  EXPECT_FALSE(plain.options.ablate);
  EXPECT_EQ(plain.options.device, "cpu");
  const auto full =
      command<SelftestCommand>("selftest --corpus a --corpus b --runs 10 --only memo --ablate --device cuda:1");
  EXPECT_THAT(full.options.corpora, ElementsAre("a", "b"));
  EXPECT_EQ(full.options.runs, 10);
  EXPECT_EQ(full.options.only, "memo");
  EXPECT_TRUE(full.options.ablate);
  EXPECT_EQ(full.options.device, "cuda:1");
  EXPECT_EQ(parse_line("selftest --runs 0").exit_code, 2);
}

TEST(ParseTest, EvaluateTakesEveryOption) {
  const auto parsed = command<EvaluateCommand>(
      "evaluate k.json --definition d --against b --policy p.toml --workloads u1,u2 --device simulated:3 --again");
  EXPECT_EQ(parsed.options.definition, "d");
  EXPECT_EQ(parsed.options.against, "b");
  EXPECT_EQ(parsed.options.policy, "p.toml");
  EXPECT_EQ(parsed.options.workloads, "u1,u2");
  EXPECT_EQ(parsed.options.device, "simulated:3");
  EXPECT_EQ(parsed.options.reuse, service::Reuse::never);
}

TEST(ParseTest, JudgingTakesAClockAndACache) {
  const auto plain = command<EvaluateCommand>("evaluate k.cu");
  EXPECT_FALSE(plain.options.clock || plain.options.cache) << "the policy decides";
  const auto timed = command<EvaluateCommand>("evaluate k.cu --device cuda:0 --clock graph --cache hot");
  EXPECT_EQ(timed.options.clock, base::TimingMethod::graph);
  EXPECT_EQ(timed.options.cache, base::CacheState::hot);
  const auto selftest = command<SelftestCommand>("selftest --device cuda:0 --clock cupti --cache hot");
  EXPECT_EQ(selftest.options.clock, base::TimingMethod::cupti);
  EXPECT_EQ(selftest.options.cache, base::CacheState::hot);
}

TEST(ParseTest, SharedOptionsComeAfterTheCommand) {
  const Parsed parsed = parse_line("evaluate k.cpp --dataset data --archive here --json");
  ASSERT_TRUE(parsed.arguments) << parsed.text;
  EXPECT_EQ(parsed.arguments->dataset, "data");
  EXPECT_EQ(parsed.arguments->archive, "here");
  EXPECT_EQ(parsed.arguments->format, Format::json);
  const Parsed plain = parse_line("evaluate k.cpp");
  EXPECT_EQ(plain.arguments->dataset, std::nullopt);
  EXPECT_EQ(plain.arguments->format, Format::text);
}

TEST(ParseTest, CompareJudgesTheSecondAgainstTheFirstOverAllWorkloads) {
  const auto parsed = command<EvaluateCommand>("compare old.cpp new.cpp");
  EXPECT_EQ(parsed.options.against, "old.cpp");
  EXPECT_EQ(parsed.options.candidate, "new.cpp");
  EXPECT_EQ(parsed.options.workloads, "all");
  EXPECT_EQ(command<EvaluateCommand>("compare a b --workloads gate").options.workloads, "gate");
}

TEST(ParseTest, ACertificateIsWrittenAndChecked) {
  const auto plain = command<CertificateCommand>("certificate tune --output proof");
  EXPECT_EQ(plain.campaign, "tune");
  EXPECT_EQ(plain.output, "proof");
  EXPECT_EQ(plain.candidate, std::nullopt);
  EXPECT_EQ(command<CertificateCommand>("certificate tune -o proof --candidate 3").candidate, 3);
  const auto check = command<VerifyCertificateCommand>("verify-certificate proof");
  EXPECT_EQ(check.path, "proof");
  EXPECT_EQ(check.against, "");
  EXPECT_EQ(command<VerifyCertificateCommand>("verify-certificate proof --against .assay").against, ".assay");
  for (const char* bad :
       {"certificate tune", "certificate --output x", "certificate tune -o x --candidate 0", "verify-certificate"}) {
    EXPECT_EQ(parse_line(bad).exit_code, 2) << bad;
  }
}

TEST(ParseTest, ValidateNeedsAKnownKind) {
  const auto parsed = command<ValidateCommand>("validate --kind trace - --json");
  EXPECT_EQ(parsed.options.kind, service::DocumentKind::trace);
  EXPECT_EQ(parsed.file, "-");
  EXPECT_FALSE(parsed.options.dialect || parsed.options.write_as);
  const auto both = command<ValidateCommand>(
      "validate --kind definition --dialect flashinfer --write-as flashinfer-bench --definition d.json x.json");
  EXPECT_EQ(both.options.dialect, task::Dialect::flashinfer);
  EXPECT_EQ(both.options.write_as, task::Dialect::flashinfer_bench);
  EXPECT_EQ(both.definition, "d.json");
  for (const char* bad : {"validate x.json", "validate --kind nonsense x.json", "validate --kind trace",
                          "validate --kind trace --dialect other x.json"}) {
    EXPECT_EQ(parse_line(bad).exit_code, 2) << bad;
  }
}

TEST(ParseTest, CampaignRunTakesItsNameByPositionOrByOption) {
  EXPECT_EQ(command<CampaignRunCommand>("campaign run tune --tunable t").options.name, "tune");
  const auto parsed = command<CampaignRunCommand>(
      "campaign run --name tune --definition d --baseline b --tunable t --rounds 2 --per-round 5 --policy p "
      "--device simulated:7 --seed 9 --report r.html --also x.cpp y.cpp z.cpp");
  EXPECT_EQ(parsed.options.name, "tune");
  EXPECT_EQ(parsed.options.definition, "d");
  EXPECT_EQ(parsed.options.baseline, "b");
  EXPECT_EQ(parsed.options.tunable, "t");
  EXPECT_THAT(parsed.options.also, ElementsAre("x.cpp", "y.cpp", "z.cpp"));
  EXPECT_EQ(parsed.options.rounds, 2);
  EXPECT_EQ(parsed.options.candidates_per_round, 5);
  EXPECT_EQ(parsed.options.policy, "p");
  EXPECT_EQ(parsed.options.device, "simulated:7");
  EXPECT_EQ(parsed.options.seed, 9U);
  EXPECT_EQ(parsed.report, "r.html");
}

TEST(ParseTest, CampaignNumbersHaveRanges) {
  for (const char* bad :
       {"campaign run tune --rounds -1", "campaign run tune --rounds 100000", "campaign run tune --per-round 0",
        "campaign run tune --rounds two", "campaign run", "campaign run tune --seed -3"}) {
    const Parsed parsed = parse_line(bad);
    EXPECT_EQ(parsed.exit_code, 2) << bad;
    EXPECT_FALSE(parsed.arguments) << bad;
    EXPECT_THAT(parsed.text, HasSubstr("assay: ")) << bad;
  }
}

TEST(ParseTest, ACampaignTakesAnAgentAndItsBudget) {
  const auto parsed = command<CampaignRunCommand>(
      "campaign run night --agent claude --agent-model m --run-minutes 7 --run-dollars 0.5 --run-tokens 9 "
      "--budget-dollars 3.5");
  const service::AgentOptions& agent = parsed.options.agent;
  EXPECT_EQ(agent.word, "claude");
  EXPECT_EQ(agent.model, "m");
  EXPECT_EQ(agent.minutes, 7);
  EXPECT_EQ(agent.dollars, 0.5);
  EXPECT_EQ(agent.tokens, 9);
  EXPECT_EQ(agent.budget_dollars, 3.5);
  EXPECT_FALSE(agent.budget_tokens);
  EXPECT_EQ(parse_line("campaign run night --agent claude --budget-dollars -1").exit_code, 2);
  EXPECT_EQ(parse_line("campaign run night --agent claude --run-minutes 0").exit_code, 2);
}

TEST(ParseTest, AResumedCampaignTakesLargerLimits) {
  const auto resume = command<CampaignResumeCommand>(
      "campaign resume night --budget-dollars 80 --budget-tokens 9 --budget-device-seconds 60 --budget-minutes 5 "
      "--budget-human-minutes 2 --by Ada");
  EXPECT_EQ(resume.raised.dollars, 80);
  EXPECT_EQ(resume.raised.tokens, 9);
  EXPECT_EQ(resume.raised.device_seconds, 60);
  EXPECT_EQ(resume.raised.minutes, 5);
  EXPECT_EQ(resume.raised.human_minutes, 2);
  EXPECT_EQ(resume.raised.by, "Ada");
  EXPECT_FALSE(command<CampaignResumeCommand>("campaign resume night").raised.dollars);
  EXPECT_EQ(command<CampaignRunCommand>("campaign run night --budget-minutes 5 --by Ada").options.by, "Ada");
  EXPECT_EQ(parse_line("campaign resume night --budget-dollars -1").exit_code, 2);
}

TEST(ParseTest, ACampaignTakesThreeRoles) {
  const auto parsed = command<CampaignRunCommand>(
      "campaign run night --full-agent --agent codex --planner claude --summariser command:s");
  EXPECT_TRUE(parsed.options.agent.full_agent);
  EXPECT_EQ(parsed.options.agent.planner, "claude");
  EXPECT_EQ(parsed.options.agent.summariser, "command:s");
  EXPECT_FALSE(command<CampaignRunCommand>("campaign run night --agent codex").options.agent.full_agent);
}

TEST(ParseTest, TwoCampaignsAreCompared) {
  const auto parsed = command<CampaignCompareCommand>("campaign compare a b --output c.html");
  EXPECT_EQ(parsed.first, "a");
  EXPECT_EQ(parsed.second, "b");
  EXPECT_EQ(parsed.output, "c.html");
  EXPECT_EQ(parse_line("campaign compare a").exit_code, 2);
}

TEST(ParseTest, TheOtherCommands) {
  EXPECT_EQ(command<CampaignResumeCommand>("campaign resume tune").name, "tune");
  EXPECT_EQ(command<CampaignStatusCommand>("campaign status").name, "");
  EXPECT_EQ(command<CampaignStatusCommand>("campaign status tune").name, "tune");
  EXPECT_EQ(command<CandidatesCommand>("candidates --campaign tune").campaign, "tune");
  EXPECT_EQ(command<PolicyExplainCommand>("policy explain release").policy, "release");
  EXPECT_EQ(parse_line("policy explain").exit_code, 2);
  EXPECT_EQ(command<ReportCommand>("report tune --output r.html").output, "r.html");
  EXPECT_EQ(command<ExportCommand>("export tune -o out").output, "out");
  EXPECT_EQ(command<ArchiveCommand>("archive verify").action, ArchiveCommand::Action::verify);
  EXPECT_EQ(command<ArchiveCommand>("archive gc").action, ArchiveCommand::Action::gc);
  EXPECT_EQ(command<ArchiveCommand>("archive stats --json").action, ArchiveCommand::Action::stats);
  EXPECT_EQ(command<ArchiveFailuresCommand>("archive failures").definition, "");
  EXPECT_EQ(command<ArchiveFailuresCommand>("archive failures --definition d --json").definition, "d");
  command<DoctorCommand>("doctor --json");
}

TEST(ParseTest, AgentParseNeedsToKnowWhoWroteTheStream) {
  const auto parsed = command<AgentParseCommand>("agent parse --as claude b.jsonl --after a.jsonl --exit-code 143");
  EXPECT_EQ(parsed.options.dialect, agent::Dialect::claude);
  EXPECT_EQ(parsed.options.file, "b.jsonl");
  EXPECT_EQ(parsed.options.after, "a.jsonl");
  EXPECT_EQ(parsed.options.exit_code, 143);
  EXPECT_FALSE(command<AgentParseCommand>("agent parse --as codex a.jsonl").options.exit_code);
  for (const char* bad : {"agent", "agent parse a.jsonl", "agent parse --as gemini a.jsonl", "agent parse --as codex",
                          "agent parse --as codex a.jsonl --exit-code 300"}) {
    EXPECT_EQ(parse_line(bad).exit_code, 2) << bad;
  }
}

TEST(ParseTest, DatasetCheckTakesItsFolderByPosition) {
  const Parsed parsed = parse_line("dataset check data --require-blobs");
  ASSERT_TRUE(parsed.arguments) << parsed.text;
  EXPECT_EQ(parsed.arguments->dataset, "data");
  EXPECT_EQ(std::get<DatasetCheckCommand>(parsed.arguments->command).blobs, dataset::BlobDemand::required);
  EXPECT_EQ(command<DatasetCheckCommand>("dataset check").blobs, dataset::BlobDemand::optional);
  EXPECT_EQ(parse_line("dataset check").arguments->dataset, std::nullopt);
  EXPECT_EQ(parse_line("dataset check a b").exit_code, 2);
}

TEST(ParseTest, DatasetMaterialiseHasDefaultsAndTakesEveryOption) {
  const auto plain = command<MaterialiseCommand>("dataset materialise");
  EXPECT_EQ(plain.options.definition, "");
  EXPECT_EQ(plain.options.workload, "");
  EXPECT_EQ(plain.options.seed, 0U);
  EXPECT_EQ(plain.options.output, "");
  EXPECT_EQ(plain.options.existing, service::Existing::keep);
  const auto full = command<MaterialiseCommand>(
      "dataset materialise --dataset data --definition d --workload u --seed 18446744073709551615 --output o --force");
  EXPECT_EQ(full.options.definition, "d");
  EXPECT_EQ(full.options.workload, "u");
  EXPECT_EQ(full.options.seed, 18446744073709551615U);
  EXPECT_EQ(full.options.output, "o");
  EXPECT_EQ(full.options.existing, service::Existing::replace);
  EXPECT_EQ(parse_line("dataset materialise --seed -1").exit_code, 2);
  EXPECT_EQ(parse_line("dataset").exit_code, 2);
}

TEST(ParseTest, ShowPrintsALogOrTheSourceOrEverything) {
  EXPECT_EQ(command<ShowCommand>("show abcd").what, ShowCommand::What::summary);
  EXPECT_EQ(command<ShowCommand>("show abcd --source").what, ShowCommand::What::source);
  const auto log = command<ShowCommand>("show abcd --log candidate-build.log");
  EXPECT_EQ(log.what, ShowCommand::What::log);
  EXPECT_EQ(log.log, "candidate-build.log");
  EXPECT_EQ(parse_line("show abcd --source --log x").exit_code, 2);
}

TEST(ParseTest, ApproveApprovesUnlessItRefuses) {
  const auto yes = command<ApproveCommand>("approve tune --why sound --who me");
  EXPECT_EQ(yes.answer, service::Answer::approve);
  EXPECT_EQ(yes.why, "sound");
  EXPECT_EQ(yes.who, "me");
  EXPECT_EQ(yes.minutes, 0);
  EXPECT_EQ(command<ApproveCommand>("approve tune --minutes 2.5").minutes, 2.5);
  EXPECT_EQ(parse_line("approve tune --minutes -1").exit_code, 2);
  EXPECT_EQ(command<ApproveCommand>("approve tune --refuse").answer, service::Answer::refuse);
}

TEST(ParseTest, TheInboxListsUnlessItAnswers) {
  command<InboxCommand>("inbox");
  const auto answer =
      command<InboxAnswerCommand>("inbox answer t-decision-1 switch_model --value m2 --by Ada --minutes 2.5");
  EXPECT_EQ(answer.id, "t-decision-1");
  EXPECT_EQ(answer.answer.option, "switch_model");
  EXPECT_EQ(answer.answer.value, "m2");
  EXPECT_EQ(answer.answer.minutes, 2.5);
  EXPECT_EQ(parse_line("inbox answer t-decision-1 stop").exit_code, 2) << "whose answer is it?";
  const auto steer = command<SteerCommand>("steer tune words --by Ada --minutes 1");
  EXPECT_EQ(steer.text, "words");
  EXPECT_EQ(steer.by, "Ada");
}

TEST(ParseTest, SupervisionIsOnUnlessItIsLeftOut) {
  EXPECT_TRUE(command<CampaignRunCommand>("campaign run t").options.supervised);
  EXPECT_FALSE(command<CampaignRunCommand>("campaign run t --no-supervisor").options.supervised);
  EXPECT_EQ(command<CampaignRunCommand>("campaign run t --ask-above-sweep-seconds 5").options.ask_above_sweep_seconds,
            5);
}

TEST(ParseTest, FaultsAreBadRequestsThatNameTheFault) {
  for (const char* bad : {"", "nonsense", "evaluate", "evaluate k.cpp --nonsense", "campaign", "archive", "report tune",
                          "compare a", "evaluate k.cpp extra"}) {
    const Parsed parsed = parse_line(bad);
    EXPECT_EQ(parsed.exit_code, 2) << bad;
    EXPECT_FALSE(parsed.arguments) << bad;
    EXPECT_FALSE(parsed.text.empty()) << bad;
  }
  EXPECT_THAT(parse_line("evaluate k.cpp --nonsense").text, HasSubstr("--nonsense"));
}

TEST(ParseTest, BudgetsAreLimitsThatAreNotBelowZero) {
  const auto run = command<CampaignRunCommand>(
      "campaign run c --tunable t --budget-device-seconds 60 --budget-minutes 5 --budget-human-minutes 0.5");
  EXPECT_EQ(run.options.budget_device_seconds, 60);
  EXPECT_EQ(run.options.budget_minutes, 5);
  EXPECT_EQ(run.options.budget_human_minutes, 0.5);
  const auto free = command<CampaignRunCommand>("campaign run c --tunable t");
  EXPECT_FALSE(free.options.budget_device_seconds || free.options.budget_minutes || free.options.budget_human_minutes);
  EXPECT_EQ(parse_line("campaign run c --tunable t --budget-minutes -1").exit_code, 2);
}

TEST(ParseTest, AJournalIsReplayedUnderItsOwnPolicyOrAnother) {
  EXPECT_EQ(command<ReplayJournalCommand>("replay-journal tune").campaign, "tune");
  EXPECT_EQ(command<ReplayJournalCommand>("replay-journal tune").policy, "");
  EXPECT_EQ(command<ReplayJournalCommand>("replay-journal tune --policy p.toml").policy, "p.toml");
  EXPECT_EQ(parse_line("replay-journal").exit_code, 2);
}

TEST(ParseTest, EveryCommandHasHelpWithExamples) {
  for (const char* line : {"",
                           "doctor",
                           "validate",
                           "evaluate",
                           "compare",
                           "campaign",
                           "campaign run",
                           "campaign resume",
                           "campaign status",
                           "candidates",
                           "show",
                           "approve",
                           "policy",
                           "report",
                           "replay-journal",
                           "export",
                           "archive",
                           "archive verify",
                           "archive gc",
                           "archive stats",
                           "dataset",
                           "dataset check",
                           "dataset materialise",
                           "agent",
                           "agent parse",
                           "inbox",
                           "inbox answer",
                           "steer"}) {
    const Parsed parsed = parse_line(std::string(line) + " --help");
    EXPECT_EQ(parsed.exit_code, 0) << line;
    EXPECT_FALSE(parsed.arguments) << line;
    EXPECT_THAT(parsed.text, AllOf(HasSubstr("Examples:"), HasSubstr("assay "))) << line;
  }
}

TEST(ParseTest, HelpTellsTheExitCodesAndTheVersion) {
  EXPECT_THAT(parse_line("--help").text, AllOf(HasSubstr("Exit codes: 0"), HasSubstr("ASSAY_DATASET")));
  const Parsed version = parse_line("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.text, testing::StartsWith("assay "));
}

}  // namespace
}  // namespace assay::cli
