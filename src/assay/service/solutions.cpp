#include <assay/service/solutions.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include <assay/base/device_name.hpp>
#include <assay/base/text.hpp>
#include <assay/dataset/source_file.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kShortestDigest = 4;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string suggestion(const std::string& given, const std::vector<std::string>& known) {
  const std::string near = base::nearest(given, known);
  if (!near.empty()) {
    return fmt::format("did you mean \"{}\"?", near);
  }
  return known.empty() ? std::string("there is none") : "there is " + base::join(known, ", ");
}

bool looks_like_digest(const std::string& what) {
  return what.size() >= kShortestDigest && what.size() <= 2 * base::Digest::kSize &&
         std::all_of(what.begin(), what.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool looks_like_path(const std::string& what) {
  return what.find('/') != std::string::npos || !os::Path(what).extension().empty();
}

base::Result<task::Solution> of_definition(task::Solution solution, const task::Definition& definition) {
  if (solution.definition != definition.name) {
    return base::input_error("solution.other_definition",
                             fmt::format("{} implements {}, not {}; name the right one with --definition",
                                         solution.name, solution.definition, definition.name));
  }
  return solution;
}

}  // namespace

base::Result<task::Definition> resolve_definition(const dataset::Dataset& dataset, const std::string& name) {
  const std::vector<std::string> names = dataset.definition_names();
  if (name.empty() && names.size() == 1) {
    return dataset.definition(names.front());
  }
  if (name.empty()) {
    return base::input_error("definition.unnamed", fmt::format("the dataset holds {} definitions; name one with "
                                                               "--definition: {}",
                                                               names.size(), base::join(names, ", ")));
  }
  if (!contains(names, name)) {
    return base::input_error("definition.unknown",
                             fmt::format("there is no definition \"{}\" in {}; {}", base::printable(name),
                                         dataset.root().string(), suggestion(name, names)));
  }
  return dataset.definition(name);
}

base::Result<task::Solution> resolve_solution(const dataset::Dataset& dataset, const archive::Archive* archive,
                                              const std::string& what, const task::Definition& definition) {
  std::error_code error;
  const bool is_file = std::filesystem::exists(what, error);
  if (is_file && looks_like_path(what)) {
    return dataset::load_solution_path(what, definition.name);
  }
  const std::vector<std::string> names = dataset.solution_names(definition.name);
  if (contains(names, what)) {
    return dataset.solution(what);
  }
  if (archive != nullptr && looks_like_digest(what)) {
    ASSAY_TRY_ASSIGN(auto stored, archive->candidate(what));
    if (stored) {
      return of_definition(std::move(stored->solution), definition);
    }
  }
  if (looks_like_path(what)) {
    return base::input_error("solution.no_file", fmt::format("{}: there is no such file", base::printable(what)));
  }
  return base::input_error(
      "solution.unknown",
      fmt::format("\"{}\" is no file, no solution of {} in {}, and no digest of an archived candidate; {}",
                  base::printable(what), definition.name, dataset.root().string(), suggestion(what, names)));
}

bool is_for(const task::Solution& solution, const std::string& device) {
  const std::optional<base::DeviceName> name = base::parse_device_name(device);
  const bool on_cuda = name && name->kind == base::DeviceName::Kind::cuda;
  return solution.spec.language != (on_cuda ? task::Language::cpp : task::Language::cuda);
}

base::Result<std::optional<task::Solution>> default_incumbent(const dataset::Dataset& dataset,
                                                              const task::Definition& definition,
                                                              const std::string& device) {
  ASSAY_TRY_ASSIGN(std::vector<task::Solution> solutions, dataset.solutions(definition.name));
  solutions.erase(std::remove_if(solutions.begin(), solutions.end(),
                                 [&](const task::Solution& solution) {
                                   return solution.author != "baseline" || !is_for(solution, device);
                                 }),
                  solutions.end());
  if (solutions.size() > 1) {
    std::vector<std::string> names;
    for (const task::Solution& solution : solutions) {
      names.push_back(solution.name);
    }
    return base::input_error("baseline.several", fmt::format("{} has {} baselines ({}); name one", definition.name,
                                                             solutions.size(), base::join(names, ", ")));
  }
  return solutions.empty() ? std::nullopt : std::optional(std::move(solutions.front()));
}

base::Result<void> check_device(const std::string& device) {
  if (!base::parse_device_name(device)) {
    return base::input_error("device.unknown", fmt::format("there is no device \"{}\"; give {}",
                                                           base::printable(device), base::kDeviceNames));
  }
  return {};
}

base::Result<promote::Policy> resolve_policy(const std::string& name_or_file) {
  if (auto policy = promote::built_in_policy(name_or_file)) {
    return *policy;
  }
  std::error_code error;
  if (!std::filesystem::exists(name_or_file, error)) {
    return base::input_error("policy.unknown",
                             fmt::format("\"{}\" is neither a built-in policy (quick, standard, release) nor a file",
                                         base::printable(name_or_file)));
  }
  ASSAY_TRY_ASSIGN(const std::string text, os::read_file(name_or_file));
  return promote::parse_policy(text, name_or_file);
}

}  // namespace assay::service
