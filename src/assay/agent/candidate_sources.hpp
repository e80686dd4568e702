#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <assay/task/solution.hpp>

/// What may be a candidate's sources, whoever brings them: an agent that leaves them in its folder, or one that submits them.
/// A build refuses what it cannot take as a bad request, and that would end a campaign: so it is asked here first.
namespace assay::agent {

/// Whether a file of that name can be a source of a candidate in the place of `origin`'s: it has the entry point, or `origin`
/// has it too, or a build takes it by its ending and its name is one that needs no quoting anywhere.
[[nodiscard]] bool is_candidate_source(std::string_view path, const task::Solution& origin);

/// Says why these sources cannot be a candidate in the place of `origin`'s, with the remedy; empty if they can. Within the
/// bounds of what is taken from a folder (working_folder.hpp).
[[nodiscard]] std::string candidate_fault(const std::vector<task::SourceFile>& sources, const task::Solution& origin);

}  // namespace assay::agent
