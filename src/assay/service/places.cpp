#include <assay/service/places.hpp>

#include <cstdlib>
#include <system_error>

namespace assay::service {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

// In a build tree the programs are in build/<preset>/bin, and `tail` in the source folder; installed, in <prefix>/bin.
std::vector<os::Path> beside_the_programs(const os::Path& programs, const os::Path& tail) {
  return {(programs / ".." / ".." / ".." / tail).lexically_normal(),
          (programs / ".." / "share" / "assay" / tail).lexically_normal()};
}

// The first of the candidates that is a folder; empty if none is.
os::Path first_folder(const std::vector<os::Path>& candidates) {
  for (const os::Path& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::is_directory(candidate, error)) {
      return candidate;
    }
  }
  return {};
}

std::vector<os::Path> default_datasets(const Surroundings& surroundings) {
  const os::Path tail = os::Path("datasets") / "contest";
  std::vector<os::Path> result;
  for (os::Path folder = surroundings.working_directory; !folder.empty(); folder = folder.parent_path()) {
    result.push_back(folder / tail);
    if (folder == folder.root_path()) {
      break;
    }
  }
  for (const os::Path& path : beside_the_programs(surroundings.program_directory, tail)) {
    result.push_back(path);
  }
  return result;
}

}  // namespace

Surroundings surroundings_of_this_process(std::optional<std::string> dataset_option,
                                          std::optional<std::string> archive_option) {
  Surroundings result;
  result.dataset_option = std::move(dataset_option);
  result.archive_option = std::move(archive_option);
  result.dataset_variable = variable("ASSAY_DATASET");
  result.archive_variable = variable("ASSAY_ARCHIVE");
  result.cache_variable = variable("ASSAY_BUILD_CACHE");
  result.skills_variable = variable("ASSAY_SKILLS");
  std::error_code error;
  result.working_directory = std::filesystem::current_path(error);
  if (auto folder = os::executable_directory()) {
    result.program_directory = *folder;
  }
  return result;
}

Places find_places(const Surroundings& surroundings) {
  Places places;
  if (surroundings.dataset_option) {
    places.dataset = *surroundings.dataset_option;
  } else if (surroundings.dataset_variable) {
    places.dataset = *surroundings.dataset_variable;
  } else {
    places.dataset_candidates = default_datasets(surroundings);
    places.dataset = first_folder(places.dataset_candidates);
  }
  if (surroundings.skills_variable) {
    places.skills = *surroundings.skills_variable;
  } else {
    places.skills_candidates = beside_the_programs(surroundings.program_directory, "skills");
    places.skills = first_folder(places.skills_candidates);
  }
  places.archive = surroundings.archive_option     ? os::Path(*surroundings.archive_option)
                   : surroundings.archive_variable ? os::Path(*surroundings.archive_variable)
                                                   : surroundings.working_directory / ".assay";
  places.build_cache =
      surroundings.cache_variable ? os::Path(*surroundings.cache_variable) : places.archive / "build-cache";
  places.judge = surroundings.program_directory / "assay-judge";
  places.worker = surroundings.program_directory / "assay-worker";
  return places;
}

}  // namespace assay::service
