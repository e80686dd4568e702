#include <assay/dataset/check.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/dataset/blob.hpp>
#include <assay/dataset/lengths.hpp>

namespace assay::dataset {
namespace {

void add(std::vector<base::Error>& problems, base::Error problem) {
  // A file that cannot be read is met by several inputs.
  const bool known = std::any_of(problems.begin(), problems.end(),
                                 [&](const base::Error& one) { return one.message == problem.message; });
  if (!known) {
    problems.push_back(std::move(problem));
  }
}

void count_lengths(LengthsSource source, DefinitionCheck& check) {
  switch (source) {
    case LengthsSource::none:
      return;
    case LengthsSource::blob:
      ++check.lengths_from_blobs;
      return;
    case LengthsSource::file:
      ++check.lengths_from_file;
      return;
    case LengthsSource::generated:
      ++check.lengths_generated;
      return;
  }
}

void check_workloads(const Dataset& dataset, const task::Definition& definition, BlobDemand demand,
                     DefinitionCheck& check) {
  const auto file = dataset.workload_file(definition.name);
  if (!file) {
    add(check.problems, file.error());
    return;
  }
  for (const base::Error& problem : file->problems) {
    // A bad file is met twice if lengths come from it; check_blobs, below, sees all of it but its contents.
    if (!problem.code.starts_with("blob.") || problem.code == "blob.contents") {
      add(check.problems, problem);
    }
  }
  check.workloads = file->workloads.size();
  std::vector<base::Error> missing;
  for (const DatasetWorkload& one : file->workloads) {
    count_lengths(one.lengths, check);
    const auto axes = task::resolve_axes(definition, one.workload.axes);
    if (!axes) {
      add(check.problems, axes.error());
      continue;
    }
    const BlobCheck blobs = check_blobs(dataset.root(), definition, one.workload, *axes);
    check.blobs_named += blobs.named;
    check.blobs_present += blobs.present;
    missing.insert(missing.end(), blobs.missing.begin(), blobs.missing.end());
    for (const base::Error& problem : blobs.problems) {
      add(check.problems, problem);
    }
  }
  if (demand == BlobDemand::required || check.blobs_present > 0) {
    for (base::Error& one : missing) {
      add(check.problems, std::move(one));
    }
  }
}

DefinitionCheck check_definition(const Dataset& dataset, const std::string& name, BlobDemand demand) {
  DefinitionCheck check;
  check.name = name;
  const auto definition = dataset.definition(name);
  if (!definition) {
    check.problems.push_back(definition.error());
    return check;
  }
  check.op_type = definition->op_type;
  check_workloads(dataset, *definition, demand, check);
  for (const std::string& solution : dataset.solution_names(name)) {
    if (const auto read = dataset.solution(solution); !read) {
      add(check.problems, read.error());
    } else {
      ++check.solutions;
    }
  }
  return check;
}

}  // namespace

std::size_t DatasetCheck::problem_count() const {
  std::size_t count = problems.size();
  for (const DefinitionCheck& check : definitions) {
    count += check.problems.size();
  }
  return count;
}

int DatasetCheck::exit_code() const {
  std::vector<base::Owner> owners;
  const auto collect = [&](const std::vector<base::Error>& errors) {
    for (const base::Error& error : errors) {
      owners.push_back(error.owner);
    }
  };
  collect(problems);
  for (const DefinitionCheck& check : definitions) {
    collect(check.problems);
  }
  for (const base::Owner owner : {base::Owner::internal, base::Owner::input, base::Owner::environment}) {
    if (std::find(owners.begin(), owners.end(), owner) != owners.end()) {
      return base::exit_code(owner);
    }
  }
  return 0;
}

DatasetCheck check_dataset(const Dataset& dataset, BlobDemand demand) {
  DatasetCheck check;
  check.root = dataset.root();
  for (const std::string& name : dataset.definition_names()) {
    check.definitions.push_back(check_definition(dataset, name, demand));
  }
  for (const os::Path& path : dataset.files_without_definition()) {
    check.problems.push_back(
        {base::Owner::input,
         "dataset.no_definition",
         fmt::format("{}: the dataset has no definition of that name: add it, or remove the file", path.string()),
         {}});
  }
  return check;
}

}  // namespace assay::dataset
