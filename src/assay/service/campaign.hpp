#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/control/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

/// An agent that is to propose, as a person names it.
struct AgentOptions {
  std::string word;                      ///< "codex", "claude", "http:URL", "command:PROGRAM", kSubmitted; empty: none.
  bool tools = false;                    ///< It may submit candidates during its run; each is then a round.
  std::string model;                     ///< Empty: the program's default.
  std::vector<std::string> others;       ///< Further agents; each run goes to one of them all.
  std::vector<std::string> models;       ///< Of the others, in their order; fewer: the program's default.
  std::vector<std::string> languages;    ///< In which each of them may write; empty: the baseline's.
  int minutes = 20;                      ///< That one run may take.
  double dollars = 0;                    ///< Set aside for one run; Claude is told to keep to it.
  std::int64_t tokens = 0;               ///< Set aside for one run.
  std::optional<double> budget_dollars;  ///< Of the whole campaign; absent: no limit.
  std::optional<std::int64_t> budget_tokens;
  bool full_agent = false;  ///< Three roles; `word` is then the executor.
  std::string planner;      ///< Empty: the same as the executor.
  std::string summariser;   ///< Empty: the same as the executor.
};

/// Limits of a campaign that goes on, as a person names them; absent: as they are.
struct RaisedBudget {
  std::optional<double> dollars;
  std::optional<std::int64_t> tokens;
  std::optional<double> device_seconds;
  std::optional<double> minutes;
  std::optional<double> human_minutes;
  std::string by;  ///< Who raises them.
};

struct CampaignOptions {
  std::string name;
  std::string definition;
  std::string baseline;           ///< Empty: the dataset's baseline.
  std::string tunable;            ///< Empty: nothing is searched, only `also` is judged.
  std::vector<std::string> also;  ///< Candidates by hand, in order.
  int rounds = 3;
  int candidates_per_round = 8;
  std::string policy = "quick";
  std::string device = "cpu";
  std::uint64_t seed = 0;
  AgentOptions agent;
  bool supervised = true;
  std::optional<double> ask_above_sweep_seconds;  ///< Absent: sweeps are made unasked.
  std::optional<double> budget_device_seconds;    ///< Limits of the whole campaign; absent: none.
  std::optional<double> budget_minutes;
  std::optional<double> budget_human_minutes;
  std::string by;  ///< Who raises the limits of a campaign that is there already.
};

/// A person's word on a waiting candidate.
enum class Answer : std::uint8_t { approve, refuse };

/// A campaign as it stands.
struct CampaignStatus {
  control::CampaignConfiguration configuration;
  control::CampaignState state;
  std::string created;
};

/// Tells a person what happens during a run: an event of the journal, or a step of the judge at work.
using CampaignProgress = std::function<void(double done, double total, const std::string& what, bool is_event)>;

/// Creates the campaign, or finds it with the same configuration, and runs it until it is finished, failed, or waits
/// for a person. The same name with another configuration is an input error that says what differs; but larger limits are
/// taken, and journalled with who gave them.
[[nodiscard]] base::Result<CampaignStatus> run_campaign(const Context& context, const CampaignOptions& options,
                                                        const CampaignProgress& progress);
/// Creates the campaign, or finds it with the same configuration, and runs nothing yet.
[[nodiscard]] base::Result<void> create_campaign(const Context& context, const CampaignOptions& options);
/// Continues a campaign by name, with this proposer in place of its own.
[[nodiscard]] base::Result<CampaignStatus> continue_campaign(const Context& context, const std::string& name,
                                                             agent::Proposer& proposer,
                                                             const CampaignProgress& progress);
/// Continues a campaign by name; needs nothing but the archive. One that takes submissions asks for no more: what was
/// submitted is judged, and the incumbent confirmed. Larger limits are journalled first; a smaller one is an input error.
[[nodiscard]] base::Result<CampaignStatus> resume_campaign(const Context& context, const std::string& name,
                                                           const CampaignProgress& progress,
                                                           const RaisedBudget& raised = {});

/// Reads one campaign, or all of them in the order of creation.
[[nodiscard]] base::Result<CampaignStatus> campaign_status(const Context& context, const std::string& name);
[[nodiscard]] base::Result<std::vector<CampaignStatus>> all_campaigns(const Context& context);

/// Records a person's word on the waiting candidate, and `seconds` of their attention, and returns the campaign as it then
/// stands; `resume` continues it.
[[nodiscard]] base::Result<CampaignStatus> approve_campaign(const Context& context, const std::string& name,
                                                            Answer answer, const std::string& who,
                                                            const std::string& why, std::int64_t seconds = 0);

[[nodiscard]] base::Json encode(const CampaignStatus& status);

}  // namespace assay::service
