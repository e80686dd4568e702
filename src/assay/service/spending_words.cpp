#include <assay/service/spending_words.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include <assay/base/text.hpp>

namespace assay::service {
namespace {

constexpr std::array<control::Resource, control::kResources> kEach = {
    control::Resource::micro_dollars, control::Resource::tokens, control::Resource::device_ms,
    control::Resource::wall_ms, control::Resource::human_seconds};

std::string amounts_words(const control::Amounts& amounts) {
  std::vector<std::string> parts;
  for (const control::Resource resource : kEach) {
    if (amounts[resource] > 0) {
      // Beside the device's seconds these want a name.
      parts.push_back(control::amount_text(resource, amounts[resource]) +
                      (resource == control::Resource::wall_ms ? " by the clock" : ""));
    }
  }
  return parts.empty() ? "nothing" : base::join(parts, ", ");
}

// A program that tells no dollars has cost some all the same.
std::string untold_words(const control::CampaignState& state) {
  const auto untold = std::count_if(state.runs.begin(), state.runs.end(), [](const control::AgentRunState& run) {
    return run.outcome && !run.micro_dollars;
  });
  const bool of_interest = state.ledger.budget()[control::Resource::micro_dollars] ||
                           state.ledger.spent()[control::Resource::micro_dollars] > 0 ||
                           state.ledger.spent()[control::Resource::tokens] > 0;
  if (untold == 0 || !of_interest) {
    return {};
  }
  return fmt::format(
      "{} of {} runs of agents told no dollars (Codex tells tokens alone): no price is assumed, and each is booked at "
      "what was "
      "set aside for it (--run-dollars; 0 without).",
      untold, state.runs.size());
}

std::string limits_words(const control::Ledger& ledger) {
  std::vector<std::string> parts;
  for (const control::Resource resource : kEach) {
    if (const auto limit = ledger.budget()[resource]) {
      parts.push_back(fmt::format("{} (left: {})", control::amount_text(resource, *limit),
                                  control::amount_text(resource, *ledger.left(resource))));
    }
  }
  return parts.empty() ? "" : "; the limits are " + base::join(parts, ", ");
}

}  // namespace

std::vector<std::string> spending_words(const control::CampaignState& state) {
  std::vector<std::string> sentences;
  const std::string limits = limits_words(state.ledger);
  if (state.ledger.spent() == control::Amounts() && limits.empty()) {
    return sentences;
  }
  sentences.push_back(fmt::format("Spent: {}{}.", amounts_words(state.ledger.spent()), limits));
  for (const control::BudgetRaised& raise : state.raises) {
    sentences.push_back(fmt::format("{} raised the limits to {}.", raise.by, control::limits_text(raise.limits)));
  }
  if (std::string untold = untold_words(state); !untold.empty()) {
    sentences.push_back(std::move(untold));
  }
  for (const control::PromotionCost& promotion : state.promotion_costs) {
    sentences.push_back(
        fmt::format("The promotion of candidate {} cost {}.", promotion.candidate, amounts_words(promotion.cost)));
  }
  if (!state.promotion_costs.empty()) {
    sentences.push_back(fmt::format("Since the last promotion: {}.", amounts_words(state.spent_since_promotion())));
  }
  if (!state.budget_reached.empty()) {
    sentences.push_back("A limit was reached: " + state.budget_reached + ".");
  }
  return sentences;
}

}  // namespace assay::service
