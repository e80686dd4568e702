#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/task/solution.hpp>

namespace assay::build {

/// Says why a compile flag is not allowed; nullopt if it is. Allowed is what changes how the solution's own sources are
/// translated (-O, -m, -std=, -D, -U, many -f and -W, -I inside the sources). Refused is what runs other programs, loads
/// plug-ins, reads other files or writes elsewhere: everything that is not known to be harmless.
[[nodiscard]] std::optional<std::string> flag_fault(std::string_view flag);

/// The same for nvcc. Each flag is one word, its value behind '=' where it has one: an option that takes the next word
/// could take a source's name. Values are plain: nvcc splits them at commas and hands its commands to a shell.
[[nodiscard]] std::optional<std::string> cuda_flag_fault(std::string_view flag);

/// Says why the folder of an -I is not allowed; nullopt if it lies inside the solution's own sources.
[[nodiscard]] std::optional<std::string> include_fault(std::string_view folder);

/// Checks each flag for the compilers of a language. An input error names the first that is refused, why, and what may
/// be given.
[[nodiscard]] base::Result<void> check_flags(const std::vector<std::string>& flags,
                                             task::Language language = task::Language::cpp);

/// Says why a source's path cannot be given to a compiler, which would take it for an option; nullopt if it can.
[[nodiscard]] std::optional<std::string> source_argument_fault(std::string_view path);

}  // namespace assay::build
