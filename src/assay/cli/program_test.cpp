#include <assay/cli/program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/dataset/test_blobs.hpp>

namespace assay::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kWorkload = R"({"uuid": "u", "axes": {"n": 1}, "inputs": {}})";

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() : folder_(os::TemporaryDirectory::create(testing::TempDir(), "program-").value()) {
    context_.places.archive = folder_.path() / "archive";
    context_.places.judge = folder_.path() / "assay-judge";
  }

  std::string write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(os::write_file_atomic(folder_.path() / name, text));
    return (folder_.path() / name).string();
  }
  base::Result<Answer> act(Command command, Format format = Format::text) const {
    Arguments arguments;
    arguments.command = std::move(command);
    arguments.format = format;
    return perform(arguments, context_);
  }

  os::TemporaryDirectory folder_;
  service::Context context_;
};

TEST(ExitCode, OfACampaignTellsAFailedBaselineAndAnAlarm) {
  service::CampaignStatus status;
  status.state.phase = control::Phase::finished;
  EXPECT_EQ(exit_code(status), 0);
  status.state.injections.emplace_back().warning = "a known loser was not seen";
  EXPECT_EQ(exit_code(status), 0);
  status.state.injections.front().alarm = "a copy won";
  EXPECT_EQ(exit_code(status), 3);
  status.state.phase = control::Phase::failed;
  EXPECT_EQ(exit_code(status), 1);
}

TEST_F(ProgramTest, ValidateAnswersInTextAndInJson) {
  service::ValidateOptions workload;
  workload.kind = service::DocumentKind::workload;
  const ValidateCommand good{workload, "", write("w.json", kWorkload)};
  const auto text = act(good);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(text->exit_code, 0);
  EXPECT_THAT(text->text, HasSubstr("w.json: accepted"));
  const auto json = act(good, Format::json);
  EXPECT_EQ(base::Json::parse(json->text)["accept"], true);

  const ValidateCommand bad{workload, "", write("bad.json", R"({"uuid": 3)")};
  EXPECT_EQ(act(bad)->exit_code, 2);
  const auto refused = act(bad, Format::json);
  EXPECT_EQ(refused->exit_code, 2);
  EXPECT_EQ(base::Json::parse(refused->text)["accept"], false);
  EXPECT_TRUE(base::Json::parse(refused->text)["normalized"].is_null());
}

TEST_F(ProgramTest, ValidateHoldsWorkloadsToAGivenDefinition) {
  const std::string definition = R"json({"name": "d", "op_type": "o", "axes": {"n": {"type": "var"}},
    "inputs": {}, "outputs": {}, "reference": "def run():\n    pass\n", "constraints": ["n > 1000000"]})json";
  service::ValidateOptions options;
  options.kind = service::DocumentKind::workload;
  const std::string workload = write("n.json", R"({"uuid": "u", "axes": {"n": 1}, "inputs": {}})");
  const auto answer = act(ValidateCommand{options, write("d.json", definition), workload});
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->exit_code, 0);
  EXPECT_THAT(answer->text,
              HasSubstr("note: (whole document): the constraint \"n > 1000000\" does not hold with n = 1"));
  const auto broken = act(ValidateCommand{options, write("no.json", "{}"), workload});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("no.json"));
}

TEST_F(ProgramTest, PolicyExplainTakesANameOrAFile) {
  const auto built_in = act(PolicyExplainCommand{"release"});
  ASSERT_TRUE(built_in) << built_in.error().text();
  EXPECT_THAT(built_in->text, StartsWith("policy release\n  - Gate: up to 8 representative workloads"));
  const auto file = act(PolicyExplainCommand{write("mine.toml", "version = 1\nname = \"mine\"\n")}, Format::json);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(base::Json::parse(file->text)["policy"]["name"], "mine");
  EXPECT_FALSE(base::Json::parse(file->text)["sentences"].empty());
  EXPECT_EQ(act(PolicyExplainCommand{"no-such"}).error().owner, base::Owner::input);
}

TEST_F(ProgramTest, AMissingFileIsAnErrorOfTheRequest) {
  const auto answer = act(ValidateCommand{{}, "", "/no/such/file"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(base::exit_code(answer.error().owner), 2);
}

TEST_F(ProgramTest, DoctorExitsWithThreeWithoutOurPrograms) {
  const auto answer = act(DoctorCommand{}, Format::json);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->exit_code, 3);
  EXPECT_EQ(base::Json::parse(answer->text)["healthy"], false);
  EXPECT_THAT(act(DoctorCommand{})->text, HasSubstr("assay-judge"));
}

TEST_F(ProgramTest, WithoutAnArchiveEveryReaderSaysSo) {
  const std::vector<Command> readers = {CandidatesCommand{},
                                        CampaignStatusCommand{},
                                        CampaignStatusCommand{"x"},
                                        CampaignCompareCommand{"x", "y", ""},
                                        ShowCommand{"abcd", {}, {}},
                                        ReportCommand{"x", "r.html"},
                                        ReplayJournalCommand{"x", ""},
                                        ReplayJournalCommand{"x", "quick"},
                                        ExportCommand{"x", "out"},
                                        CertificateCommand{"x", std::nullopt, "out"},
                                        CampaignResumeCommand{"x", ""},
                                        ApproveCommand{"x", service::Answer::approve, "", ""},
                                        ArchiveCommand{ArchiveCommand::Action::verify},
                                        ArchiveCommand{ArchiveCommand::Action::gc},
                                        ArchiveCommand{ArchiveCommand::Action::stats},
                                        ArchiveFailuresCommand{}};
  for (const Command& command : readers) {
    const auto answer = act(command);
    ASSERT_FALSE(answer) << command.index();
    EXPECT_EQ(answer.error().owner, base::Owner::input) << command.index() << ": " << answer.error().text();
  }
  EXPECT_FALSE(std::filesystem::exists(context_.places.archive));
}

TEST_F(ProgramTest, AnEmptyArchiveHasNothingToShow) {
  ASSERT_TRUE(archive::Archive::open_writer(context_.places.archive));
  EXPECT_EQ(act(CandidatesCommand{})->text, "no candidates yet\n");
  EXPECT_EQ(act(CandidatesCommand{}, Format::json)->text, "[]\n");
  EXPECT_THAT(act(CampaignStatusCommand{})->text, StartsWith("no campaigns yet"));
  EXPECT_THAT(act(ArchiveCommand{ArchiveCommand::Action::verify})->text, HasSubstr("all sound"));
  EXPECT_THAT(act(ArchiveCommand{ArchiveCommand::Action::gc})->text, StartsWith("removed 0 blobs"));
  EXPECT_EQ(base::Json::parse(act(ArchiveCommand{}, Format::json)->text)["evaluations"], 0);
  EXPECT_THAT(act(ArchiveFailuresCommand{})->text, HasSubstr("no failing input is kept"));
  EXPECT_EQ(act(ArchiveFailuresCommand{}, Format::json)->text, "[]\n");
}

TEST_F(ProgramTest, VerifyCertificateEndsWithOneWhereSomethingDiffersAndTwoWhereThereIsNone) {
  const auto missing = act(VerifyCertificateCommand{folder_.path().string(), ""});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::input);
  write("certificate.json", "{}");
  EXPECT_EQ(act(VerifyCertificateCommand{folder_.path().string(), ""}).error().code, "certificate.version");
  write("certificate.json", R"({"version": 1})");
  const auto refused = act(VerifyCertificateCommand{folder_.path().string(), ""});
  ASSERT_TRUE(refused) << refused.error().text();
  EXPECT_EQ(refused->exit_code, 1);
  EXPECT_THAT(refused->text, StartsWith("REFUSED: "));
  const auto json = act(VerifyCertificateCommand{folder_.path().string(), ""}, Format::json);
  EXPECT_EQ(base::Json::parse(json->text)["holds"], false);
}

TEST_F(ProgramTest, DatasetCheckEndsWithWhoIsToBlame) {
  const dataset::testing::BlobDataset folder;
  context_.places.dataset = folder.path();
  const auto sound = act(DatasetCheckCommand{});
  ASSERT_TRUE(sound) << sound.error().text();
  EXPECT_EQ(sound->exit_code, 0);
  EXPECT_THAT(sound->text, HasSubstr("all sound"));
  const auto lacking = act(DatasetCheckCommand{dataset::BlobDemand::required}, Format::json);
  EXPECT_EQ(lacking->exit_code, 2);
  EXPECT_EQ(base::Json::parse(lacking->text)["sound"], false);
  context_.places.dataset = folder.path("nowhere");
  EXPECT_EQ(act(DatasetCheckCommand{}).error().code, "dataset.not_found");
}

TEST_F(ProgramTest, MaterialiseWithoutAJudgeIsTheEnvironmentsFaultAndMakesNoArchive) {
  const dataset::testing::BlobDataset folder;
  context_.places.dataset = folder.path();
  const auto answer = act(MaterialiseCommand{});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().owner, base::Owner::environment);
  EXPECT_THAT(answer.error().text(), HasSubstr("assay-judge"));
  EXPECT_FALSE(std::filesystem::exists(context_.places.archive));
}

TEST_F(ProgramTest, EvaluateWithoutADatasetIsABadRequest) {
  EvaluateCommand command;
  command.options.candidate = write("k.cpp", "ASSAY_KERNEL(run) { return 0; }");
  const auto answer = act(command);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("--dataset"));
}

TEST(RunTest, PrintsHelpAndFaultsAndReturnsTheirCodes) {
  const char* help[] = {"assay", "--help"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(2, help), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("Examples:"));
  const char* wrong[] = {"assay", "nonsense"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(2, wrong), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), StartsWith("assay: "));
}

TEST(RunTest, ErrorsGoToStderrAndWithJsonAlsoToStdout) {
  const char* plain[] = {"assay", "validate", "--kind", "trace", "/no/such/file"};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(5, plain), 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/no/such/file"));
  const char* json[] = {"assay", "validate", "--kind", "trace", "/no/such/file", "--json"};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(6, json), 2);
  const base::Json error = base::Json::parse(testing::internal::GetCapturedStdout());
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(error["error"]["owner"], "input");
  EXPECT_THAT(error["error"]["message"].get<std::string>(), HasSubstr("/no/such/file"));
}

TEST_F(ProgramTest, AuditAnswersInTextAndInJsonAndWritesAPage) {
  const std::string page = (folder_.path() / "audit.html").string();
  const AuditCommand command{ASSAY_SOURCE_DIR "/tests/data/traces", page, ""};
  const auto text = act(command);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(text->exit_code, 0);
  EXPECT_THAT(text->text,
              HasSubstr("39 promotions: 2 the same code, 5 slower, 18 inside the noise, 1 suspect environment, "
                        "13 plausible."));
  const auto written = os::read_file(page);
  ASSERT_TRUE(written);
  EXPECT_THAT(*written, HasSubstr("<title>traces – Assay audit</title>"));
  const auto json = base::Json::parse(act(AuditCommand{command.folder, "", ""}, Format::json)->text);
  EXPECT_EQ(json.size(), 6U);
  EXPECT_TRUE(json.contains("repeats") && json.contains("supervisor"));
  EXPECT_EQ(json["promotions"].size(), 39U);
  const auto missing = act(AuditCommand{folder_.path().string(), "", ""});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::input);
}

}  // namespace
}  // namespace assay::cli
