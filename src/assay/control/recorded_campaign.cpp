#include <assay/control/recorded_campaign.hpp>

#include <type_traits>

#include <assay/control/campaign.hpp>
#include <assay/control/supervision.hpp>
#include <assay/control/void_confirmation.hpp>

namespace assay::control {
namespace {

void note_end(const archive::Event& event, const Entry& entry, std::map<std::string, RecordedEnd>& ends) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.spent; }) {
          RecordedEnd end{event.sequence, std::nullopt, one.spent};
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, EvaluationFailed>) {
            end.failure = one;
          }
          ends[one.evaluation] = std::move(end);
        }
      },
      entry);
}

}  // namespace

bool RecordedEnd::has_result() const { return !failure || is_void_session(failure->code); }

base::Result<RecordedCampaign> read_recorded_campaign(const archive::Archive& archive, const std::string& name) {
  RecordedCampaign recorded;
  ASSAY_TRY_ASSIGN(recorded.configuration, load_configuration(archive, name));
  ASSAY_TRY_ASSIGN(recorded.events, archive.events(name));
  for (const archive::Event& event : recorded.events) {
    auto entry = decode_entry(event);
    if (entry) {
      note_end(event, *entry, recorded.ends);
    }
    recorded.entries.push_back(entry ? std::optional(std::move(*entry)) : std::nullopt);
  }
  return recorded;
}

bool is_from_outside(const Entry& entry, bool waits) {
  if (std::holds_alternative<CandidatePromoted>(entry) || std::holds_alternative<CandidateRefused>(entry)) {
    return waits;
  }
  return comes_from_person(entry) || std::holds_alternative<PersonTimeBooked>(entry) ||
         std::holds_alternative<BudgetRaised>(entry) || std::holds_alternative<AgentRunIntended>(entry) ||
         std::holds_alternative<AgentRunEnded>(entry) || std::holds_alternative<BudgetReached>(entry) ||
         std::holds_alternative<ArmChosen>(entry) || std::holds_alternative<RoundPlanned>(entry) ||
         std::holds_alternative<CandidatesSummarised>(entry);
}

}  // namespace assay::control
