#pragma once

#include <string>

#include <assay/agent/stream_summary.hpp>
#include <assay/report/table.hpp>

namespace assay::cli {

/// Prints what a run of an agent was: how it ended, what it cost, what it called and changed; its last words apart.
[[nodiscard]] std::string print_agent_stream(const agent::StreamSummary& summary, report::Colour colour);

/// "$0.02031, 10012 tokens in (8000 cached), 150 out", and how sure that is.
[[nodiscard]] std::string spend_text(const agent::Spend& spend);

}  // namespace assay::cli
