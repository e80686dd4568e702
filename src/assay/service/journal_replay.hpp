#pragma once

#include <string>

#include <assay/control/policy_replay.hpp>
#include <assay/control/replay_journal.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// Goes through a campaign's journal again, offline (control/replay_journal.hpp). Needs the archive alone, and changes
/// nothing in it.
[[nodiscard]] base::Result<control::JournalReplay> replay_journal(const Context& context, const std::string& campaign);

/// What another policy would have decided, as far as what was measured reaches. `policy` is a built-in one, or a file.
[[nodiscard]] base::Result<control::PolicyReplay> replay_under_policy(const Context& context,
                                                                      const std::string& campaign,
                                                                      const std::string& policy);

}  // namespace assay::service
