#include <assay/service/dataset_check.hpp>

#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>

namespace assay::service {
namespace {

base::Json encode_problems(const std::vector<base::Error>& problems) {
  base::Json all = base::Json::array();
  for (const base::Error& problem : problems) {
    all.push_back({{"owner", base::to_string(problem.owner)},
                   {"code", problem.code},
                   {"message", base::printable(problem.text())}});
  }
  return all;
}

}  // namespace

base::Result<dataset::DatasetCheck> check_dataset(const Context& context, dataset::BlobDemand demand) {
  ASSAY_TRY_ASSIGN(const dataset::Dataset dataset, open_dataset(context));
  return dataset::check_dataset(dataset, demand);
}

base::Json encode(const dataset::DatasetCheck& check) {
  base::Json definitions = base::Json::array();
  for (const dataset::DefinitionCheck& one : check.definitions) {
    definitions.push_back({{"name", one.name},
                           {"op_type", one.op_type},
                           {"workloads", one.workloads},
                           {"solutions", one.solutions},
                           {"blobs", {{"named", one.blobs_named}, {"present", one.blobs_present}}},
                           {"lengths",
                            {{"from_blobs", one.lengths_from_blobs},
                             {"from_file", one.lengths_from_file},
                             {"generated", one.lengths_generated}}},
                           {"problems", encode_problems(one.problems)}});
  }
  return {{"dataset", check.root.string()},
          {"sound", check.problem_count() == 0},
          {"definitions", definitions},
          {"problems", encode_problems(check.problems)}};
}

}  // namespace assay::service
