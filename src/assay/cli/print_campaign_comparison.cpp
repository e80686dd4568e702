#include <assay/cli/print_campaign_comparison.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>
#include <assay/report/wording.hpp>

namespace assay::cli {
namespace {

constexpr std::size_t kWidestSide = 44;

std::string all_spent(const report::ComparedCampaign& side) {
  std::vector<std::string> parts;
  for (const report::SpentLine& line : side.spent) {
    parts.push_back(fmt::format("{} ({})", line.spent, line.limit));
  }
  return parts.empty() ? "nothing that is booked" : base::join(parts, ", ");
}

std::string confirmed_words(const report::ComparedCampaign& side) {
  return side.confirmed ? report::with_interval(*side.confirmed) : "not confirmed";
}

std::string promotion_lines(const report::ComparedCampaign& side, const std::string& axis, report::Colour colour) {
  report::Table table({{"candidate", report::Align::right},
                       {"name"},
                       {"after", report::Align::right},
                       {axis, report::Align::right},
                       {"cost since the one before"},
                       {"speedup", report::Align::right}});
  for (const report::ComparedPromotion& one : side.promotions) {
    table.add({std::to_string(one.candidate), one.name + (one.demoted ? " (demoted later)" : ""),
               report::elapsed_text(one.elapsed_seconds), fmt::format("{:.4g}", one.spend), one.cost,
               fmt::format("{:.3f}x", one.speedup)});
  }
  return fmt::format("\npromotions of {}:{}\n", base::printable(side.name), side.promotions.empty() ? " none" : "") +
         table.render(colour, 2);
}

}  // namespace

std::string print_campaign_comparison(const report::CampaignComparison& comparison, const std::string& page,
                                      report::Colour colour) {
  const report::ComparedCampaign& a = comparison.first;
  const report::ComparedCampaign& b = comparison.second;
  std::string text = base::printable(comparison.statement) + "\n";
  for (const std::string& sentence : comparison.sentences) {
    text += "  " + base::printable(sentence) + "\n";
  }
  report::Table table({{""}, {a.name, report::Align::left, kWidestSide}, {b.name, report::Align::left, kWidestSide}});
  table.add({"proposed by", a.mode, b.mode});
  table.add({"state", a.state, b.state});
  table.add({"confirmed speedup", confirmed_words(a), confirmed_words(b)});
  table.add({"candidates", std::to_string(a.candidates), std::to_string(b.candidates)});
  table.add({"invalid, of those judged", report::invalid_text(a), report::invalid_text(b)});
  table.add({"duplicates", std::to_string(a.duplicates), std::to_string(b.duplicates)});
  table.add({"runs of agents", std::to_string(a.runs), std::to_string(b.runs)});
  table.add({"spent", all_spent(a), all_spent(b)});
  table.add({"elapsed", report::elapsed_text(a.elapsed_seconds), report::elapsed_text(b.elapsed_seconds)});
  text += "\n" + table.render(colour, 2);
  text += promotion_lines(a, comparison.axis, colour) + promotion_lines(b, comparison.axis, colour);
  return text + (page.empty() ? std::string() : "\npage: " + base::printable(page) + "\n");
}

}  // namespace assay::cli
