#include <assay/service/inbox.hpp>

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include <assay/base/text.hpp>
#include <assay/control/mailbox.hpp>
#include <assay/control/person.hpp>
#include <assay/control/supervision.hpp>

namespace assay::service {
namespace {

constexpr double kSecondsInAMinute = 60;
constexpr double kMostMinutesTold = 100'000;

std::vector<std::string> dossier_of(const CampaignStatus& status) {
  const control::CampaignState& state = status.state;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("round {} of {}, {} candidates, {} promotions", state.current_round(),
                              status.configuration.rounds, state.candidates.size(), state.reign.size()));
  if (state.incumbent) {
    const control::CandidateState& incumbent = state.candidate(*state.incumbent);
    lines.push_back(
        fmt::format("the incumbent is candidate {} ({}), {:.3f} times as fast as the baseline by the search's own "
                    "estimate",
                    incumbent.number, incumbent.name, std::exp(-incumbent.log_ratio_to_baseline.value_or(0))));
  } else {
    lines.emplace_back("the incumbent is the baseline");
  }
  for (const control::FindingState& finding : state.supervision.findings) {
    if (finding.promotions == state.reign.size()) {
      lines.push_back(fmt::format("after round {}: {}", finding.found.round, finding.found.evidence));
    }
  }
  for (const control::HypothesisState& hypothesis : state.memory.hypotheses) {
    if (hypothesis.candidate && !task::route_key(hypothesis.stated.mechanism).empty()) {
      lines.push_back(fmt::format("hypothesis {}: {} in {}, candidate {}: {}{}", hypothesis.number,
                                  base::printable(hypothesis.stated.mechanism),
                                  base::printable(hypothesis.stated.regime), *hypothesis.candidate,
                                  task::to_string(hypothesis.status()),
                                  hypothesis.closed_by.empty() ? "" : ", closed by " + hypothesis.closed_by));
    }
  }
  for (std::size_t i = 0; i < control::kResources; ++i) {
    const auto resource = static_cast<control::Resource>(i);
    if (const auto left = state.ledger.left(resource)) {
      lines.push_back("left: " + control::amount_text(resource, *left));
    }
  }
  return lines;
}

InboxItem promotion_item(const CampaignStatus& status, int number) {
  const control::CandidateState& candidate = status.state.candidate(number);
  InboxItem item;
  item.id = fmt::format("{}-promotion-{}", status.configuration.name, number);
  item.campaign = status.configuration.name;
  item.kind = "promotion";
  item.question = fmt::format("candidate {} ({}) won its sweep: {}", number, candidate.name,
                              candidate.decision ? candidate.decision->reasons.front() : candidate.cause);
  item.options = {{"approve", "it becomes the incumbent"}, {"refuse", "the incumbent stays"}};
  item.otherwise = "the incumbent stays and the campaign stands still: nothing is promoted by silence";
  item.deadline = "none";
  item.dossier = dossier_of(status);
  return item;
}

InboxItem decision_item(const CampaignStatus& status, const control::DecisionState& decision) {
  InboxItem item;
  item.id = fmt::format("{}-decision-{}", status.configuration.name, decision.asked.number);
  item.campaign = status.configuration.name;
  item.kind = control::to_string(decision.asked.kind);
  item.question = decision.asked.question;
  for (const control::Option option : decision.asked.options) {
    item.options.push_back({std::string(control::to_string(option)), std::string(control::in_words(option))});
  }
  item.otherwise = control::in_words(decision.asked.otherwise);
  item.deadline = decision.asked.deadline ? fmt::format("the end of round {} (it is round {})",
                                                        *decision.asked.deadline, status.state.current_round())
                                          : std::string("when the campaign is continued without an answer");
  item.dossier = dossier_of(status);
  return item;
}

base::Result<std::int64_t> seconds_of(double minutes) {
  if (!(minutes >= 0 && minutes <= kMostMinutesTold)) {
    return base::input_error("person.minutes",
                             fmt::format("{} minutes are no time that a person gave: give --minutes with "
                                         "a number from 0",
                                         minutes));
  }
  return static_cast<std::int64_t>(std::llround(minutes * kSecondsInAMinute));
}

// Writes what a person says into the journal, or leaves it for the campaign if that is running. `make` checks it against the
// campaign as it stands.
base::Result<Said> say(const Context& context, const std::string& campaign,
                       const std::function<base::Result<control::Entry>(const CampaignStatus&)>& make) {
  ASSAY_TRY_ASSIGN(const CampaignStatus status, campaign_status(context, campaign));
  ASSAY_TRY_ASSIGN(const control::Entry entry, make(status));
  auto writer = archive::Archive::open_writer(context.places.archive);
  if (!writer) {
    if (writer.error().code != "archive.in_use") {
      return tl::unexpected(std::move(writer.error()));
    }
    ASSAY_TRY(control::leave_message(context.places.archive, campaign, entry));
    return Said{campaign, true};
  }
  ASSAY_TRY_ASSIGN(const control::CampaignState now, control::load_state(*writer, status.configuration));
  CampaignStatus latest = status;
  latest.state = now;
  ASSAY_TRY(make(latest));
  ASSAY_TRY(writer->append({campaign, now.last_sequence, {control::encode_entry(entry)}}));
  return Said{campaign, false};
}

struct ItemName {
  std::string campaign;
  bool is_promotion = false;
  int number = 0;
};

base::Result<ItemName> parse_id(const std::string& id) {
  for (const std::string_view kind : {"-decision-", "-promotion-"}) {
    const std::size_t at = id.rfind(kind);
    if (at == std::string::npos || at == 0) {
      continue;
    }
    ItemName name{id.substr(0, at), kind == "-promotion-", 0};
    const char* first = id.data() + at + kind.size();
    const char* end = id.data() + id.size();
    if (const auto read = std::from_chars(first, end, name.number); read.ec == std::errc() && read.ptr == end) {
      return name;
    }
  }
  return base::input_error("inbox.id",
                           fmt::format("\"{}\" is no decision's id: `assay inbox` lists them", base::printable(id)));
}

base::Result<Said> answer_promotion(const Context& context, const ItemName& name, const InboxAnswer& answer,
                                    std::int64_t seconds) {
  if (answer.option != "approve" && answer.option != "refuse") {
    return base::input_error("inbox.option", fmt::format("\"{}\" is no option of a promotion: choose approve or refuse",
                                                         base::printable(answer.option)));
  }
  ASSAY_TRY_ASSIGN(const CampaignStatus status, campaign_status(context, name.campaign));
  if (status.state.awaiting != name.number) {
    return base::input_error("inbox.closed",
                             fmt::format("candidate {} of campaign {} waits for nobody: `assay inbox` lists "
                                         "what does",
                                         name.number, name.campaign));
  }
  ASSAY_TRY(approve_campaign(context, name.campaign, answer.option == "approve" ? Answer::approve : Answer::refuse,
                             answer.by, answer.because, seconds));
  return Said{name.campaign, false};
}

}  // namespace

base::Result<std::vector<InboxItem>> inbox(const Context& context) {
  std::vector<InboxItem> items;
  ASSAY_TRY_ASSIGN(const std::vector<CampaignStatus> campaigns, all_campaigns(context));
  for (const CampaignStatus& status : campaigns) {
    const control::CampaignState& state = status.state;
    if (state.phase == control::Phase::finished || state.phase == control::Phase::failed) {
      continue;
    }
    if (state.phase == control::Phase::awaiting_approval && state.awaiting) {
      items.push_back(promotion_item(status, *state.awaiting));
    }
    for (const control::DecisionState& decision : state.supervision.decisions) {
      if (decision.open()) {
        items.push_back(decision_item(status, decision));
      }
    }
  }
  return items;
}

base::Result<Said> answer_inbox(const Context& context, const std::string& id, const InboxAnswer& answer) {
  ASSAY_TRY_ASSIGN(const ItemName name, parse_id(id));
  ASSAY_TRY_ASSIGN(const std::int64_t seconds, seconds_of(answer.minutes));
  if (name.is_promotion) {
    return answer_promotion(context, name, answer, seconds);
  }
  return say(context, name.campaign, [&](const CampaignStatus& status) {
    return control::answer_entry(status.configuration, status.state, name.number,
                                 {answer.option, answer.value, answer.by, seconds, answer.because});
  });
}

base::Result<Said> steer_campaign(const Context& context, const std::string& campaign, const std::string& by,
                                  double minutes, const std::string& text) {
  ASSAY_TRY_ASSIGN(const std::int64_t seconds, seconds_of(minutes));
  return say(context, campaign, [&](const CampaignStatus& status) {
    return control::steer_entry(status.configuration, status.state, by, seconds, text);
  });
}

base::Json encode(const std::vector<InboxItem>& items) {
  base::Json all = base::Json::array();
  for (const InboxItem& item : items) {
    base::Json options = base::Json::array();
    for (const InboxOption& option : item.options) {
      options.push_back({{"option", option.name}, {"meaning", option.meaning}});
    }
    all.push_back({{"id", item.id},
                   {"campaign", item.campaign},
                   {"kind", item.kind},
                   {"question", item.question},
                   {"options", std::move(options)},
                   {"default", item.otherwise},
                   {"deadline", item.deadline},
                   {"dossier", item.dossier}});
  }
  return all;
}

base::Json encode(const Said& said) { return {{"campaign", said.campaign}, {"running", said.running}}; }

}  // namespace assay::service
