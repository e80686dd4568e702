#pragma once

#include <optional>
#include <string>
#include <vector>

#include <assay/os/file.hpp>

namespace assay::service {

/// Everything that decides where things are found; a value, so that tests need no real environment.
struct Surroundings {
  std::optional<std::string> dataset_option;    ///< --dataset
  std::optional<std::string> archive_option;    ///< --archive
  std::optional<std::string> dataset_variable;  ///< $ASSAY_DATASET
  std::optional<std::string> archive_variable;  ///< $ASSAY_ARCHIVE
  std::optional<std::string> cache_variable;    ///< $ASSAY_BUILD_CACHE
  std::optional<std::string> skills_variable;   ///< $ASSAY_SKILLS
  os::Path working_directory;
  os::Path program_directory;  ///< Where our three programs lie.
};

/// Reads the options' rivals from the process: its environment, working directory and executable.
[[nodiscard]] Surroundings surroundings_of_this_process(std::optional<std::string> dataset_option,
                                                        std::optional<std::string> archive_option);

/// Where this run reads and writes.
struct Places {
  /// What was asked for, whether it exists or not; else the first default that exists; else empty.
  os::Path dataset;
  std::vector<os::Path> dataset_candidates;  ///< The defaults that were tried, for the error message.
  os::Path archive;
  os::Path build_cache;
  os::Path skills;                          ///< As `dataset`.
  std::vector<os::Path> skills_candidates;  ///< As `dataset_candidates`.
  os::Path judge;
  os::Path worker;
};

/// Applies the rules: option, then variable, then defaults. The default dataset is `datasets/contest` in the working
/// directory or the nearest folder above it, then beside the installation; the default archive is `.assay` here; the
/// build cache lies in the archive's folder. Skills are looked for beside the installation alone: a folder `skills` above
/// the working directory may be anybody's.
[[nodiscard]] Places find_places(const Surroundings& surroundings);

}  // namespace assay::service
