#include <assay/cli/program.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/cli/long_commands.hpp>
#include <assay/cli/print_agent_stream.hpp>
#include <assay/cli/print_audit.hpp>
#include <assay/cli/print_campaign_comparison.hpp>
#include <assay/cli/print_certificate.hpp>
#include <assay/cli/print_dataset.hpp>
#include <assay/cli/print_evaluation.hpp>
#include <assay/cli/print_imported.hpp>
#include <assay/cli/print_inbox.hpp>
#include <assay/cli/print_lists.hpp>
#include <assay/cli/print_replay.hpp>
#include <assay/cli/print_skills.hpp>
#include <assay/foreign/marked_search.hpp>
#include <assay/mcp/relay.hpp>
#include <assay/mcp/serve_campaign.hpp>
#include <assay/service/campaign_comparison.hpp>
#include <assay/service/campaign_report.hpp>
#include <assay/service/certificate.hpp>
#include <assay/service/foreign_audit.hpp>
#include <assay/service/import.hpp>
#include <assay/service/journal_replay.hpp>
#include <assay/service/solutions.hpp>

namespace assay::cli {
namespace {

constexpr double kSecondsPerMinute = 60;

// Carries out each kind of command; std::visit finds the right one.
class Performer : public LongCommands {
 public:
  using LongCommands::LongCommands;
  using LongCommands::operator();

  base::Result<Answer> operator()(const DoctorCommand& /*command*/) const {
    const service::DoctorReport report = service::examine(context());
    return answer(report.healthy() ? 0 : kEnvironmentFailed, service::encode(report),
                  [&] { return print_doctor(report, colour()); });
  }

  base::Result<Answer> operator()(const ValidateCommand& command) const {
    ASSAY_TRY_ASSIGN(const std::string text, service::read_document(command.file));
    service::ValidateOptions options = command.options;
    if (!command.definition.empty()) {
      ASSAY_TRY_ASSIGN(const std::string definition, service::read_document(command.definition));
      ASSAY_TRY_ASSIGN(options.definition, task::load_definition(definition, command.definition));
    }
    const service::Validation validation = service::validate(options, text, command.file);
    return answer(validation.accepted() ? 0 : kBadRequest, service::encode(validation),
                  [&] { return print_validation(validation, command.file); });
  }

  base::Result<Answer> operator()(const CampaignStatusCommand& command) const {
    if (command.name.empty()) {
      ASSAY_TRY_ASSIGN(const auto campaigns, service::all_campaigns(context()));
      base::Json json = base::Json::array();
      for (const service::CampaignStatus& status : campaigns) {
        json.push_back(service::encode(status));
      }
      return answer(0, json, [&] { return print_campaigns(campaigns, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto status, service::campaign_status(context(), command.name));
    ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context(), command.name));
    return answer(0, service::encode(status), [&] { return campaign_summary(status, model); });
  }

  base::Result<Answer> operator()(const CampaignCompareCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto comparison, service::compare_campaigns(context(), command.first, command.second));
    if (!command.output.empty()) {
      ASSAY_TRY(service::write_comparison(comparison, command.output));
    }
    return answer(0, service::encode(comparison),
                  [&] { return print_campaign_comparison(comparison, command.output, colour()); });
  }

  base::Result<Answer> operator()(const CandidatesCommand& command) const {
    if (command.imported) {
      ASSAY_TRY_ASSIGN(const auto results, service::imported_results(context(), ""));
      return answer(0, service::encode(results), [&] { return print_imported(results, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto candidates, service::list_candidates(context(), command.campaign));
    return answer(0, service::encode(candidates), [&] { return print_candidates(candidates, colour()); });
  }

  base::Result<Answer> operator()(const ShowCommand& command) const {
    if (command.what == ShowCommand::What::log) {
      ASSAY_TRY_ASSIGN(const std::string text, service::show_file(context(), command.id, command.log));
      return answer(0, {{"name", command.log}, {"content", text}}, [&] { return base::printable(text); });
    }
    ASSAY_TRY_ASSIGN(const service::Shown shown, service::show(context(), command.id));
    return answer(0, service::encode(shown), [&] {
      return command.what == ShowCommand::What::source
                 ? print_sources(shown)
                 : print_shown(shown, colour()) + print_foreign_results(shown.foreign, colour());
    });
  }

  base::Result<Answer> operator()(const PolicyExplainCommand& command) const {
    ASSAY_TRY_ASSIGN(const promote::Policy policy, service::resolve_policy(command.policy));
    const std::vector<std::string> sentences = promote::explain(policy);
    return answer(0, {{"policy", promote::encode(policy)}, {"sentences", sentences}},
                  [&] { return print_policy(policy.name, sentences); });
  }

  base::Result<Answer> operator()(const ApproveCommand& command) const {
    const std::string who = whoever(command.who);
    ASSAY_TRY_ASSIGN(const auto status,
                     service::approve_campaign(context(), command.campaign, command.answer, who, command.why,
                                               std::llround(command.minutes * kSecondsPerMinute)));
    return answer(0, service::encode(status), [&] { return fmt::format("recorded; next: {}\n", next_step(status)); });
  }

  base::Result<Answer> operator()(const InboxCommand& /*command*/) const {
    ASSAY_TRY_ASSIGN(const auto items, service::inbox(context()));
    return answer(0, service::encode(items), [&] { return print_inbox(items); });
  }

  base::Result<Answer> operator()(const InboxAnswerCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto said, service::answer_inbox(context(), command.id, command.answer));
    return answer(0, service::encode(said), [&] { return print_said(said); });
  }

  base::Result<Answer> operator()(const SteerCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto said,
                     service::steer_campaign(context(), command.campaign, command.by, command.minutes, command.text));
    return answer(0, service::encode(said), [&] { return print_said(said); });
  }

  base::Result<Answer> operator()(const ReplayJournalCommand& command) const {
    if (!command.policy.empty()) {
      ASSAY_TRY_ASSIGN(const auto other, service::replay_under_policy(context(), command.campaign, command.policy));
      return answer(0, control::encode(other), [&] { return print_policy_replay(other, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto replay, service::replay_journal(context(), command.campaign));
    return answer(replay.difference ? kReplayDiffers : 0, control::encode(replay),
                  [&] { return print_journal_replay(replay); });
  }

  base::Result<Answer> operator()(const ReportCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context(), command.campaign));
    ASSAY_TRY(service::write_report(model, command.output));
    return answer(0, {{"campaign", command.campaign}, {"report", command.output}},
                  [&] { return "report: " + command.output + "\n"; });
  }

  base::Result<Answer> operator()(const ExportCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto report, service::export_solution(context(), command.subject, command.output));
    return answer(0, service::encode(report), [&] { return print_export(report, command.output); });
  }

  base::Result<Answer> operator()(const CertificateCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto written,
                     service::write_certificate(context(), command.campaign, command.candidate, command.output));
    return answer(0, certify::encode(written), [&] { return print_certificate(written, command.output); });
  }

  base::Result<Answer> operator()(const VerifyCertificateCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto verification, service::verify_certificate(command.path, command.against));
    return answer(verification.holds() ? 0 : kCertificateFailed, certify::encode(verification),
                  [&] { return print_verification(verification); });
  }

  base::Result<Answer> operator()(const ArchiveCommand& command) const {
    switch (command.action) {
      case ArchiveCommand::Action::verify: {
        ASSAY_TRY_ASSIGN(const auto report, service::verify_archive(context()));
        return answer(report.problems.empty() ? 0 : kEnvironmentFailed, service::encode(report),
                      [&] { return print_verify(report); });
      }
      case ArchiveCommand::Action::gc: {
        ASSAY_TRY_ASSIGN(const auto report, service::collect_garbage(context()));
        return answer(0, service::encode(report), [&] { return print_collect(report); });
      }
      case ArchiveCommand::Action::stats: {
        ASSAY_TRY_ASSIGN(const auto statistics, service::archive_statistics(context()));
        return answer(0, service::encode(statistics), [&] { return print_statistics(statistics); });
      }
    }
    return base::internal_error("cli.archive", "unknown archive command");
  }

  base::Result<Answer> operator()(const ArchiveFailuresCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto kept, service::failing_inputs(context(), command.definition));
    return answer(0, service::encode(kept), [&] { return print_failures(kept, colour()); });
  }

  base::Result<Answer> operator()(const DatasetCheckCommand& command) const {
    ASSAY_TRY_ASSIGN(const dataset::DatasetCheck check, service::check_dataset(context(), command.blobs));
    return answer(check.exit_code(), service::encode(check), [&] { return print_dataset_check(check, colour()); });
  }

  base::Result<Answer> operator()(const ImportCommand& command) const {
    ASSAY_TRY_ASSIGN(const archive::Import import, service::import_results(context(), command.path));
    return answer(0, service::encode(import), [&] { return print_import(import); });
  }

  base::Result<Answer> operator()(const AuditCommand& command) const {
    ASSAY_TRY_ASSIGN(const foreign::Audit audit, service::audit_folder(command.folder));
    if (!command.page.empty()) {
      const os::Path folder = os::Path(command.folder).lexically_normal();
      const os::Path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
      ASSAY_TRY(service::write_audit_page(audit, command.title.empty() ? name.string() : command.title, command.page));
    }
    base::Json json = foreign::encode(audit);
    json["supervisor"] = foreign::encode_marks(audit);
    return answer(0, json, [&] {
      return print_audit(audit, colour()) + (command.page.empty() ? "" : "page: " + command.page + "\n");
    });
  }

  base::Result<Answer> operator()(const AgentParseCommand& command) const {
    ASSAY_TRY_ASSIGN(const agent::StreamSummary summary, service::read_agent_stream(command.options));
    return answer(0, agent::encode(summary), [&] { return print_agent_stream(summary, colour()); });
  }

  // Answers nothing of its own: stdout belongs to the protocol.
  base::Result<Answer> operator()(const McpCommand& command) const {
    if (!command.connect.empty()) {
      ASSAY_TRY(mcp::relay(command.connect, STDIN_FILENO, STDOUT_FILENO));
      return Answer{};
    }
    ASSAY_TRY(mcp::serve_campaign(context(), command.options, command.configured, STDIN_FILENO, STDOUT_FILENO));
    return Answer{};
  }

  base::Result<Answer> operator()(const SkillsListCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto skills, service::list_skills(context(), command.from));
    return answer(0, service::encode_list(skills), [&] { return print_skill_list(skills, colour()); });
  }

  base::Result<Answer> operator()(const SkillsLintCommand& command) const {
    skill::CheckAgainst against;
    against.root = command.root;
    against.refusal = refusal_of;
    ASSAY_TRY_ASSIGN(const auto checked, service::lint_skills(context(), command.paths, against));
    return answer(service::problem_count(checked) == 0 ? 0 : kCandidateFailed, service::encode_lint(checked),
                  [&] { return print_skill_lint(checked); });
  }

  base::Result<Answer> operator()(const SkillsInstallCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto placements, service::install_skills(context(), command.options));
    return answer(0, service::encode(placements), [&] { return print_skill_installation(placements); });
  }
};

}  // namespace

base::Result<Answer> perform(const Arguments& arguments, const service::Context& context) {
  return std::visit(Performer(arguments.format, context), arguments.command);
}

int exit_code(const service::CampaignStatus& status) {
  if (status.state.phase == control::Phase::failed) {
    return kCandidateFailed;
  }
  return status.state.alarms().empty() ? 0 : kEnvironmentFailed;
}

}  // namespace assay::cli
