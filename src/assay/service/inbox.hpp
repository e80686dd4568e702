#pragma once

#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/json.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/context.hpp>

namespace assay::service {

struct InboxOption {
  std::string name;
  std::string meaning;
};

/// A decision that waits for a person.
struct InboxItem {
  std::string id;  ///< "CAMPAIGN-decision-N" or "CAMPAIGN-promotion-N".
  std::string campaign;
  std::string kind;  ///< "search", "spend" or "promotion".
  std::string question;
  std::vector<InboxOption> options;
  std::string otherwise;             ///< What happens if nobody answers.
  std::string deadline;              ///< And when.
  std::vector<std::string> dossier;  ///< Where the campaign stands, a fact a line.
};

/// Lists what waits in all campaigns of the archive that have not ended, in the order of their creation.
[[nodiscard]] base::Result<std::vector<InboxItem>> inbox(const Context& context);

struct InboxAnswer {
  std::string option;
  std::string value;
  std::string by;
  double minutes = 0;
  std::string because;
};

/// What became of a person's words.
struct Said {
  std::string campaign;
  bool running = false;  ///< The campaign runs: it takes them before its next step. Otherwise they are in its journal.
};

/// Answers what waits. If the campaign is running, which alone may write, the answer is left for it; of a promotion that is
/// not possible, since a campaign that waits for one does not run.
[[nodiscard]] base::Result<Said> answer_inbox(const Context& context, const std::string& id, const InboxAnswer& answer);

/// Says something to whoever proposes in a campaign.
[[nodiscard]] base::Result<Said> steer_campaign(const Context& context, const std::string& campaign,
                                                const std::string& by, double minutes, const std::string& text);

[[nodiscard]] base::Json encode(const std::vector<InboxItem>& items);
[[nodiscard]] base::Json encode(const Said& said);

}  // namespace assay::service
