#include <assay/cli/program.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <type_traits>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/cli/interrupt.hpp>
#include <assay/cli/print_admissibility.hpp>
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
#include <assay/cli/print_selftest.hpp>
#include <assay/cli/print_skills.hpp>
#include <assay/cli/progress.hpp>
#include <assay/foreign/marked_search.hpp>
#include <assay/mcp/relay.hpp>
#include <assay/mcp/serve_campaign.hpp>
#include <assay/report/text.hpp>
#include <assay/service/campaign_comparison.hpp>
#include <assay/service/campaign_report.hpp>
#include <assay/service/certificate.hpp>
#include <assay/service/foreign_audit.hpp>
#include <assay/service/import.hpp>
#include <assay/service/journal_replay.hpp>
#include <assay/service/solutions.hpp>

namespace assay::cli {
namespace {

constexpr int kCandidateFailed = 1;
constexpr int kCertificateFailed = 1;
constexpr int kReplayDiffers = 1;
constexpr int kBadRequest = 2;
constexpr int kEnvironmentFailed = 3;
constexpr double kSecondsPerMinute = 60;

report::Colour colour() { return os::wants_colour(STDOUT_FILENO) ? report::Colour::on : report::Colour::off; }

// Who a person is that did not say.
std::string whoever(const std::string& given) {
  const char* user = std::getenv("USER");
  return !given.empty() ? given : user != nullptr ? user : "a person";
}

// Carries out each kind of command; std::visit finds the right one.
class Performer {
 public:
  Performer(const Arguments& arguments, const service::Context& context)
      : json_(arguments.format == Format::json), context_(context) {}

  base::Result<Answer> operator()(const DoctorCommand& /*command*/) const {
    const service::DoctorReport report = service::examine(context_);
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

  base::Result<Answer> operator()(const EvaluateCommand& command) const {
    const InterruptNotice notice("assay: interrupted; nothing was archived: give the same command again");
    ProgressDisplay display;
    service::Context watched = context_;
    watched.on_progress = [&display](const execute::Progress& p) { display.step(p.done, p.total, p.what); };
    auto report = service::evaluate(watched, command.options);
    display.clear();
    if (!report) {
      return tl::unexpected(std::move(report.error()));
    }
    return answer(task::is_correct(report->evaluation.outcome) ? 0 : kCandidateFailed, service::encode(*report),
                  [&] { return print_evaluation(*report, colour()); });
  }

  base::Result<Answer> operator()(const CheckDefinitionCommand& command) const {
    const InterruptNotice notice("assay: interrupted; nothing is left of it");
    auto found = without_archive("assay-check-", [&](const service::Context& context) {
      return service::check_definition(context, command.options);
    });
    if (!found) {
      return tl::unexpected(std::move(found.error()));
    }
    return answer(found->proved() ? 0 : kCandidateFailed, task::encode(*found),
                  [&] { return print_admissibility(*found, colour()); });
  }

  base::Result<Answer> operator()(const SelftestCommand& command) const {
    const InterruptNotice notice("assay: interrupted; nothing is left of it");
    // Verdicts about the corpus belong in nobody's archive; objects are kept only where a build cache was named.
    std::error_code error;
    ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                     os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), "assay-selftest-"));
    service::Places places = context_.places;
    const bool named_cache = places.build_cache != places.archive / "build-cache";
    places.archive = folder.path() / "archive";
    if (!named_cache) {
      places.build_cache = folder.path() / "build-cache";
    }
    const service::Context context = service::make_context(std::move(places));
    ASSAY_TRY_ASSIGN(service::SelftestPlan plan, service::plan_selftest(context, command.options));
    plan.build_ahead = true;
    ProgressDisplay display;
    display.event(print_plan(plan));
    display.event("Compiling them first, on all CPUs; then one after the other is judged.");
    auto report =
        service::run_selftest(context, plan, [&](std::size_t done, std::size_t total, const service::SelftestRow& row) {
          if (!row.agrees) {
            display.event(disagreement_text(plan, row));
          }
          display.step(static_cast<double>(done), static_cast<double>(total), plan.entries[row.entry].name);
        });
    display.clear();
    if (!report) {
      return tl::unexpected(std::move(report.error()));
    }
    return answer(report->disagreements() == 0 ? 0 : kCandidateFailed, service::encode(*report),
                  [&] { return print_selftest(*report, colour()); });
  }

  base::Result<Answer> operator()(const CampaignRunCommand& command) const {
    service::CampaignOptions options = command.options;
    options.by = whoever(options.by);
    return drive(options.name, command.report, [&](const service::CampaignProgress& progress) {
      return service::run_campaign(context_, options, progress);
    });
  }
  base::Result<Answer> operator()(const CampaignResumeCommand& command) const {
    service::RaisedBudget raised = command.raised;
    raised.by = whoever(raised.by);
    return drive(command.name, command.report, [&](const service::CampaignProgress& progress) {
      return service::resume_campaign(context_, command.name, progress, raised);
    });
  }

  base::Result<Answer> operator()(const CampaignStatusCommand& command) const {
    if (command.name.empty()) {
      ASSAY_TRY_ASSIGN(const auto campaigns, service::all_campaigns(context_));
      base::Json json = base::Json::array();
      for (const service::CampaignStatus& status : campaigns) {
        json.push_back(service::encode(status));
      }
      return answer(0, json, [&] { return print_campaigns(campaigns, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto status, service::campaign_status(context_, command.name));
    ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context_, command.name));
    return answer(0, service::encode(status), [&] { return summary(status, model); });
  }

  base::Result<Answer> operator()(const CampaignCompareCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto comparison, service::compare_campaigns(context_, command.first, command.second));
    if (!command.output.empty()) {
      ASSAY_TRY(service::write_comparison(comparison, command.output));
    }
    return answer(0, service::encode(comparison),
                  [&] { return print_campaign_comparison(comparison, command.output, colour()); });
  }

  base::Result<Answer> operator()(const CandidatesCommand& command) const {
    if (command.imported) {
      ASSAY_TRY_ASSIGN(const auto results, service::imported_results(context_, ""));
      return answer(0, service::encode(results), [&] { return print_imported(results, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto candidates, service::list_candidates(context_, command.campaign));
    return answer(0, service::encode(candidates), [&] { return print_candidates(candidates, colour()); });
  }

  base::Result<Answer> operator()(const ShowCommand& command) const {
    if (command.what == ShowCommand::What::log) {
      ASSAY_TRY_ASSIGN(const std::string text, service::show_file(context_, command.id, command.log));
      return answer(0, {{"name", command.log}, {"content", text}}, [&] { return base::printable(text); });
    }
    ASSAY_TRY_ASSIGN(const service::Shown shown, service::show(context_, command.id));
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
                     service::approve_campaign(context_, command.campaign, command.answer, who, command.why,
                                               std::llround(command.minutes * kSecondsPerMinute)));
    return answer(0, service::encode(status), [&] { return fmt::format("recorded; next: {}\n", next_step(status)); });
  }

  base::Result<Answer> operator()(const InboxCommand& /*command*/) const {
    ASSAY_TRY_ASSIGN(const auto items, service::inbox(context_));
    return answer(0, service::encode(items), [&] { return print_inbox(items); });
  }

  base::Result<Answer> operator()(const InboxAnswerCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto said, service::answer_inbox(context_, command.id, command.answer));
    return answer(0, service::encode(said), [&] { return print_said(said); });
  }

  base::Result<Answer> operator()(const SteerCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto said,
                     service::steer_campaign(context_, command.campaign, command.by, command.minutes, command.text));
    return answer(0, service::encode(said), [&] { return print_said(said); });
  }

  base::Result<Answer> operator()(const ReplayJournalCommand& command) const {
    if (!command.policy.empty()) {
      ASSAY_TRY_ASSIGN(const auto other, service::replay_under_policy(context_, command.campaign, command.policy));
      return answer(0, control::encode(other), [&] { return print_policy_replay(other, colour()); });
    }
    ASSAY_TRY_ASSIGN(const auto replay, service::replay_journal(context_, command.campaign));
    return answer(replay.difference ? kReplayDiffers : 0, control::encode(replay),
                  [&] { return print_journal_replay(replay); });
  }

  base::Result<Answer> operator()(const ReportCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context_, command.campaign));
    ASSAY_TRY(service::write_report(model, command.output));
    return answer(0, {{"campaign", command.campaign}, {"report", command.output}},
                  [&] { return "report: " + command.output + "\n"; });
  }

  base::Result<Answer> operator()(const ExportCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto report, service::export_solution(context_, command.subject, command.output));
    return answer(0, service::encode(report), [&] { return print_export(report, command.output); });
  }

  base::Result<Answer> operator()(const CertificateCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto written,
                     service::write_certificate(context_, command.campaign, command.candidate, command.output));
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
        ASSAY_TRY_ASSIGN(const auto report, service::verify_archive(context_));
        return answer(report.problems.empty() ? 0 : kEnvironmentFailed, service::encode(report),
                      [&] { return print_verify(report); });
      }
      case ArchiveCommand::Action::gc: {
        ASSAY_TRY_ASSIGN(const auto report, service::collect_garbage(context_));
        return answer(0, service::encode(report), [&] { return print_collect(report); });
      }
      case ArchiveCommand::Action::stats: {
        ASSAY_TRY_ASSIGN(const auto statistics, service::archive_statistics(context_));
        return answer(0, service::encode(statistics), [&] { return print_statistics(statistics); });
      }
    }
    return base::internal_error("cli.archive", "unknown archive command");
  }

  base::Result<Answer> operator()(const ArchiveFailuresCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto kept, service::failing_inputs(context_, command.definition));
    return answer(0, service::encode(kept), [&] { return print_failures(kept, colour()); });
  }

  base::Result<Answer> operator()(const DatasetCheckCommand& command) const {
    ASSAY_TRY_ASSIGN(const dataset::DatasetCheck check, service::check_dataset(context_, command.blobs));
    return answer(check.exit_code(), service::encode(check), [&] { return print_dataset_check(check, colour()); });
  }

  base::Result<Answer> operator()(const ImportCommand& command) const {
    ASSAY_TRY_ASSIGN(const archive::Import import, service::import_results(context_, command.path));
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
    ASSAY_TRY(mcp::serve_campaign(context_, command.options, command.configured, STDIN_FILENO, STDOUT_FILENO));
    return Answer{};
  }

  base::Result<Answer> operator()(const SkillsListCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto skills, service::list_skills(context_, command.from));
    return answer(0, service::encode_list(skills), [&] { return print_skill_list(skills, colour()); });
  }

  base::Result<Answer> operator()(const SkillsLintCommand& command) const {
    skill::CheckAgainst against;
    against.root = command.root;
    against.refusal = refusal_of;
    ASSAY_TRY_ASSIGN(const auto checked, service::lint_skills(context_, command.paths, against));
    return answer(service::problem_count(checked) == 0 ? 0 : kCandidateFailed, service::encode_lint(checked),
                  [&] { return print_skill_lint(checked); });
  }

  base::Result<Answer> operator()(const SkillsInstallCommand& command) const {
    ASSAY_TRY_ASSIGN(const auto placements, service::install_skills(context_, command.options));
    return answer(0, service::encode(placements), [&] { return print_skill_installation(placements); });
  }

  base::Result<Answer> operator()(const MaterialiseCommand& command) const {
    const InterruptNotice notice("assay: interrupted; what was finished is kept: give the same command again");
    auto report = without_archive("assay-materialise-", [&](const service::Context& context) {
      return service::materialise(context, command.options);
    });
    if (!report) {
      return tl::unexpected(std::move(report.error()));
    }
    return answer(0, service::encode(*report), [&] { return print_materialise(*report); });
  }

 private:
  // Runs what compiles nothing and begins no archive: the judge's cache is of no use then. With a progress line.
  template <class Use>
  std::invoke_result_t<Use, const service::Context&> without_archive(const std::string& prefix, Use use) const {
    std::error_code error;
    ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                     os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), prefix));
    service::Places places = context_.places;
    places.build_cache = folder.path();
    service::Context watched = service::make_context(std::move(places));
    ProgressDisplay display;
    watched.on_progress = [&display](const execute::Progress& p) { display.step(p.done, p.total, p.what); };
    auto result = use(watched);
    display.clear();
    return result;
  }

  template <class Print>
  Answer answer(int exit_code, const base::Json& json, const Print& print) const {
    return {json_ ? base::dump_pretty(json) + "\n" : print(), exit_code};
  }

  template <class Run>
  base::Result<Answer> drive(const std::string& name, const std::string& report, const Run& run) const {
    const InterruptNotice notice(fmt::format(
        "assay: interrupted; what was finished is kept. Continue with: assay campaign resume {} --archive {}",
        base::printable(name), context_.places.archive.string()));
    ProgressDisplay display;
    auto status = run([&display](double done, double total, const std::string& what, bool is_event) {
      if (is_event) {
        display.event(what);
      }
      display.step(done, total, what);
    });
    display.clear();
    if (!status) {
      return tl::unexpected(std::move(status.error()));
    }
    ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context_, name));
    const os::Path file = report.empty() ? context_.places.archive / "reports" / (name + ".html") : os::Path(report);
    ASSAY_TRY(service::write_report(model, file));
    base::Json json = service::encode(*status);
    json["report"] = file.string();
    return answer(cli::exit_code(*status), json,
                  [&] { return summary(*status, model) + "report: " + file.string() + "\n"; });
  }

  static std::string summary(const service::CampaignStatus& status, const report::CampaignReport& model) {
    const std::string next = next_step(status);
    return report::render_text(model, colour()) + (next.empty() ? "" : "next: " + next + "\n");
  }

  bool json_;
  const service::Context& context_;
};

}  // namespace

base::Result<Answer> perform(const Arguments& arguments, const service::Context& context) {
  return std::visit(Performer(arguments, context), arguments.command);
}

int exit_code(const service::CampaignStatus& status) {
  if (status.state.phase == control::Phase::failed) {
    return kCandidateFailed;
  }
  return status.state.alarms().empty() ? 0 : kEnvironmentFailed;
}

}  // namespace assay::cli
