#pragma once

#include <string>

#include <assay/control/policy_replay.hpp>
#include <assay/control/replay_journal.hpp>
#include <assay/report/table.hpp>

namespace assay::cli {

/// What came of going through a journal again; where it parts, both entries and why. Text of candidates is made printable.
[[nodiscard]] std::string print_journal_replay(const control::JournalReplay& replay);

/// The decisions that another policy takes otherwise or cannot take, the candidates that fare otherwise, and how far it goes.
[[nodiscard]] std::string print_policy_replay(const control::PolicyReplay& replay, report::Colour colour);

}  // namespace assay::cli
