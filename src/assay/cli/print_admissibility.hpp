#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/task/admissibility.hpp>

namespace assay::cli {

/// The table of `assay check-definition`: what each output's tolerance tells from a right answer, ours beside the
/// contest's; which inputs show; and one sentence.
[[nodiscard]] std::string print_admissibility(const task::Admissibility& admissibility, report::Colour colour);

}  // namespace assay::cli
