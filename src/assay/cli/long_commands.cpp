#include <assay/cli/long_commands.hpp>

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/cli/interrupt.hpp>
#include <assay/cli/print_admissibility.hpp>
#include <assay/cli/print_dataset.hpp>
#include <assay/cli/print_evaluation.hpp>
#include <assay/cli/print_lists.hpp>
#include <assay/cli/print_selftest.hpp>
#include <assay/cli/progress.hpp>
#include <assay/service/campaign_report.hpp>

namespace assay::cli {

// Runs what compiles nothing and begins no archive: the judge's cache is of no use then. With a progress line.
template <class Use>
std::invoke_result_t<Use, const service::Context&> LongCommands::without_archive(const std::string& prefix,
                                                                                 Use use) const {
  std::error_code error;
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), prefix));
  service::Places places = context().places;
  places.build_cache = folder.path();
  service::Context watched = service::make_context(std::move(places));
  ProgressDisplay display;
  watched.on_progress = [&display](const execute::Progress& p) { display.step(p.done, p.total, p.what); };
  auto result = use(watched);
  display.clear();
  return result;
}

template <class Run>
base::Result<Answer> LongCommands::drive(const std::string& name, const std::string& report, const Run& run) const {
  const InterruptNotice notice(
      fmt::format("assay: interrupted; what was finished is kept. Continue with: assay campaign resume {} --archive {}",
                  base::printable(name), context().places.archive.string()));
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
  ASSAY_TRY_ASSIGN(const auto model, service::campaign_report(context(), name));
  const os::Path file = report.empty() ? context().places.archive / "reports" / (name + ".html") : os::Path(report);
  ASSAY_TRY(service::write_report(model, file));
  base::Json json = service::encode(*status);
  json["report"] = file.string();
  return answer(cli::exit_code(*status), json,
                [&] { return campaign_summary(*status, model) + "report: " + file.string() + "\n"; });
}

base::Result<Answer> LongCommands::operator()(const EvaluateCommand& command) const {
  const InterruptNotice notice("assay: interrupted; nothing was archived: give the same command again");
  ProgressDisplay display;
  service::Context watched = context();
  watched.on_progress = [&display](const execute::Progress& p) { display.step(p.done, p.total, p.what); };
  auto report = service::evaluate(watched, command.options);
  display.clear();
  if (!report) {
    return tl::unexpected(std::move(report.error()));
  }
  return answer(task::is_correct(report->evaluation.outcome) ? 0 : kCandidateFailed, service::encode(*report),
                [&] { return print_evaluation(*report, colour()); });
}

base::Result<Answer> LongCommands::operator()(const CheckDefinitionCommand& command) const {
  const InterruptNotice notice("assay: interrupted; nothing is left of it");
  ASSAY_TRY_ASSIGN(const auto found, without_archive("assay-check-", [&](const service::Context& watched) {
                     return service::check_definition(watched, command.options);
                   }));
  return answer(found.proved() ? 0 : kCandidateFailed, task::encode(found),
                [&] { return print_admissibility(found, colour()); });
}

base::Result<Answer> LongCommands::operator()(const SelftestCommand& command) const {
  const InterruptNotice notice("assay: interrupted; nothing is left of it");
  // Verdicts about the corpus belong in nobody's archive; objects are kept only where a build cache was named.
  std::error_code error;
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(error), "assay-selftest-"));
  service::Places places = context().places;
  const bool named_cache = places.build_cache != places.archive / "build-cache";
  places.archive = folder.path() / "archive";
  if (!named_cache) {
    places.build_cache = folder.path() / "build-cache";
  }
  const service::Context apart = service::make_context(std::move(places));
  ASSAY_TRY_ASSIGN(service::SelftestPlan plan, service::plan_selftest(apart, command.options));
  plan.build_ahead = true;
  ProgressDisplay display;
  display.event(print_plan(plan));
  display.event("Compiling them first, on all CPUs; then one after the other is judged.");
  auto report =
      service::run_selftest(apart, plan, [&](std::size_t done, std::size_t total, const service::SelftestRow& row) {
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

base::Result<Answer> LongCommands::operator()(const CampaignRunCommand& command) const {
  service::CampaignOptions options = command.options;
  options.by = whoever(options.by);
  return drive(options.name, command.report, [&](const service::CampaignProgress& progress) {
    return service::run_campaign(context(), options, progress);
  });
}

base::Result<Answer> LongCommands::operator()(const CampaignResumeCommand& command) const {
  service::RaisedBudget raised = command.raised;
  raised.by = whoever(raised.by);
  return drive(command.name, command.report, [&](const service::CampaignProgress& progress) {
    return service::resume_campaign(context(), command.name, progress, raised);
  });
}

base::Result<Answer> LongCommands::operator()(const MaterialiseCommand& command) const {
  const InterruptNotice notice("assay: interrupted; what was finished is kept: give the same command again");
  ASSAY_TRY_ASSIGN(const auto report, without_archive("assay-materialise-", [&](const service::Context& watched) {
                     return service::materialise(watched, command.options);
                   }));
  return answer(0, service::encode(report), [&] { return print_materialise(report); });
}

}  // namespace assay::cli
