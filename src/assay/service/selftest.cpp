#include <assay/service/selftest.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>

#include <assay/archive/archive.hpp>
#include <assay/base/device_name.hpp>
#include <assay/base/parallel.hpp>
#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/os/file.hpp>
#include <assay/service/judgement.hpp>
#include <assay/service/solutions.hpp>
#include <assay/task/probe.hpp>

namespace assay::service {
namespace {

using Clock = std::chrono::steady_clock;

// Short, so that the whole corpus takes minutes; sure, since "better" would be a false alarm where it says nothing.
task::SessionPlan session_plan(const CorpusEntry& entry, const std::string& device) {
  task::SessionPlan plan;
  plan.minimum_pairs = 2;
  plan.maximum_pairs = 16;  // What two clocks disagree about on a busy machine takes more pairs to be sure of.
  plan.samples_per_pair = entry.samples > 0 ? entry.samples : 6;
  plan.alpha = 0.01;
  plan.minimum_effect = 0.05;
  plan.check_fraction = 0.5;
  // A cheat must be caught by the probe that its file names, which a difficult input might come before.
  plan.stress_trials = entry.kind == EntryKind::hostile ? 0 : 8;
  plan.call_limit = std::chrono::milliseconds(1000);
  plan.load_limit = std::chrono::milliseconds(2000);
  // Those that are about the compiler take a fraction of a second, but for the one that no limit is long enough for.
  plan.build_limit = std::chrono::milliseconds(entry.probe == "build" ? 3000 : 6000);
  plan.worker_memory_bytes = std::uint64_t{1} << 30U;
  const std::optional<base::DeviceName> name = base::parse_device_name(device);
  if (name && name->kind == base::DeviceName::Kind::cuda) {
    // nvcc runs five programs, a GPU's driver takes its time and memory to start, and the first call loads the kernels.
    plan.load_limit = std::chrono::milliseconds(10000);
    plan.build_limit = std::chrono::milliseconds(60000);
    plan.call_limit = std::chrono::milliseconds(3000);
    plan.worker_memory_bytes = std::uint64_t{8} << 30U;
  }
  return plan;
}

double extent_of(const task::Workload& workload) {
  return std::accumulate(workload.axes.begin(), workload.axes.end(), 1.0,
                         [](double size, const auto& axis) { return size * static_cast<double>(axis.second); });
}

std::vector<task::Workload> two_small(std::vector<task::Workload> workloads) {
  std::stable_sort(workloads.begin(), workloads.end(),
                   [](const task::Workload& a, const task::Workload& b) { return extent_of(a) < extent_of(b); });
  std::vector<task::Workload> chosen;
  for (task::Workload& workload : workloads) {
    if (chosen.empty() || (chosen.size() == 1 && extent_of(workload) >= 2 * extent_of(chosen.front()))) {
      chosen.push_back(std::move(workload));
    }
  }
  return chosen;
}

base::Result<std::vector<os::Path>> corpora_of(const Context& context, const SelftestOptions& options) {
  if (!options.corpora.empty()) {
    return options.corpora;
  }
  std::error_code error;
  std::vector<os::Path> found =
      default_corpora(std::filesystem::current_path(error), context.places.judge.parent_path(), options.device);
  if (found.empty()) {
    return base::input_error("corpus.none",
                             "no corpus was found here or beside the programs: name one with --corpus "
                             "DIR (tests/hostile and tests/honest in the sources, for a GPU tests/hostile_cuda and "
                             "tests/honest_cuda)");
  }
  return found;
}

task::EvaluationRequest request_for(const SelftestPlan& plan, const CorpusEntry& entry, std::uint64_t seed,
                                    const task::ProbeSet& disabled) {
  task::EvaluationRequest request;
  request.disabled_probes = disabled;
  request.stage = entry.stage;
  request.device = plan.device;
  request.seed = seed;
  request.definition = plan.definition;
  request.workloads = plan.workloads;
  request.candidate = entry.solution;
  if (entry.stage == task::Stage::gate) {
    request.incumbent = plan.incumbent;
  }
  request.plan = session_plan(entry, plan.device);
  request.plan.clock = plan.timing.method;
  request.plan.cache = plan.timing.cache;
  return request;
}

std::string sandbox_of(const task::Evaluation& evaluation) {
  for (const char* key : {"sandbox_level", "sandbox"}) {
    if (const std::string* level = task::find(evaluation.environment, key)) {
      return *level;
    }
  }
  return "-";
}

SelftestRow judge(const Context& context, archive::Archive& archive, const SelftestPlan& plan, std::size_t index,
                  const task::ProbeSet& disabled = {}) {
  const CorpusEntry& entry = plan.entries[index];
  SelftestRow row;
  row.entry = index;
  row.seed = base::entropy_seed();
  const Clock::time_point start = Clock::now();
  const auto report =
      judge_once(context, archive, request_for(plan, entry, row.seed, disabled), promote::Policy(), Reuse::never);
  row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!report) {
    row.cause = report.error().text();
    return row;
  }
  row.outcome = report->evaluation.outcome;
  row.cause = report->evaluation.cause;
  // Beside a correct outcome findings are told and decide nothing: a busy machine is no effect of a probe.
  const bool decided = !task::is_correct(*row.outcome) && !report->evaluation.findings.empty();
  row.finding = decided ? report->evaluation.findings.front().kind : std::string();
  row.sandbox = sandbox_of(report->evaluation);
  row.agrees = std::find(entry.expected.begin(), entry.expected.end(), *row.outcome) != entry.expected.end();
  return row;
}

// Judges the entry again without the probes that its head names and says whether that made a difference.
Ablation ablate(const Context& context, archive::Archive& archive, const SelftestPlan& plan, const SelftestRow& row) {
  const SelftestRow without = judge(context, archive, plan, row.entry, probes_of(plan.entries[row.entry]));
  Ablation ablation;
  ablation.outcome = without.outcome;
  ablation.cause = without.cause;
  if (without.outcome && row.outcome && task::is_correct(*without.outcome) && !task::is_correct(*row.outcome)) {
    ablation.effect = Effect::escapes;
  } else if (without.outcome && (without.outcome != row.outcome || without.finding != row.finding)) {
    ablation.effect = Effect::changes;
  }
  return ablation;
}

// Compiles into the build cache, on all CPUs, what is then judged one after the other: compilers take most of the time, and
// a measurement wants the machine for itself. Those that are about the compiler stay away. How a build ends does not matter
// here; the judge says it again.
void build_ahead(const Context& context, archive::Archive& archive, const SelftestPlan& plan) {
  const auto folder = os::TemporaryDirectory::create(archive.spool().parent_path(), "ahead-");
  if (!folder) {
    return;
  }
  base::parallel_for(plan.entries.size(), [&](std::size_t index) {
    const CorpusEntry& entry = plan.entries[index];
    if (entry.probe == "build") {
      return;
    }
    task::EvaluationRequest request = request_for(plan, entry, 0, {});
    request.id = fmt::format("ahead-{}", index);
    request.stage = task::Stage::build;
    request.incumbent.reset();
    [[maybe_unused]] const auto bundle = context.make_runner()->run(request, folder->path(), {});
  });
}

// Another order in each run, so that every entry comes after every other one some day.
std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::Philox random(base::entropy_seed(), base::stream_id("selftest"));
  for (std::size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[random.next_below(i)]);
  }
  return order;
}

}  // namespace

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::escapes:
      return "escapes";
    case Effect::changes:
      return "changes";
    case Effect::same:
      return "same";
  }
  return "";
}

std::size_t SelftestReport::disagreements() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const SelftestRow& row) { return !row.agrees; }));
}

base::Result<SelftestPlan> plan_selftest(const Context& context, const SelftestOptions& options) {
  SelftestPlan plan;
  plan.runs = options.runs;
  plan.ablate = options.ablate;
  ASSAY_TRY(check_device(options.device));
  plan.device = options.device;
  task::SessionPlan asked;
  asked.clock = options.clock;
  asked.cache = options.cache;
  ASSAY_TRY(task::check_timing(asked, options.device));
  plan.timing = task::timing_of(asked, options.device);
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  ASSAY_TRY_ASSIGN(plan.definition, resolve_definition(dataset, options.definition));
  ASSAY_TRY_ASSIGN(std::vector<task::Workload> workloads, dataset.workloads(plan.definition.name));
  plan.workloads = two_small(std::move(workloads));
  ASSAY_TRY_ASSIGN(std::optional<task::Solution> incumbent, default_incumbent(dataset, plan.definition, plan.device));
  if (!incumbent) {
    return base::input_error("selftest.baseline",
                             fmt::format("{} has no solution by the author \"baseline\" for {} on {}: name another "
                                         "dataset with --dataset",
                                         dataset.root().string(), plan.definition.name, plan.device));
  }
  plan.incumbent = std::move(*incumbent);
  ASSAY_TRY_ASSIGN(plan.corpora, corpora_of(context, options));
  for (const os::Path& folder : plan.corpora) {
    ASSAY_TRY_ASSIGN(std::vector<CorpusEntry> entries, read_corpus(folder, plan.definition.name));
    for (CorpusEntry& entry : entries) {
      if (!is_for(entry.solution, plan.device)) {
        return base::input_error(
            "selftest.device",
            fmt::format("{}: a candidate in {} does not run on {}: name another device with "
                        "--device, or another folder with --corpus",
                        entry.file.string(), task::to_string(entry.solution.spec.language), plan.device));
      }
      const bool takes_part = !options.ablate || (entry.kind == EntryKind::hostile && !probes_of(entry).empty());
      if (takes_part && entry.name.find(options.only) != std::string::npos) {
        plan.entries.push_back(std::move(entry));
      }
    }
  }
  if (plan.entries.empty()) {
    return base::input_error("selftest.only", fmt::format("no candidate's name contains \"{}\": correct --only",
                                                          base::printable(options.only)));
  }
  return plan;
}

base::Result<SelftestReport> run_selftest(const Context& context, SelftestPlan plan, const SelftestProgress& on_row) {
  const Clock::time_point start = Clock::now();
  // A device that is not there is one error rather than one of each entry, and is found before anything is built.
  ASSAY_TRY(context.fingerprint(plan.device));
  ASSAY_TRY_ASSIGN(archive::Archive archive, archive::Archive::open_writer(context.places.archive));
  SelftestReport report;
  report.plan = std::move(plan);
  if (report.plan.build_ahead) {
    build_ahead(context, archive, report.plan);
  }
  const std::size_t total = report.plan.entries.size() * static_cast<std::size_t>(report.plan.runs);
  for (int run = 1; run <= report.plan.runs; ++run) {
    for (const std::size_t index : shuffled(report.plan.entries.size())) {
      SelftestRow row = judge(context, archive, report.plan, index);
      row.run = run;
      if (report.plan.ablate) {
        row.ablation = ablate(context, archive, report.plan, row);
        // One that did no harm with the probe either, on this machine and today, shows nothing about it.
        const bool harmless = row.outcome && task::is_correct(*row.outcome);
        row.agrees = row.agrees && (harmless || row.ablation->effect != Effect::same);
      }
      report.rows.push_back(std::move(row));
      if (on_row) {
        on_row(report.rows.size(), total, report.rows.back());
      }
    }
  }
  std::sort(report.rows.begin(), report.rows.end(), [](const SelftestRow& a, const SelftestRow& b) {
    return std::pair(a.entry, a.run) < std::pair(b.entry, b.run);
  });
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

base::Json encode(const SelftestReport& report) {
  base::Json rows = base::Json::array();
  for (const SelftestRow& row : report.rows) {
    const CorpusEntry& entry = report.plan.entries[row.entry];
    base::Json expected = base::Json::array();
    for (const task::Outcome outcome : entry.expected) {
      expected.push_back(task::to_string(outcome));
    }
    rows.push_back({{"entry", entry.name},
                    {"kind", to_string(entry.kind)},
                    {"number", entry.number == 0 ? base::Json(nullptr) : base::Json(entry.number)},
                    {"probe", entry.probe},
                    {"run", row.run},
                    {"outcome", row.outcome ? base::Json(task::to_string(*row.outcome)) : base::Json(nullptr)},
                    {"expected", expected},
                    {"agrees", row.agrees},
                    {"cause", row.cause},
                    {"seconds", row.seconds},
                    {"sandbox", row.sandbox},
                    {"seed", row.seed}});
    if (row.ablation) {
      rows.back()["without_probe"] = {
          {"effect", to_string(row.ablation->effect)},
          {"outcome",
           row.ablation->outcome ? base::Json(task::to_string(*row.ablation->outcome)) : base::Json(nullptr)},
          {"cause", row.ablation->cause}};
    }
  }
  return {{"device", report.plan.device},
          {"clock", base::to_string(report.plan.timing.method)},
          {"cache", base::to_string(report.plan.timing.cache)},
          {"entries", report.plan.entries.size()},
          {"runs", report.plan.runs},
          {"evaluations", report.rows.size()},
          {"disagreements", report.disagreements()},
          {"seconds", report.seconds},
          {"rows", rows}};
}

}  // namespace assay::service
