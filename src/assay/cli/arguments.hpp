#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <assay/service/agent_stream.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/check_definition.hpp>
#include <assay/service/dataset_check.hpp>
#include <assay/service/evaluate.hpp>
#include <assay/service/inbox.hpp>
#include <assay/service/materialise.hpp>
#include <assay/service/selftest.hpp>
#include <assay/service/skills.hpp>
#include <assay/service/validate.hpp>

namespace assay::cli {

/// What is printed on stdout.
enum class Format : std::uint8_t { text, json };

struct DoctorCommand {};
struct ValidateCommand {
  service::ValidateOptions options;
  std::string definition;  ///< A file; empty: workloads are held against none.
  std::string file;
};
/// `evaluate` and `compare`: one candidate against an incumbent.
struct EvaluateCommand {
  service::EvaluateOptions options;
};
struct SelftestCommand {
  service::SelftestOptions options;
};
struct CheckDefinitionCommand {
  service::CheckDefinitionOptions options;
};
struct CampaignRunCommand {
  service::CampaignOptions options;
  std::string report;  ///< Empty: in the archive's folder.
};
struct CampaignResumeCommand {
  std::string name;
  std::string report;
  service::RaisedBudget raised = {};
};
struct CampaignStatusCommand {
  std::string name;  ///< Empty: all.
};
struct CampaignCompareCommand {
  std::string first;
  std::string second;
  std::string output;  ///< A file; empty: no page is written.
};
struct CandidatesCommand {
  std::string campaign;   ///< Empty: all candidates of the archive.
  bool imported = false;  ///< What others measured, instead.
};
struct ShowCommand {
  enum class What : std::uint8_t { summary, log, source };
  std::string id;
  What what = What::summary;
  std::string log;
};
struct PolicyExplainCommand {
  std::string policy;  ///< A built-in one, or a file.
};
struct ApproveCommand {
  std::string campaign;
  service::Answer answer = service::Answer::approve;
  std::string who;
  std::string why;
  double minutes = 0;  ///< Of the person's attention.
};
struct ReplayJournalCommand {
  std::string campaign;
  std::string policy;  ///< A built-in one, or a file; empty: the campaign's own.
};
struct InboxCommand {};
struct InboxAnswerCommand {
  std::string id;
  service::InboxAnswer answer;
};
struct SteerCommand {
  std::string campaign;
  std::string text;
  std::string by;
  double minutes = 0;
};
struct ReportCommand {
  std::string campaign;
  std::string output;
};
struct ExportCommand {
  std::string subject;
  std::string output;
};
struct CertificateCommand {
  std::string campaign;
  std::optional<int> candidate;  ///< Absent: the campaign's last promotion.
  std::string output;
};
struct VerifyCertificateCommand {
  std::string path;     ///< The folder, or its certificate.json.
  std::string against;  ///< An archive whose chain must have its links; empty: offline.
};
struct ArchiveCommand {
  enum class Action : std::uint8_t { verify, gc, stats };
  Action action = Action::stats;
};
struct ArchiveFailuresCommand {
  std::string definition;  ///< Empty: of all.
};
struct DatasetCheckCommand {
  dataset::BlobDemand blobs = dataset::BlobDemand::optional;
};
struct ImportCommand {
  std::string path;
};
struct AuditCommand {
  std::string folder;
  std::string page;   ///< A file; empty: none is written.
  std::string title;  ///< Empty: the folder's name.
};
struct MaterialiseCommand {
  service::MaterialiseOptions options;
};
struct AgentParseCommand {
  service::AgentStreamOptions options;
};
struct McpCommand {
  std::string connect;  ///< A socket where the tools are served; empty: this process serves them.
  service::CampaignOptions options;
  bool configured = false;  ///< Options of a campaign were given: it is made, or must be the same.
};
struct SkillsListCommand {
  std::string from;  ///< Empty: ours.
};
struct SkillsLintCommand {
  std::vector<std::string> paths;  ///< Empty: ours.
  std::string root;                ///< Empty: paths are not looked for.
};
struct SkillsInstallCommand {
  service::SkillInstallOptions options;
};

using Command =
    std::variant<DoctorCommand, ValidateCommand, EvaluateCommand, SelftestCommand, CheckDefinitionCommand,
                 CampaignRunCommand, CampaignResumeCommand, CampaignStatusCommand, CandidatesCommand, ShowCommand,
                 PolicyExplainCommand, ApproveCommand, ReportCommand, ExportCommand, ArchiveCommand,
                 ArchiveFailuresCommand, DatasetCheckCommand, MaterialiseCommand, AuditCommand, ImportCommand,
                 CertificateCommand, VerifyCertificateCommand, AgentParseCommand, SkillsListCommand, SkillsLintCommand,
                 SkillsInstallCommand, CampaignCompareCommand, McpCommand, InboxCommand, InboxAnswerCommand,
                 SteerCommand, ReplayJournalCommand>;

/// What a command line asks for.
struct Arguments {
  Command command;
  Format format = Format::text;
  std::optional<std::string> dataset;
  std::optional<std::string> archive;
};

/// Either arguments, or a text to print and an exit code (help and version: 0 and stdout; a fault: 2 and stderr).
struct Parsed {
  std::optional<Arguments> arguments;
  int exit_code = 0;
  std::string text;
};

[[nodiscard]] Parsed parse(int argc, const char* const* argv);

/// Says why `parse` refuses these words, the program's name first, in one line; empty if it takes them.
[[nodiscard]] std::string refusal_of(const std::vector<std::string>& words);

}  // namespace assay::cli
