#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>

namespace assay::control {

/// How an evaluation ended that a journal tells of.
struct RecordedEnd {
  std::int64_t sequence = 0;
  std::optional<EvaluationFailed> failure;  ///< Absent: it says something of its subject.
  std::optional<Amounts> spent;

  /// Whether there is a result, which is in the archive: that of a void confirmation is, too.
  [[nodiscard]] bool has_result() const;
};

/// A campaign as it lies in an archive, for whoever goes through it again.
struct RecordedCampaign {
  CampaignConfiguration configuration;
  std::vector<archive::Event> events;
  std::vector<std::optional<Entry>> entries;  ///< Beside the events; absent: it cannot be read.
  std::map<std::string, RecordedEnd> ends;    ///< By the evaluation's id.
};

/// Reads it. An entry that cannot be read is no error here.
[[nodiscard]] base::Result<RecordedCampaign> read_recorded_campaign(const archive::Archive& archive,
                                                                    const std::string& name);

/// Tells whether an entry was not decided by the controller: a person's word, or what a run of an agent did, the
/// plans and the claims of roles too. Such a thing
/// can only be taken as it is written. `waits`: a person's word on a candidate is waited for.
[[nodiscard]] bool is_from_outside(const Entry& entry, bool waits);

}  // namespace assay::control
