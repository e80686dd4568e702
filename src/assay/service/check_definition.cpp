#include <assay/service/check_definition.hpp>

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include <assay/archive/bundle.hpp>
#include <assay/base/json.hpp>
#include <assay/base/random.hpp>
#include <assay/dataset/given.hpp>
#include <assay/service/solutions.hpp>
#include <assay/service/workload_choice.hpp>
#include <assay/task/bundle.hpp>

namespace assay::service {
namespace {

constexpr int kRepresentatives = 3;

base::Result<task::Admissibility> read_answer(const os::Path& folder) {
  ASSAY_TRY(archive::refuse_judge_error(folder));
  const os::Path file = folder / task::kAdmissibilityFile;
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(file));
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(text, file.string()));
  return task::decode_admissibility(json, file.string());
}

}  // namespace

base::Result<task::Admissibility> check_definition(const Context& context, const CheckDefinitionOptions& options) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  task::EvaluationRequest request;
  ASSAY_TRY_ASSIGN(request.definition, resolve_definition(dataset, options.definition));
  ASSAY_TRY_ASSIGN(const std::vector<task::Workload> workloads, dataset.workloads(request.definition.name));
  ASSAY_TRY_ASSIGN(request.workloads, choose_workloads(workloads, options.workloads, kRepresentatives, std::nullopt));
  ASSAY_TRY(dataset::find_given(dataset.root(), request.definition, request.workloads));
  request.id = fmt::format("d-{:016x}", base::entropy_seed());
  request.stage = task::Stage::check_definition;
  request.seed = options.seed;
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder,
                   os::TemporaryDirectory::create(std::filesystem::temp_directory_path(), "assay-check-"));
  ASSAY_TRY_ASSIGN(const os::Path bundle,
                   context.make_runner()->run(request, folder.path(), [&](const execute::Progress& progress) {
                     if (context.on_progress) {
                       context.on_progress(progress);
                     }
                   }));
  return read_answer(bundle);
}

}  // namespace assay::service
