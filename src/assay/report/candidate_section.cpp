#include <assay/report/candidate_section.hpp>

#include <fmt/core.h>

#include <algorithm>

#include <assay/report/wording.hpp>

namespace assay::report {
namespace {

std::string_view family_class(OutcomeFamily family) {
  switch (family) {
    case OutcomeFamily::gain:
      return "gain";
    case OutcomeFamily::kept:
      return "kept";
    case OutcomeFamily::failure:
      return "failure";
    case OutcomeFamily::neutral:
      return "neutral";
  }
  return "neutral";
}

std::string badge(std::string_view css_class, std::string_view text) {
  return fmt::format("<span class=\"badge {}\">{}</span>", css_class, safe(text));
}

std::string badge(const std::optional<task::Outcome>& outcome) {
  return outcome ? badge(family_class(family(*outcome)), words(*outcome)) : badge("neutral", "not judged yet");
}

std::string minor(const std::string& safe_text) {
  return safe_text.empty() ? "" : fmt::format("<span class=\"minor\">{}</span>", safe_text);
}

std::string candidate_link(int number) { return fmt::format("<a href=\"#candidate-{0}\">candidate {0}</a>", number); }

std::string name_cell(const CandidateRow& row) {
  std::string origin = row.round == 0 ? "supplied by hand" : fmt::format("round {}", row.round);
  if (row.parent) {
    origin += ", from " + candidate_link(*row.parent);
  }
  return safe(row.name) + minor(fmt::format("<code>{}</code> · {}", safe(row.digest), origin));
}

std::string outcome_cell(const CandidateRow& row) {
  std::string cell = badge(row.outcome);
  if (row.promoted) {
    cell += " " + (row.demotion.empty() ? badge("won", "promoted") : badge("failure", "demoted"));
  }
  cell += minor(safe(row.cause)) + minor(safe(row.demotion));
  cell += row.unswept.empty() ? "" : minor("not swept: " + safe(row.unswept));
  if (row.duplicate_of) {
    cell += minor("same as " + candidate_link(*row.duplicate_of));
  }
  return cell;
}

std::string speedup_cell(const CandidateRow& row) {
  const std::optional<Ratio> speedup = trusted_speedup(row);
  std::string cell = "–";
  if (speedup) {
    const std::string text = with_interval(*speedup);
    const std::size_t space = text.find(' ');
    cell = space == std::string::npos ? text : text.substr(0, space) + minor(text.substr(space + 1));
  }
  return cell + minor(row.stage ? safe(task::to_string(*row.stage)) : "");
}

std::string hypothesis_cell(const CandidateRow& row) {
  const HypothesisText& hypothesis = row.hypothesis;
  std::string cell = safe(hypothesis.change);
  const auto labelled = [](std::string_view label, const std::string& text) {
    return text.empty() ? "" : fmt::format("{}: {}", label, safe(text));
  };
  std::string scope = labelled("regime", hypothesis.regime);
  const bool known = hypothesis.limiting_resource != "unknown";  // what a proposer writes that has not measured it
  const std::string limit = known ? labelled("limited by", hypothesis.limiting_resource) : "";
  scope += scope.empty() || limit.empty() ? limit : " · " + limit;
  cell += minor(labelled("predicted", hypothesis.predicted_effect)) + minor(scope);
  const std::string parameters = pairs_text(row.parameters);
  return cell + (parameters.empty() ? "" : minor("<code>" + safe(parameters) + "</code>"));
}

}  // namespace

std::string outcome_list(const CampaignReport& report) {
  std::string items;
  for (const OutcomeCount& entry : count_outcomes(report)) {
    items += fmt::format("<li>{} {}</li>", entry.count, badge(entry.outcome));
  }
  const auto waiting = std::count_if(report.candidates.begin(), report.candidates.end(),
                                     [](const CandidateRow& row) { return !row.outcome; });
  if (waiting > 0) {
    items += fmt::format("<li>{} {}</li>", waiting, badge(std::nullopt));
  }
  return items.empty() ? "" : "<ul class=\"counts\">" + items + "</ul>\n";
}

std::string injection_table(const CampaignReport& report) {
  std::string out =
      "<div class=\"scroll\"><table class=\"injections\">\n<thead><tr><th scope=\"col\" class=\"number\">#</th>"
      "<th scope=\"col\">What was sent through</th><th scope=\"col\">Outcome and cause</th>"
      "<th scope=\"col\" class=\"number\">Against the incumbent</th></tr></thead>\n<tbody>\n";
  for (const InjectionRow& row : report.injections) {
    CandidateRow judged;
    judged.outcome = row.outcome;
    judged.speedup = row.speedup;
    judged.stage = row.stage;
    out += fmt::format(
        "<tr><td class=\"number\">{}</td><td>{}, which {}{}</td><td>{}{}</td><td class=\"number\">{}</td></tr>\n",
        row.number, safe(row.what), safe(row.must), minor(fmt::format("after round {}", row.round)),
        badge(row.outcome) + minor(safe(row.cause)),
        row.complaint.empty() ? "" : "<span class=\"slower\">" + safe(row.complaint) + "</span>", speedup_cell(judged));
  }
  return out + "</tbody></table></div>\n";
}

std::string candidate_table(const CampaignReport& report) {
  std::string out =
      "<div class=\"scroll\"><table class=\"candidates\">\n<thead><tr><th scope=\"col\" "
      "class=\"number\">#</th>"
      "<th scope=\"col\">Candidate</th><th scope=\"col\">Outcome and cause</th>"
      "<th scope=\"col\" class=\"number\">Speedup</th><th scope=\"col\">Hypothesis and "
      "parameters</th></tr></thead>\n"
      "<tbody>\n";
  for (const CandidateRow& row : report.candidates) {
    out += fmt::format(
        "<tr id=\"candidate-{0}\"{1}><td class=\"number\">{0}</td><td>{2}</td><td>{3}</td>"
        "<td class=\"number\">{4}</td><td>{5}</td></tr>\n",
        row.number, row.promoted && row.demotion.empty() ? " class=\"promoted\"" : "", name_cell(row),
        outcome_cell(row), speedup_cell(row), hypothesis_cell(row));
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace assay::report
