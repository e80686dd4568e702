#include <assay/report/comparison.hpp>

#include <fmt/core.h>

#include <cmath>

#include <assay/plot/gain_chart.hpp>
#include <assay/report/page_style.hpp>
#include <assay/report/wording.hpp>

namespace assay::report {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 3600;

plot::GainCurve curve_of(const ComparedCampaign& campaign) {
  plot::GainCurve curve;
  curve.name = campaign.name;
  curve.end = campaign.end;
  for (const ComparedPromotion& one : campaign.promotions) {
    curve.steps.push_back(
        {one.spend, one.speedup, std::to_string(one.candidate),
         fmt::format("candidate {} ({}) after {}: {}{}", one.candidate, one.name, elapsed_text(one.elapsed_seconds),
                     with_interval({one.speedup, 0, HUGE_VAL}), one.demoted ? ", demoted later" : "")});
  }
  if (campaign.confirmed) {
    curve.confirmed =
        plot::SpeedupEstimate{campaign.confirmed->estimate, campaign.confirmed->lower, campaign.confirmed->upper};
  }
  return curve;
}

std::string compared_row(const std::string& what, const std::string& first, const std::string& second) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", safe(what), safe(first),
                     safe(second));
}

std::string confirmed_text(const ComparedCampaign& campaign) {
  return campaign.confirmed ? with_interval(*campaign.confirmed) : "not confirmed";
}

const SpentLine* find_spent(const ComparedCampaign& campaign, const std::string& resource) {
  for (const SpentLine& line : campaign.spent) {
    if (line.resource == resource) {
      return &line;
    }
  }
  return nullptr;
}

std::string spent_text(const ComparedCampaign& campaign, const std::string& resource) {
  const SpentLine* line = find_spent(campaign, resource);
  return line == nullptr ? "none" : fmt::format("{} ({})", line->spent, line->limit);
}

std::string compared_facts(const CampaignComparison& comparison) {
  const ComparedCampaign& a = comparison.first;
  const ComparedCampaign& b = comparison.second;
  std::string rows = compared_row("proposed by", a.mode, b.mode) + compared_row("state", a.state, b.state);
  rows += compared_row("confirmed speedup over the baseline", confirmed_text(a), confirmed_text(b));
  rows += compared_row("promotions", std::to_string(a.promotions.size()), std::to_string(b.promotions.size()));
  rows += compared_row("candidates", std::to_string(a.candidates), std::to_string(b.candidates));
  rows += compared_row("duplicates, not judged", std::to_string(a.duplicates), std::to_string(b.duplicates));
  rows += compared_row("invalid, of those judged", invalid_text(a), invalid_text(b));
  rows += compared_row("runs of agents", std::to_string(a.runs), std::to_string(b.runs));
  for (const SpentLine& line : a.spent) {
    rows += compared_row(line.resource, spent_text(a, line.resource), spent_text(b, line.resource));
  }
  for (const SpentLine& line : b.spent) {
    if (find_spent(a, line.resource) == nullptr) {
      rows += compared_row(line.resource, spent_text(a, line.resource), spent_text(b, line.resource));
    }
  }
  rows += compared_row("elapsed, waiting included", elapsed_text(a.elapsed_seconds), elapsed_text(b.elapsed_seconds));
  return fmt::format(
      "<div class=\"scroll\"><table><thead><tr><th></th><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead>"
      "<tbody>\n{}</tbody></table></div>\n",
      safe(a.name), safe(b.name), rows);
}

std::string compared_promotions(const ComparedCampaign& campaign, const std::string& axis) {
  std::string text = fmt::format("<h3>{}</h3>\n", safe(campaign.name));
  if (campaign.promotions.empty()) {
    return text + "<p>Nothing was promoted.</p>\n";
  }
  text += fmt::format(
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">candidate</th><th "
      "scope=\"col\">name</th><th "
      "scope=\"col\" class=\"number\">after</th><th scope=\"col\" class=\"number\">{}</th><th scope=\"col\">cost since "
      "the one before</th><th scope=\"col\" class=\"number\">speedup, screening</th></tr></thead><tbody>\n",
      safe(axis));
  for (const ComparedPromotion& one : campaign.promotions) {
    text += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}{}</td><td class=\"number\">{}</td><td class=\"number\">{:.4g}</td>"
        "<td>{}</td><td class=\"number\">{:.3f}×</td></tr>\n",
        one.candidate, safe(one.name), one.demoted ? " <span class=\"slower\">demoted later</span>" : "",
        elapsed_text(one.elapsed_seconds), one.spend, safe(one.cost), one.speedup);
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string elapsed_text(std::int64_t seconds) {
  if (seconds < kMinute) {
    return fmt::format("{} s", seconds);
  }
  if (seconds < kHour) {
    return fmt::format("{} min {:02} s", seconds / kMinute, seconds % kMinute);
  }
  return fmt::format("{} h {:02} min", seconds / kHour, seconds % kHour / kMinute);
}

std::string invalid_text(const ComparedCampaign& campaign) {
  return campaign.judged == 0 ? "none judged"
                              : fmt::format("{} of {} ({:.0f} %)", campaign.invalid, campaign.judged,
                                            100.0 * campaign.invalid / campaign.judged);
}

std::string render_comparison(const CampaignComparison& comparison) {
  const std::string title = fmt::format("{} and {}", comparison.first.name, comparison.second.name);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src "
      "&#39;unsafe-inline&#39;\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{} – Assay</title>\n"
      "<style>\n{}{}</style>\n</head>\n<body>\n",
      safe(title), page_style(), plot::gain_chart_style());
  out += fmt::format(
      "<header><p class=\"eyebrow\">Two campaigns</p>\n<h1>{}</h1>\n<p class=\"facts\">definition <b>{}</b> · device "
      "<b>{}</b> · baseline <b>{}</b></p></header>\n<main>\n",
      safe(title), safe(comparison.definition), safe(comparison.device), safe(comparison.baseline));
  std::string items;
  for (const std::string& sentence : comparison.sentences) {
    items += "<li>" + safe(sentence) + "</li>";
  }
  out += fmt::format("<section aria-label=\"Decision\"><div class=\"decision\"><p>{}</p>{}</div></section>\n",
                     safe(comparison.statement), items.empty() ? "" : "<ul>" + items + "</ul>");
  const plot::GainChart chart{"gain",
                              "Speedup over the baseline against what was spent",
                              comparison.axis,
                              {curve_of(comparison.first), curve_of(comparison.second)}};
  out += "<section aria-labelledby=\"course\"><h2 id=\"course\">Gain over spend</h2>\n<figure>" + plot::draw(chart) +
         "<figcaption>Each step is a promotion, with its candidate’s number, at the speedup that its sweeps showed: "
         "what it was chosen by, and so flattering. The bars to the right are the confirmed speedups with their "
         "intervals, measured in new sessions.</figcaption></figure></section>\n";
  out += "<section aria-labelledby=\"facts\"><h2 id=\"facts\">Side by side</h2>\n" + compared_facts(comparison) +
         "</section>\n";
  out += "<section aria-labelledby=\"promotions\"><h2 id=\"promotions\">Promotions</h2>\n" +
         compared_promotions(comparison.first, comparison.axis) +
         compared_promotions(comparison.second, comparison.axis) + "</section>\n</main>\n";
  out += fmt::format("<footer>Made by Assay {}{}.</footer>\n</body>\n</html>\n", safe(comparison.version),
                     comparison.generated.empty() ? "" : " at " + safe(comparison.generated));
  return out;
}

}  // namespace assay::report
