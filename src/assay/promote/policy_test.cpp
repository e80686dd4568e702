#include <assay/promote/policy.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/os/file.hpp>

namespace assay::promote {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string dump(const Policy& policy) { return base::dump_pretty(encode(policy)); }

std::string policy_file(const std::string& name) {
  const auto text = os::read_file(os::Path(ASSAY_SOURCE_DIR) / "policies" / (name + ".toml"));
  EXPECT_TRUE(text) << text.error().text();
  return text.value_or("");
}

std::string parse_failure(std::string_view toml) {
  const auto policy = parse_policy(toml, "my.toml");
  EXPECT_FALSE(policy) << dump(*policy);
  EXPECT_EQ(policy.error().owner, base::Owner::input);
  return policy.error().message;
}

class BuiltInPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(BuiltInPolicy, IsWhatItsFileSays) {
  const auto parsed = parse_policy(policy_file(GetParam()), GetParam());
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(dump(*parsed), dump(*built_in_policy(GetParam())));
}

TEST_P(BuiltInPolicy, FileNamesEveryFieldAndExplainsIt) {
  const std::string text = policy_file(GetParam());
  const base::Json json = encode(*built_in_policy(GetParam()));
  for (const auto& [section, fields] : json.items()) {
    if (!fields.is_object()) {
      EXPECT_THAT(text, HasSubstr("\n" + section + " = "));
      continue;
    }
    const std::size_t begin = text.find("\n[" + section + "]\n");
    ASSERT_NE(begin, std::string::npos) << section;
    const std::string body = text.substr(begin + 1, text.find("\n[", begin + 1) - begin);
    for (const auto& [field, value] : fields.items()) {
      EXPECT_THAT(body, HasSubstr("\n" + field + " = ")) << section;
    }
  }
  // Each line of [gate] and [guards] has its comment; [sweep] refers to [gate].
  const std::string gate =
      text.substr(text.find("[gate]\n") + 7, text.find("\n\n# The sweep") - text.find("[gate]\n") - 7);
  std::size_t lines = 0;
  for (std::size_t at = 0; at != std::string::npos && at < gate.size(); ++lines) {
    const std::size_t end = gate.find('\n', at);
    EXPECT_THAT(gate.substr(at, end - at), HasSubstr(" # "));
    at = end == std::string::npos ? end : end + 1;
  }
  EXPECT_EQ(lines, json["gate"].size());
}

TEST_P(BuiltInPolicy, SurvivesStorage) {
  const Policy policy = *built_in_policy(GetParam());
  const auto read = decode_policy(encode(policy), "campaign");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(dump(*read), dump(policy));
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInPolicy, ::testing::ValuesIn(built_in_policy_names()));

TEST(PlanOn, AGpuGetsMoreTimedCallsAndNothingElse) {
  const Policy policy = built_in_policy("quick").value();
  EXPECT_EQ(task::encode(plan_on("cpu", policy.gate)), task::encode(policy.gate));
  EXPECT_EQ(task::encode(plan_on("simulated:3", policy.gate)), task::encode(policy.gate));
  task::SessionPlan expected = policy.gate;
  expected.samples_per_pair *= 4;
  EXPECT_EQ(task::encode(plan_on("cuda:1", policy.gate)), task::encode(expected));
}

TEST(Policy, QuickHasTheDocumentedNumbers) {
  const Policy policy = *built_in_policy("quick");
  EXPECT_EQ(policy.gate_workloads, 3);
  EXPECT_EQ(policy.gate.minimum_pairs, 3);
  EXPECT_EQ(policy.gate.maximum_pairs, 5);
  EXPECT_EQ(policy.gate.samples_per_pair, 2);
  EXPECT_DOUBLE_EQ(policy.gate.alpha, 0.05);
  EXPECT_DOUBLE_EQ(policy.gate.minimum_effect, 0.02);
  EXPECT_EQ(policy.sweep.maximum_pairs, 6);
  EXPECT_EQ(policy.sweep.samples_per_pair, 2);
  EXPECT_EQ(policy.approval, Approval::policy);
}

TEST(Policy, TheMinimumSandboxHoldsForGateAndSweepAndIsStoredOnce) {
  EXPECT_EQ(built_in_policy("quick")->gate.minimum_sandbox, base::SandboxLevel::none);
  const auto policy = parse_policy("version = 1\nminimum_sandbox = \"confined\"\n", "p.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  EXPECT_EQ(policy->gate.minimum_sandbox, base::SandboxLevel::confined);
  EXPECT_EQ(policy->sweep.minimum_sandbox, base::SandboxLevel::confined);
  const auto read = decode_policy(encode(*policy), "campaign");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->sweep.minimum_sandbox, base::SandboxLevel::confined);
  EXPECT_EQ(dump(*policy).find("minimum_sandbox"), dump(*policy).rfind("minimum_sandbox"));

  const auto unknown = parse_policy("version = 1\nminimum_sandbox = \"strong\"\n", "p.toml");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("p.toml:2: minimum_sandbox"), std::string::npos) << unknown.error().message;
}

TEST(Policy, ClockAndCacheHoldForGateAndSweepAndAreStoredOnce) {
  const auto policy = parse_policy("version = 1\nclock = \"graph\"\ncache = \"hot\"\n", "my.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  for (const task::SessionPlan* plan : {&policy->gate, &policy->sweep}) {
    EXPECT_EQ(plan->clock, base::TimingMethod::graph);
    EXPECT_EQ(plan->cache, base::CacheState::hot);
  }
  const base::Json json = encode(*policy);
  EXPECT_EQ(json["clock"], "graph");
  EXPECT_EQ(json["cache"], "hot");
  EXPECT_FALSE(json["gate"].contains("clock") || json["sweep"].contains("cache"));
  const auto read = decode_policy(json, "campaign");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->sweep.clock, base::TimingMethod::graph);
  EXPECT_EQ(dump(*read), dump(*policy));
  EXPECT_FALSE(encode(Policy{}).contains("clock")) << "the device's own is not written";
  EXPECT_THAT(parse_failure("version = 1\nclock = \"sundial\"\n"), AllOf(HasSubstr("my.toml:2"), HasSubstr("clock")));
  EXPECT_THAT(parse_failure("version = 1\n[sweep]\nclock = \"graph\"\n"), HasSubstr("clock"))
      << "a gate and a sweep of different clocks could not be told apart later";
  EXPECT_THAT(explain(*policy), AllOf(Contains(HasSubstr("timed by graph")), Contains(HasSubstr("in the caches"))));
}

TEST(Policy, InjectionsAreOffUnlessAskedForAndStoredOnlyThen) {
  EXPECT_FALSE(encode(*built_in_policy("quick")).contains("injections"))
      << "campaigns that were stored before must not differ from themselves";
  for (const char* name : {"standard", "release"}) {
    const Injections injections = built_in_policy(name)->injections;
    EXPECT_GT(injections.null_rate, 0) << name;
    EXPECT_GT(injections.null_sweep_share, 0) << name;
    EXPECT_GT(injections.slower_rate, 0) << name;
  }
  const auto policy = parse_policy("version = 1\n[injections]\nnull_rate = 0.5\n", "my.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  EXPECT_EQ(policy->injections.null_rate, 0.5);
  EXPECT_EQ(policy->injections.slower_rate, 0);
  base::Json json = encode(*policy);
  EXPECT_EQ(dump(*decode_policy(json, "campaign")), dump(*policy));
  json["injections"].erase("slower_rate");
  EXPECT_FALSE(decode_policy(json, "campaign"));
  EXPECT_THAT(parse_failure("version = 1\n[injections]\nnull_rate = 1.5\n"),
              AllOf(HasSubstr("my.toml:3: injections.null_rate is 1.5"), HasSubstr("between 0 and 1")));
  EXPECT_THAT(parse_failure("version = 1\n[injections]\nnull = 1\n"), HasSubstr("my.toml:3: injections.null"));
}

TEST(Policy, StandardIsStricterEverywhere) {
  const Policy quick = *built_in_policy("quick");
  const Policy standard = *built_in_policy("standard");
  EXPECT_LT(standard.sweep.alpha, quick.sweep.alpha);
  EXPECT_LT(standard.sweep.minimum_effect, quick.sweep.minimum_effect);
  EXPECT_LT(standard.sweep.maximum_regression, quick.sweep.maximum_regression);
  EXPECT_LT(standard.maximum_p95_regression, quick.maximum_p95_regression);
  EXPECT_GT(standard.gate_workloads, quick.gate_workloads);
  EXPECT_TRUE(standard.gate.self_comparison && standard.sweep.self_comparison);
  EXPECT_FALSE(quick.gate.self_comparison || quick.sweep.self_comparison) << "its verdict takes a second";
  EXPECT_EQ(standard.approval, Approval::person);
}

TEST(Policy, ReleaseIsStricterStillAndStandardAndReleaseSweepByEvidence) {
  const Policy standard = *built_in_policy("standard");
  const Policy release = *built_in_policy("release");
  EXPECT_LE(release.sweep.alpha, standard.sweep.alpha);
  EXPECT_LT(release.sweep.minimum_effect, standard.sweep.minimum_effect);
  EXPECT_LT(release.sweep.maximum_regression, standard.sweep.maximum_regression);
  EXPECT_GT(release.sweep.maximum_pairs, standard.sweep.maximum_pairs);
  EXPECT_EQ(release.sweep.test, task::PairedTest::evidence);
  EXPECT_EQ(standard.sweep.test, task::PairedTest::evidence);
  EXPECT_EQ(standard.gate.test, task::PairedTest::student_t);
}

TEST(Policy, OfAnotherNameIsNotBuiltIn) { EXPECT_FALSE(built_in_policy("Quick")); }

TEST(PolicyToml, LeavesWhatIsMissingAtItsDefault) {
  const auto policy = parse_policy("version = 1\nname = \"mine\"\n[gate]\nalpha = 0.1\n", "my.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  Policy expected;
  expected.name = "mine";
  expected.gate.alpha = 0.1;
  EXPECT_EQ(dump(*policy), dump(expected));
}

TEST(PolicyToml, TakesWholeNumbersWhereRealOnesAreMeant) {
  const auto policy = parse_policy("version = 1\n[guards]\nmaximum_mean_regression = 1\n", "my.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  EXPECT_EQ(policy->maximum_mean_regression, 1.0);
}

struct BadToml {
  std::string name;
  std::string toml;
  std::vector<std::string> says;
};

TEST(PolicyToml, CommentsMayHoldAnyCharacter) {
  for (const char* const line :
       {"# \xc3\xa9", "name = \"x#y\" # \xc3\xa9", "name = 'it\\' # \xc3\xa9", "name = 'x' # \"\xc3\xa9",
        "name = \"\"\"a\n\"b\"\nc\"\"\" # '\xc3\xa9", "# it's \xc3\xa9\nname = \"x\""}) {
    const auto policy = parse_policy(std::string(line) + "\nversion = 1\n", "my.toml");
    EXPECT_TRUE(policy) << line << ": " << policy.error().message;
  }
}

class BadPolicy : public ::testing::TestWithParam<BadToml> {};

TEST_P(BadPolicy, IsRefusedWithFileLineAndField) {
  const std::string message = parse_failure(GetParam().toml);
  for (const std::string& part : GetParam().says) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPolicy,
    ::testing::ValuesIn(std::vector<BadToml>{
        {"Syntax", "version = 1\nname = quick\n", {"my.toml:2: ", "not valid TOML"}},
        {"Twice", "version = 1\nversion = 1\n", {"my.toml:2: ", "not valid TOML"}},
        {"ControlCharacter", "version = 1\n[^\x01p]\n", {"my.toml:2: ", "control character"}},
        {"BeyondAscii", "version = 1\nQ\xd2\x8d = 2\n", {"my.toml:2: ", "ASCII"}},
        {"BeyondAsciiAfterANumberSignInAString", "version = 1\n\"a#b\" \xc3\xa9 = 2\n", {"my.toml:2: ", "ASCII"}},
        {"BeyondAsciiAfterAnEscapedQuote", "version = 1\nname = \"a\\\" # \xc3\xa9\"\n", {"my.toml:2: ", "ASCII"}},
        {"BeyondAsciiInALiteralString", "version = 1\nname = 'a\\' \xc3\xa9\n", {"my.toml:2: ", "ASCII"}},
        {"BeyondAsciiInAStringOfLines", "version = 1\nname = \"\"\"a\n# \xc3\xa9\"\"\"\n", {"my.toml:3: ", "ASCII"}},
        {"TableWithoutName", "version = 1\n[.gate]\n", {"my.toml", "not valid TOML"}},
        {"TableOfNothing", "version = 1\n[\n", {"my.toml", "not valid TOML"}},
        {"NoVersion", "name = \"x\"\n", {"my.toml:1: version is missing"}},
        {"Newer", "version = 2\n", {"my.toml:1: version is 2", "reads version 1"}},
        {"Unknown", "version = 1\n\n[gate]\nalfa = 0.05\n", {"my.toml:4: gate.alfa ", "did you mean \"alpha\"?"}},
        {"UnknownSection", "version = 1\n[gates]\n", {"my.toml:2: gates ", "did you mean \"gate\"?"}},
        {"WorkloadsOfSweep", "version = 1\n[sweep]\nworkloads = 3\n", {"my.toml:3: sweep.workloads "}},
        {"WrongType",
         "version = 1\n[sweep]\nalpha = \"small\"\n",
         {"my.toml:3: sweep.alpha must be a number", "small"}},
        {"Fraction", "version = 1\n[sweep]\nminimum_pairs = 3.5\n", {"my.toml:3: sweep.minimum_pairs must be"}},
        {"AlphaZero", "version = 1\n[sweep]\nalpha = 0.0\n", {"my.toml:3: sweep.alpha is 0", "between 0 and 1"}},
        {"AlphaOne", "version = 1\n[sweep]\nalpha = 1\n", {"my.toml:3: sweep.alpha is 1"}},
        {"AlphaNan", "version = 1\n[sweep]\nalpha = nan\n", {"my.toml:3: sweep.alpha is nan"}},
        {"OnePair", "version = 1\n[gate]\nminimum_pairs = 1\n", {"my.toml:3: gate.minimum_pairs is 1", "at least 2"}},
        {"FewerThanMinimum",
         "version = 1\n[gate]\nminimum_pairs = 5\nmaximum_pairs = 4\n",
         {"my.toml:4: gate.maximum_pairs is 4 and minimum_pairs is 5"}},
        {"MinimumBeyondDefaultMaximum",
         "version = 1\n[gate]\nminimum_pairs = 9\n",
         {"my.toml:2: gate.maximum_pairs is 8 and minimum_pairs is 9"}},
        {"UnknownTest", "version = 1\n[gate]\ntest = \"z\"\n", {"my.toml:3: gate.test "}},
        {"EvidenceOutOfReach",
         "version = 1\n[gate]\nmaximum_pairs = 5\ntest = \"evidence\"\n",
         {"my.toml:3: gate.maximum_pairs is 5", "allow 6 pairs"}},
        {"Negative",
         "version = 1\n[guards]\nmaximum_p95_regression = -0.1\n",
         {"my.toml:3: guards.maximum_p95_regression"}},
        {"Approval", "version = 1\napproval = \"persons\"\n", {"my.toml:2: approval ", "did you mean \"person\"?"}},
        {"NoTime", "version = 1\n[gate]\ncall_limit_ms = 0\n", {"my.toml:3: gate.call_limit_ms is 0"}},
        {"NoMemory",
         "version = 1\n[gate]\nworker_memory_bytes = 4096\n",
         {"my.toml:3: gate.worker_memory_bytes is 4096"}},
        {"NotATable", "version = 1\ngate = 3\n", {"my.toml:2: gate must be an object"}},
        {"Date",
         "version = 1\nname = 2026-01-01\n[gate]\nalpha = 2026-01-01\n",
         {"my.toml:4: gate.alpha must be a number"}},
        {"Several", "version = 1\nfoo = 1\nbar = 2\n", {"; and 1 more"}},
    }),
    [](const ::testing::TestParamInfo<BadToml>& one) { return one.param.name; });

TEST(PolicyJson, RefusesWhatIsMissingOrUnknown) {
  base::Json json = encode(*built_in_policy("quick"));
  json["sweep"].erase("alpha");
  const auto missing = decode_policy(json, "campaign x");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("campaign x"), HasSubstr("/sweep/alpha"), HasSubstr("missing")));

  json = encode(*built_in_policy("quick"));
  json["guards"]["more"] = 1;
  const auto unknown = decode_policy(json, "campaign x");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("/guards/more"));
}

TEST(ReplayPolicy, BoundsAreByNameThenByOperatorThenForAll) {
  const auto policy = parse_policy(
      "version = 1\n[replay]\ntrials = 3000\nfailure_bound = 0.01\nfailure_bounds = { gdn = 0.002, gdn_small = 1.0 }\n",
      "p.toml");
  ASSERT_TRUE(policy) << policy.error().text();
  task::Definition definition;
  definition.op_type = "moe";
  EXPECT_DOUBLE_EQ(failure_bound(*policy, definition), 0.01);
  definition.op_type = "gdn";
  EXPECT_DOUBLE_EQ(failure_bound(*policy, definition), 0.002);
  definition.name = "gdn_small";
  EXPECT_DOUBLE_EQ(failure_bound(*policy, definition), 1);
  EXPECT_DOUBLE_EQ(failure_bound(*built_in_policy("quick"), definition), 1) << "quick asks for nothing";
  const auto read = decode_policy(encode(*policy), "campaign");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(dump(*read), dump(*policy));
}

TEST(ReplayPolicy, ABoundThatItsTrialsCannotReachIsRefused) {
  const auto refused = [](const std::string& fields) { return parse_failure("version = 1\n[replay]\n" + fields); };
  EXPECT_THAT(refused("trials = 2994\nfailure_bound = 0.001\n"),
              AllOf(HasSubstr("my.toml:4"), HasSubstr("failure_bound"), HasSubstr("2995 clean trials")));
  EXPECT_TRUE(parse_policy("version = 1\n[replay]\ntrials = 2995\nfailure_bound = 0.001\n", "p.toml"));
  EXPECT_THAT(refused("failure_bounds = { gdn = 0.5 }\n"), AllOf(HasSubstr("gdn"), HasSubstr("trials is 0")));
  EXPECT_THAT(refused("failure_bound = 0.0\n"), HasSubstr("failure_bound"));
  EXPECT_THAT(refused("failure_bound = 1.5\n"), HasSubstr("failure_bound"));
  EXPECT_THAT(refused("trials = -1\n"), HasSubstr("trials"));
  EXPECT_THAT(refused("luck = 1\n"), HasSubstr("luck"));
}

TEST(ReplayPolicy, APolicyStoredBeforeAsksForNothing) {
  base::Json json = encode(*built_in_policy("standard"));
  json.erase("replay");
  const auto read = decode_policy(json, "campaign");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->replay.trials, 0);
  EXPECT_DOUBLE_EQ(read->replay.failure_bound, 1);
}

TEST(ExplainPolicy, SaysWhatMustBeKnownOfAWinnerAndWhatThatCosts) {
  EXPECT_THAT(explain(*built_in_policy("quick")), Contains(HasSubstr("No replay")));
  EXPECT_THAT(explain(*built_in_policy("standard")),
              Contains(AllOf(HasSubstr("followed by 1500 trials"), HasSubstr("bounded by 0.25 % (1197 clean trials"),
                             HasSubstr("once for the confirmation"))));
  Policy policy = *built_in_policy("release");
  policy.replay.failure_bounds = {{"gdn", 0.01}, {"moe", 1}};
  EXPECT_THAT(explain(policy),
              Contains(AllOf(HasSubstr("For gdn it is 1 % (299 clean trials"), HasSubstr("For moe none is needed"))));
  for (const std::string& name : built_in_policy_names()) {
    EXPECT_THAT(explain(*built_in_policy(name)),
                Contains(HasSubstr("kept for ever and replayed before anything else")));
  }
}

TEST(ExplainPolicy, SaysItsNumbersAndWhoApproves) {
  const auto sentences = explain(*built_in_policy("quick"));
  EXPECT_THAT(sentences, Contains(AllOf(HasSubstr("3 to 5 process pairs"), HasSubstr("3 representative"))));
  EXPECT_THAT(sentences, Contains(HasSubstr("faster by more than 2 %")));
  EXPECT_THAT(sentences, Contains(HasSubstr("at most 1 gate winner a round")));
  EXPECT_THAT(sentences, Contains(HasSubstr("at once, by policy quick")));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("person"))));
  EXPECT_THAT(explain(*built_in_policy("standard")), Contains(HasSubstr("until a person approves")));
  EXPECT_THAT(explain(*built_in_policy("standard")), Contains(HasSubstr("gate and the sweep also time the incumbent")));
}

TEST(ExplainPolicy, SaysWhatItsTestsLeanOnAndWhatItCosts) {
  const auto quick = explain(*built_in_policy("quick"));
  EXPECT_THAT(quick, Contains(AllOf(HasSubstr("The gate is tested by Student's t"), HasSubstr("3 looks"))));
  EXPECT_THAT(quick, Contains(AllOf(HasSubstr("at most 10 processes and 20 timed calls"), HasSubstr("3 workloads"),
                                    HasSubstr("less probable than 5 %"))));
  EXPECT_THAT(quick, Contains(AllOf(HasSubstr("32 clean trials"), HasSubstr("8.94 %"))));
  const auto release = explain(*built_in_policy("release"));
  EXPECT_THAT(release, Contains(AllOf(HasSubstr("The sweep is tested by evidence"), HasSubstr("at most 0.5 %"),
                                      HasSubstr("fewer than 9 pairs"))));
  EXPECT_THAT(release, Contains(HasSubstr("finds a gain of 0.8 %")));
}

// A release policy with one thing changed, in one text.
std::string explained(const std::function<void(Policy&)>& change) {
  Policy policy = *built_in_policy("release");
  change(policy);
  std::string text;
  for (const std::string& sentence : explain(policy)) {
    EXPECT_EQ(sentence.back(), '.') << sentence;
    text += sentence + "\n";
  }
  return text;
}

// The number between two words of a text.
double number_in(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  const std::size_t begin = at + before.size();
  EXPECT_NE(at, std::string::npos) << before << " in\n" << text;
  const std::size_t end = at == std::string::npos ? at : text.find(after, begin);
  EXPECT_NE(end, std::string::npos) << after << " in\n" << text;
  return end == std::string::npos ? std::numeric_limits<double>::quiet_NaN()
                                  : std::stod(text.substr(begin, end - begin));
}

TEST(ExplainPolicy, SaysWhichStageComparesTheIncumbentWithItself) {
  const auto with = [](bool gate, bool sweep) {
    return explained([&](Policy& policy) {
      policy.gate.self_comparison = gate;
      policy.sweep.self_comparison = sweep;
    });
  };
  EXPECT_THAT(with(true, true), HasSubstr("The gate and the sweep also time the incumbent"));
  EXPECT_THAT(with(true, false), HasSubstr("The gate also times the incumbent"));
  EXPECT_THAT(with(false, true), HasSubstr("The sweep also times the incumbent"));
  EXPECT_THAT(with(false, false), Not(HasSubstr("a copy of itself")));
}

TEST(ExplainPolicy, NamesOnlyWhatThePolicyAsksFor) {
  const std::string plain = explained([](Policy& policy) {
    policy.gate.minimum_sandbox = base::SandboxLevel::none;
    policy.gate.clock = std::nullopt;
    policy.gate.cache = base::CacheState::cold;
    policy.gate.futility = policy.sweep.futility = 0;
    policy.sweep.stress_trials = 0;
  });
  for (const char* unasked : {"sandbox", "are timed by", "in the caches", "ends early", "difficult inputs bound"}) {
    EXPECT_THAT(plain, Not(HasSubstr(unasked)));
  }
  const std::string full = explained([](Policy& policy) {
    policy.gate.minimum_sandbox = base::SandboxLevel::namespaces;
    policy.gate.cache = base::CacheState::hot;
    policy.gate.futility = policy.sweep.futility = 0.125;
    policy.sweep.stress_trials = 299;
    policy.sweeps_per_round = 2;
  });
  EXPECT_THAT(full, AllOf(HasSubstr("level 'namespaces'"), HasSubstr("in the caches"), HasSubstr("than 12.5 %"),
                          HasSubstr("at most 2 gate winners a round")));
  EXPECT_NEAR(number_in(full, "on such inputs by ", " %"), 1, 0.005) << "three hundred clean trials: one percent";
}

TEST(ExplainPolicy, SaysWhatTheRaceTheConfirmationAndTheInjectionsDo) {
  const std::string release = explained([](Policy&) {});
  EXPECT_THAT(release, AllOf(HasSubstr("is outrun, and not swept"), HasSubstr("it is demoted"),
                             HasSubstr("with a chance of 50 %, a copy of the incumbent"), HasSubstr("raises an alarm"),
                             HasSubstr("with a chance of 20 %, the baseline"), HasSubstr("0.7 gates and 0.25 sweeps")));
  const std::string without = explained([](Policy& policy) { policy.injections = {}; });
  EXPECT_THAT(without, AllOf(HasSubstr("No null injections"), Not(HasSubstr("alarm"))));
  const std::string nulls = explained([](Policy& policy) { policy.injections.slower_rate = 0; });
  EXPECT_THAT(nulls, AllOf(HasSubstr("null injection"), Not(HasSubstr("positive control"))));
}

TEST(ExplainPolicy, MorePairsFindSmallerGainsAndTheCapSufficesForWhatItStates) {
  double last = 100;
  for (const int pairs : {16, 32, 64, 128, 256}) {
    const std::string text = explained([&](Policy& policy) {
      policy.sweep.maximum_pairs = pairs;
      policy.sweep.alpha = 0.01;
      policy.sweep.minimum_effect = 0.002;
    });
    const double gain = number_in(text, "a sweep finds a gain of ", " %");
    EXPECT_LT(gain, last) << pairs;
    EXPECT_GT(gain, 0.2) << "nothing at the edge of the effect that matters can be found";
    EXPECT_LE(number_in(text, "sessions, with up to ", " pairs"), pairs);
    last = gain;
  }
}

TEST(ExplainPolicy, TheStatedCostIsThatOfEveryPair) {
  const auto with = [](bool self) {
    return explained([self](Policy& policy) {
      policy.gate.maximum_pairs = 7;
      policy.gate.samples_per_pair = 5;
      policy.gate.self_comparison = self;
      policy.gate_workloads = 4;
    });
  };
  EXPECT_THAT(with(false), HasSubstr("A gate costs at most 14 processes and 70 timed calls on each of 4 workloads"));
  EXPECT_THAT(with(true), AllOf(HasSubstr("A gate costs at most 28 processes and 140 timed calls"),
                                HasSubstr("half of all that for the incumbent against itself")));
}

TEST(ExplainPolicy, AStricterErrorTakesMorePairsToBeShown) {
  const auto least = [](double alpha) {
    return number_in(explained([&](Policy& policy) {
                       policy.gate.test = policy.sweep.test = task::PairedTest::evidence;
                       policy.gate.alpha = policy.sweep.alpha = alpha;
                     }),
                     "is shown by fewer than ", " pairs");
  };
  EXPECT_LT(least(0.1), least(0.01));
  EXPECT_LT(least(0.01), least(1e-4));
  const std::string student = explained([](Policy& policy) {
    policy.gate.test = policy.sweep.test = task::PairedTest::student_t;
    policy.sweep.minimum_pairs = 3;
    policy.sweep.maximum_pairs = 12;
  });
  EXPECT_THAT(student, AllOf(HasSubstr("its error split over the 10 looks"), Not(HasSubstr("evidence"))));
  EXPECT_THAT(student, Not(HasSubstr("e-LOND"))) << "only evidence is spent over a campaign";
}

}  // namespace
}  // namespace assay::promote
