#pragma once

#include <optional>
#include <string>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/dataset/dataset.hpp>
#include <assay/promote/policy.hpp>
#include <assay/task/solution.hpp>

namespace assay::service {

/// Finds the definition that a command means: the one that was named, or the only one of the dataset. Otherwise the
/// error lists what there is.
[[nodiscard]] base::Result<task::Definition> resolve_definition(const dataset::Dataset& dataset,
                                                                const std::string& name);

/// Finds a solution by a path to a source or solution file, by its name in the dataset, or by the digest (or a prefix)
/// of a candidate in the archive, in this order. `archive` may be null. It must implement `definition`.
[[nodiscard]] base::Result<task::Solution> resolve_solution(const dataset::Dataset& dataset,
                                                            const archive::Archive* archive, const std::string& what,
                                                            const task::Definition& definition);

/// Tells whether a solution is for this kind of device: those in CUDA for a CUDA device, those in C++ for any other.
[[nodiscard]] bool is_for(const task::Solution& solution, const std::string& device);

/// Finds what candidates are held against when nothing is named: the dataset's solution by the author `baseline` for
/// this kind of device. Absent if there is none; several are an error that lists them.
[[nodiscard]] base::Result<std::optional<task::Solution>> default_incumbent(const dataset::Dataset& dataset,
                                                                            const task::Definition& definition,
                                                                            const std::string& device);

/// Refuses what is no name of a device.
[[nodiscard]] base::Result<void> check_device(const std::string& device);

/// Finds a policy: a built-in name, or a TOML file.
[[nodiscard]] base::Result<promote::Policy> resolve_policy(const std::string& name_or_file);

}  // namespace assay::service
