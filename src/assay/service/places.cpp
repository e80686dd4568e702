#include <assay/service/places.hpp>

#include <cstdlib>
#include <system_error>

namespace assay::service {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
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
  // In a build tree the programs are in build/<preset>/bin; installed, in <prefix>/bin.
  const os::Path programs = surroundings.program_directory;
  result.push_back((programs / ".." / ".." / ".." / tail).lexically_normal());
  result.push_back((programs / ".." / "share" / "assay" / tail).lexically_normal());
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
    for (const os::Path& candidate : places.dataset_candidates) {
      std::error_code error;
      if (std::filesystem::is_directory(candidate, error)) {
        places.dataset = candidate;
        break;
      }
    }
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
