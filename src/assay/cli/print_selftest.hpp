#pragma once

#include <string>

#include <assay/report/table.hpp>
#include <assay/service/selftest.hpp>

namespace assay::cli {

/// Says what a self-test is about to judge, where its candidates are from and what it means to fail.
[[nodiscard]] std::string print_plan(const service::SelftestPlan& plan);

/// Says what one candidate got, what it should have got, and what its author was told.
[[nodiscard]] std::string disagreement_text(const service::SelftestPlan& plan, const service::SelftestRow& row);

/// Renders the table of a finished self-test, one line an entry over all runs, and what it comes to.
[[nodiscard]] std::string print_selftest(const service::SelftestReport& report, report::Colour colour);

}  // namespace assay::cli
