#pragma once

#include <string>
#include <vector>

#include <assay/archive/imports.hpp>
#include <assay/report/table.hpp>

namespace assay::cli {

/// Prints what an import took in.
[[nodiscard]] std::string print_import(const archive::Import& import);

/// Prints a line for each program that others measured: by its candidate, its source, or its name.
[[nodiscard]] std::string print_imported(const std::vector<archive::ForeignResult>& results, report::Colour colour);

/// Prints a line for each result; empty without any.
[[nodiscard]] std::string print_foreign_results(const std::vector<archive::ForeignResult>& results,
                                                report::Colour colour);

}  // namespace assay::cli
