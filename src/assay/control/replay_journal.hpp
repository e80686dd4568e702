#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>

namespace assay::control {

/// Where a journal and a controller that decides anew part.
struct JournalDifference {
  std::int64_t sequence = 0;
  std::string kind;      ///< Of the journal's entry; empty: the journal has none there.
  std::string recorded;  ///< Its body.
  std::string other;     ///< Kind and body of what would have been written; empty: nothing.
  std::string why;
};

/// What came of going through a journal again.
struct JournalReplay {
  std::string campaign;
  std::int64_t events = 0;                      ///< In the journal.
  std::int64_t reproduced = 0;                  ///< From the first on, the same bytes.
  std::map<std::string, std::int64_t> decided;  ///< Of those, by kind: what the controller decided anew.
  std::map<std::string, std::int64_t> taken;    ///< By kind: what came from outside, and was taken as it is written.
  std::optional<JournalDifference> difference;  ///< The first; absent: all was reproduced.
  std::string note;  ///< What a journal of before does not have, and was left out here too; empty: it has all.
};

/// Goes through a campaign again, offline: the same controller, in an archive of its own in `scratch`, an existing folder,
/// with evaluations that end as they did and nobody else to ask. Everything that follows is decided anew: from raw samples
/// the log-ratios of gates, the decisions of sweeps and confirmations (void ones too), what they teach (how hypotheses fared,
/// headroom, the noise floor) and what evaluations cost; races, promotions, demotions, injections, and from the seed the
/// tuner's proposals and which agent has the next run; numbers, duplicates, closed routes, budgets, and what the supervisor
/// finds and asks. What it writes must be the journal, byte for byte. What came from outside (a person's word, what agents
/// left with the hypotheses that they stated, what that cost, plans of a planner and the judged claims of a summariser, how
/// an attempt failed) is taken as it is written, but must fit. A journal that was written before evidence was recorded is gone
/// through again without, and says so.
[[nodiscard]] base::Result<JournalReplay> replay_journal(const archive::Archive& archive, const std::string& campaign,
                                                         const os::Path& scratch);

[[nodiscard]] base::Json encode(const JournalReplay& replay);

}  // namespace assay::control
