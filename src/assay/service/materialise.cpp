#include <assay/service/materialise.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/archive/bundle.hpp>
#include <assay/base/json.hpp>
#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/service/solutions.hpp>
#include <assay/task/blob_file.hpp>
#include <assay/task/bundle.hpp>
#include <assay/task/codec.hpp>

namespace assay::service {
namespace {

// One request to the judge: a workload with its files.
struct Job {
  const task::Definition* definition = nullptr;
  task::Workload workload;
  std::vector<task::BlobFile> files;
  std::uint64_t bytes = 0;  ///< Of the tensors; the headers are small.
};

struct Plan {
  std::vector<task::Definition> definitions;
  std::vector<Job> jobs;
  std::size_t kept = 0;
  std::uint64_t bytes = 0;
};

bool is_taken(const os::Path& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found;
}

base::Result<std::uint64_t> tensor_bytes(const task::Definition& definition, const task::Workload& workload,
                                         const std::vector<task::BlobFile>& files) {
  ASSAY_TRY_ASSIGN(const task::AxisValues axes, task::resolve_axes(definition, workload.axes));
  std::uint64_t bytes = 0;
  for (const task::BlobFile& file : files) {
    for (const std::string& input : file.inputs) {
      const task::TensorSpec* spec = task::find(definition.inputs, input);
      ASSAY_CHECK(spec != nullptr);
      ASSAY_TRY_ASSIGN(const tensor::Shape shape, task::resolve_shape(*spec, axes));
      bytes += tensor::byte_size(spec->dtype, tensor::element_count(shape));
    }
  }
  return bytes;
}

class Planner {
 public:
  Planner(const dataset::Dataset& dataset, const MaterialiseOptions& options, const os::Path& folder)
      : dataset_(dataset), options_(options), folder_(folder) {}

  base::Result<Plan> run() {
    std::vector<std::string> names;
    if (options_.definition.empty()) {
      names = dataset_.definition_names();
    } else {
      ASSAY_TRY_ASSIGN(const task::Definition named, resolve_definition(dataset_, options_.definition));
      names = {named.name};
    }
    plan_.definitions.reserve(names.size());  // Jobs point into it.
    std::vector<Job> all;
    for (const std::string& name : names) {
      ASSAY_TRY_ASSIGN(plan_.definitions.emplace_back(), dataset_.definition(name));
      const task::Definition& definition = plan_.definitions.back();
      ASSAY_TRY_ASSIGN(dataset::WorkloadFile file, dataset_.workload_file(name));
      for (const base::Error& problem : file.problems) {
        if (!is_to_be_replaced(problem)) {
          return tl::unexpected(problem);
        }
      }
      for (auto& [workload, line, lengths] : file.workloads) {
        std::vector<task::BlobFile> files = task::blob_files(workload);
        for (const task::BlobFile& blob : files) {
          ASSAY_TRY(claim(workload, blob));
        }
        if (!files.empty()) {
          all.push_back({&definition, std::move(workload), std::move(files), 0});
        }
      }
    }
    if (all.empty()) {
      return base::input_error(
          "materialise.nothing",
          fmt::format("no workload of {} names a safetensors file: there is nothing to write",
                      options_.definition.empty() ? dataset_.root().string() : options_.definition));
    }
    ASSAY_TRY(keep_chosen(all));
    for (Job& job : all) {
      ASSAY_TRY(add_job(std::move(job)));
    }
    return std::move(plan_);
  }

 private:
  // A bad file does not stand in the way of a better one.
  [[nodiscard]] bool is_to_be_replaced(const base::Error& problem) const {
    return options_.existing == Existing::replace && problem.code.starts_with("blob.") && problem.code != "blob.path";
  }

  // Leaves the workloads that were asked for.
  base::Result<void> keep_chosen(std::vector<Job>& jobs) const {
    const std::string& wanted = options_.workload;
    if (wanted.empty()) {
      return {};
    }
    const bool exact =
        std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.workload.uuid == wanted; });
    std::erase_if(jobs, [&](const Job& job) {
      return exact ? job.workload.uuid != wanted : !job.workload.uuid.starts_with(wanted);
    });
    if (jobs.empty()) {
      return base::input_error(
          "workload.unknown", fmt::format("{} has no workload \"{}\" that names a safetensors file: give a uuid of its "
                                          "workloads/",
                                          dataset_.root().string(), base::printable(wanted)));
    }
    if (!exact && jobs.size() > 1) {
      return base::input_error("workload.ambiguous",
                               fmt::format("workload \"{}\" could be {} or {}: give more of it",
                                           base::printable(wanted), jobs[0].workload.uuid, jobs[1].workload.uuid));
    }
    return {};
  }

  // Every file has one owner: two workloads would write different contents.
  base::Result<void> claim(const task::Workload& workload, const task::BlobFile& file) {
    const std::string& first = file.inputs.front();
    const task::SafetensorsInput& place = task::blob_place(workload, first);
    const std::string pointer = fmt::format("workload {}: /inputs/{}/path", workload.uuid, base::pointer_token(first));
    if (const auto fault = task::blob_path_fault(place.path)) {
      return base::input_error("blob.path", fmt::format("{}: {}: \"{}\" {}", dataset_.root().string(), pointer,
                                                        base::printable(place.path), *fault));
    }
    const auto [owner, added] = owners_.emplace(file.path, workload.uuid);
    if (!added) {
      return base::input_error(
          "materialise.shared",
          fmt::format("{}: {}: \"{}\" is a file of workload {} too: generated contents belong to "
                      "one workload; give each its own file",
                      dataset_.root().string(), pointer, base::printable(file.path), owner->second));
    }
    return {};
  }

  base::Result<void> add_job(Job job) {
    const auto there = static_cast<std::size_t>(std::count_if(
        job.files.begin(), job.files.end(), [&](const task::BlobFile& file) { return is_taken(folder_ / file.path); }));
    // A workload's files belong together, so it is generated if one is missing; those that are there stay.
    if (options_.existing == Existing::keep) {
      plan_.kept += there;
      if (there == job.files.size()) {
        return {};
      }
    }
    ASSAY_TRY_ASSIGN(job.bytes, tensor_bytes(*job.definition, job.workload, job.files));
    plan_.bytes += job.bytes;
    plan_.jobs.push_back(std::move(job));
    return {};
  }

  const dataset::Dataset& dataset_;
  const MaterialiseOptions& options_;
  const os::Path& folder_;
  Plan plan_;
  std::map<std::string, std::string> owners_;
};

base::Result<void> check_room(const os::Path& folder, std::uint64_t bytes) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!error && space.available < bytes) {
    return base::environment_error(
        "materialise.disk", fmt::format("{} has room for {}, and {} are to be written: free some, or name "
                                        "another folder with --output",
                                        folder.string(), base::human_bytes(space.available), base::human_bytes(bytes)));
  }
  return {};
}

// The folder where bundles are made: in the same file system as the files' places, and hidden, so that a dataset's
// readers pass over it. Held by one process, which also makes sure that no other moves files to the same places; what
// an interrupted one left is removed by the next.
class Workshop {
 public:
  static base::Result<Workshop> open(const os::Path& folder) {
    os::Path path = folder / ".assay-materialise";
    constexpr const char* kLock = "lock";
    ASSAY_TRY(os::create_directories(path));
    ASSAY_TRY_ASSIGN(os::FileLock lock, os::FileLock::try_acquire(path / kLock));
    ASSAY_TRY_ASSIGN(const std::vector<std::string> names, os::list_directory(path));
    for (const std::string& name : names) {
      if (name != kLock) {
        ASSAY_TRY(os::remove_tree(path / name));
      }
    }
    return Workshop(std::move(path), std::move(lock));
  }
  ~Workshop() {
    if (!path_.empty()) {
      static_cast<void>(os::remove_tree(path_));
    }
  }
  Workshop(Workshop&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  Workshop& operator=(Workshop&&) = delete;
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] const os::Path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  Workshop(os::Path path, os::FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  os::Path path_;
  os::FileLock lock_;
};

// Returns what the manifest of a bundle says of its files, or the error that the judge left.
base::Result<std::vector<archive::ManifestEntry>> read_manifest(const os::Path& bundle) {
  ASSAY_TRY(archive::refuse_judge_error(bundle));
  const os::Path file = bundle / task::kManifestFile;
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file));
  return archive::decode_manifest(text, file.string());
}

// Moves the files of a finished bundle to their places.
base::Result<void> take_over(const Job& job, const os::Path& bundle, Existing existing, MaterialiseReport& report) {
  ASSAY_TRY_ASSIGN(const std::vector<archive::ManifestEntry> entries, read_manifest(bundle));
  for (std::size_t i = 0; i < job.files.size(); ++i) {
    const std::string name = task::bundled_blob_name(i);
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& one) { return one.name == name; });
    if (entry == entries.end()) {
      return base::internal_error("materialise.bundle", fmt::format("{} lacks {}", bundle.string(), name));
    }
    const os::Path place = report.folder / job.files[i].path;
    if (existing == Existing::keep && is_taken(place)) {
      continue;
    }
    ASSAY_TRY(os::create_directories(place.parent_path()));
    ASSAY_TRY(os::rename_path(bundle / name, place));
    ASSAY_TRY(os::sync_path(place.parent_path()));
    report.files.push_back(
        {job.definition->name, job.workload.uuid, job.files[i].path, entry->bytes, entry->digest.hex()});
  }
  return os::remove_tree(bundle);
}

base::Result<void> run_job(const Context& context, const MaterialiseOptions& options, const Job& job,
                           const os::Path& spool, const std::function<void(double, const std::string&)>& on_fraction,
                           MaterialiseReport& report) {
  task::EvaluationRequest request;
  request.id = fmt::format("m-{:016x}", base::entropy_seed());
  request.stage = task::Stage::materialise;
  request.seed = options.seed;
  request.definition = *job.definition;
  request.workloads = {job.workload};
  ASSAY_TRY_ASSIGN(const os::Path bundle,
                   context.make_runner()->run(request, spool, [&](const execute::Progress& progress) {
                     on_fraction(progress.total > 0 ? progress.done / progress.total : 0, progress.what);
                   }));
  return take_over(job, bundle, options.existing, report);
}

}  // namespace

base::Result<MaterialiseReport> materialise(const Context& context, const MaterialiseOptions& options) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  MaterialiseReport report;
  report.folder = options.output.empty() ? dataset.root() : os::Path(options.output);
  report.seed = options.seed;
  ASSAY_TRY_ASSIGN(const Plan plan, Planner(dataset, options, report.folder).run());
  report.kept = plan.kept;
  if (plan.jobs.empty()) {
    return report;
  }
  ASSAY_TRY(os::create_directories(report.folder));
  ASSAY_TRY(check_room(report.folder, plan.bytes));
  ASSAY_TRY_ASSIGN(Workshop workshop, Workshop::open(report.folder));
  double done = 0;
  for (const Job& job : plan.jobs) {
    const auto on_fraction = [&](double fraction, const std::string& what) {
      if (context.on_progress) {
        const double here = done + fraction * static_cast<double>(job.bytes);
        context.on_progress({here / static_cast<double>(std::max<std::uint64_t>(1, plan.bytes)), 1,
                             fmt::format("{} {}: {}", job.definition->name, job.workload.uuid, what)});
      }
    };
    on_fraction(0, "starting");
    const auto ran = run_job(context, options, job, workshop.path(), on_fraction, report);
    if (!ran) {
      if (ran.error().code.starts_with("judge.")) {
        workshop.keep();  // The judge's log is in it, and the error names it.
      }
      return base::with_context(tl::expected<MaterialiseReport, base::Error>(tl::unexpected(ran.error())),
                                fmt::format("while generating workload {} of {}; {} files are written and stay",
                                            job.workload.uuid, job.definition->name, report.files.size()));
    }
    done += static_cast<double>(job.bytes);
  }
  return report;
}

base::Json encode(const MaterialiseReport& report) {
  base::Json files = base::Json::array();
  for (const MaterialisedFile& file : report.files) {
    files.push_back({{"definition", file.definition},
                     {"workload", file.uuid},
                     {"path", file.path},
                     {"bytes", file.bytes},
                     {"sha256", file.sha256}});
  }
  return {{"folder", report.folder.string()}, {"seed", report.seed}, {"written", files}, {"kept", report.kept}};
}

}  // namespace assay::service
