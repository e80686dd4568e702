#include <assay/report/html.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>
#include <assay/report/candidate_section.hpp>
#include <assay/report/figures.hpp>
#include <assay/report/page_style.hpp>
#include <assay/report/wording.hpp>
#include <assay/report/workload_section.hpp>

namespace assay::report {
namespace {

std::string section(std::string_view id, std::string_view title, const std::string& body) {
  return fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", id, title, body);
}

std::string sentences(const std::vector<std::string>& lines, std::size_t from) {
  std::string items;
  for (std::size_t i = from; i < lines.size(); ++i) {
    items += "<li>" + safe(lines[i]) + "</li>";
  }
  return items.empty() ? "" : "<ul>" + items + "</ul>";
}

std::string page_header(const CampaignReport& report) {
  const auto fact = [](std::string_view label, const std::string& value) {
    return value.empty() ? "" : fmt::format("{} <b>{}</b>", label, safe(value));
  };
  std::vector<std::string> facts;
  for (std::string text : {fact("device", report.device), fact("policy", report.policy), fact("state", report.state),
                           fact("started", report.started), fact("finished", report.finished)}) {
    if (!text.empty()) {
      facts.push_back(std::move(text));
    }
  }
  const std::string source = report.winner_source.empty() ? "" : "<a href=\"#source\">Source</a>";
  return fmt::format(
      "<header><p class=\"eyebrow\">Assay campaign</p>\n<h1>{}</h1>\n<p class=\"facts\">definition <b>{}</b> "
      "· {}</p>\n"
      "<nav aria-label=\"Sections\"><a href=\"#decision\">Decision</a><a href=\"#search\">Search</a>"
      "<a href=\"#workloads\">Workloads</a><a href=\"#candidates\">Candidates</a>{}<a "
      "href=\"#policy\">Policy</a>"
      "<a href=\"#environment\">Environment</a><a href=\"#reading\">How to read this</a></nav></header>\n",
      safe(report.campaign), safe(report.definition), base::join(facts, " · "), source);
}

std::string tiles(const CampaignReport& report, const Headline& headline) {
  const auto tile = [](const std::string& number, std::string_view what) {
    return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", number, what);
  };
  const std::string text = with_interval(headline.speedup);
  const std::size_t space = text.find(' ');
  const std::string interval = space == std::string::npos ? "interval not known" : "interval " + text.substr(space + 1);
  return fmt::format(
             "<div class=\"tiles\">\n<div class=\"tile\"><div class=\"lead\"><div><b class=\"big\">{}</b>"
             "<span>speedup over the baseline in a new session, {}</span></div><div "
             "class=\"spark\">{}</div></div></div>\n",
             text.substr(0, space), interval, plot::draw(incumbent_sparkline(report))) +
         tile(fmt::format("{:.3f}", headline.mean_latency_ratio), "of the baseline’s mean latency") +
         tile(fmt::format("{:.3f}", headline.contest_score), "contest score: mean of the workloads’ ratios") +
         tile(std::to_string(headline.workloads),
              fmt::format("workload{}, all measured, in {}", headline.workloads == 1 ? "" : "s",
                          counted(headline.pairs, "process pair"))) +
         "</div>\n" +
         (headline.resampled
              ? fmt::format("<p class=\"minor\">For one look: {}. The interval above decided, because it holds "
                            "at every point at which the comparison might have stopped.</p>\n",
                            resampled_text(*headline.resampled))
              : std::string());
}

// Before everything else: who reads no further must have seen it.
std::string alarm_boxes(const CampaignReport& report) {
  std::string boxes;
  for (const std::string& alarm : report.alarms) {
    boxes += "<div class=\"alarm\" role=\"alert\"><p>Alarm: " + safe(alarm) + "</p></div>\n";
  }
  for (const std::string& warning : report.warnings) {
    boxes += "<p class=\"note\">Warning: " + safe(warning) + "</p>\n";
  }
  return boxes;
}

std::string decision_section(const CampaignReport& report) {
  const std::string first = report.decision.empty() ? "No decision has been recorded yet." : report.decision.front();
  std::string body = alarm_boxes(report) + fmt::format("<div class=\"decision\"><p>{}</p>{}</div>\n", safe(first),
                                                       sentences(report.decision, 1));
  if (report.headline) {
    body += tiles(report, *report.headline);
  } else {
    body +=
        "<p class=\"note\">The incumbent has not been compared with the baseline over all workloads in one "
        "session. "
        "Speedups on this page are the search’s own estimates.</p>\n";
  }
  return "<section aria-label=\"Decision\" id=\"decision\">\n" + body + "</section>\n";
}

std::string search_section(const CampaignReport& report) {
  std::string body = fmt::format(
      "<p>{} judged against the incumbent of their time; the baseline is "
      "<b>{}</b>, the incumbent now is <b>{}</b>{}.</p>\n",
      counted(static_cast<std::int64_t>(report.candidates.size()), "candidate"), safe(report.baseline),
      safe(report.incumbent),
      report.incumbent_number ? fmt::format(" (<a href=\"#candidate-{0}\">candidate {0}</a>)", *report.incumbent_number)
                              : "");
  body += outcome_list(report);
  body += "<figure>" + plot::draw(speedup_chart(report)) +
          "<figcaption>Speedup over the baseline, by candidate; the axis is logarithmic. Bars are the "
          "intervals of each "
          "comparison. The estimates are chained (measured against the incumbent of that time, multiplied by "
          "its own), so "
          "they show the course of the search; only the number at the top is measured directly. Below: those "
          "that "
          "were not measured, by outcome.</figcaption></figure>\n";
  return section("search", "The search", body);
}

std::string injection_section(const CampaignReport& report) {
  if (report.injections.empty()) {
    return "";
  }
  return section(
      "injections", "Injections",
      "<p>Solutions whose answer is known, sent through the same gate and sweep to see whether the rules find "
      "it. None of them can be promoted.</p>\n" +
          injection_table(report));
}

// The pictures of the page's own sections are elsewhere; this one is words.
std::string supervisor_section(const CampaignReport& report) {
  if (report.findings.empty() && report.people.empty()) {
    return "";
  }
  std::string body = report.stopped.empty() ? "" : "<p><b>The search was ended:</b> " + safe(report.stopped) + "</p>\n";
  std::string rows;
  for (const FindingRow& finding : report.findings) {
    rows += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        finding.round, safe(finding.condition), safe(finding.cause), safe(finding.recovery),
                        safe(finding.evidence));
  }
  if (!rows.empty()) {
    body +=
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"number\">after round</th>"
        "<th scope=\"col\">found</th><th scope=\"col\">cause</th><th scope=\"col\">what is done</th>"
        "<th scope=\"col\">evidence</th></tr></thead><tbody>\n" +
        rows + "</tbody></table></div>\n";
  }
  std::string people;
  for (const PersonRow& row : report.people) {
    people += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{:.1f}"
        "</td></tr>\n",
        safe(row.what), safe(row.text), safe(row.answer), safe(row.by), row.minutes);
  }
  if (!people.empty()) {
    body +=
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">people</th><th scope=\"col\">asked or said</th>"
        "<th scope=\"col\">answer or effect</th><th scope=\"col\">by</th>"
        "<th scope=\"col\" class=\"number\">minutes</th></tr></thead><tbody>\n" +
        people + "</tbody></table></div>\n";
  }
  return section("supervisor", "The supervisor", body);
}

std::string workload_section(const CampaignReport& report) {
  if (report.workloads.empty()) {
    return section("workloads", "Workloads", "<p>No workload has been measured yet.</p>\n");
  }
  const WorkloadGroups groups = group_workloads(report);
  std::string body =
      "<figure>" + plot::draw(latency_chart(report, groups)) +
      "<figcaption>Median latency of each workload, on a logarithmic axis; lower is faster. A cross at the "
      "bottom marks a workload without a time.</figcaption></figure>\n";
  if (!report.headline) {
    body +=
        "<p class=\"note\">The two sides may have been timed in different sessions; compare them with "
        "care.</p>\n";
  }
  return section("workloads", "Workloads", body + group_table(report, groups) + workload_table(report, groups));
}

// Gives the lines of a unified diff their classes. The headers of its files count as places, not as changes.
std::string diff_lines(const std::string& text) {
  std::string out;
  std::vector<std::string> lines = base::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  for (const std::string& line : lines) {
    const bool place = line.rfind("@@", 0) == 0 || line.rfind("+++", 0) == 0 || line.rfind("---", 0) == 0;
    const char first = line.empty() ? ' ' : line.front();
    const std::string_view css_class = place ? "where" : first == '+' ? "add" : first == '-' ? "cut" : "";
    out += css_class.empty() ? safe(line) : fmt::format("<span class=\"{}\">{}</span>", css_class, safe(line));
    out += '\n';
  }
  return out;
}

std::string source_section(const CampaignReport& report) {
  std::string body;
  for (const SourceText& source : report.winner_source) {
    const std::string text = source.kind == SourceText::Kind::diff ? diff_lines(source.text) : safe(source.text);
    body +=
        fmt::format("<details><summary>{}</summary>\n<pre><code>{}</code></pre></details>\n", safe(source.title), text);
  }
  return body.empty() ? "" : section("source", "The incumbent’s source", body);
}

std::string environment_section(const CampaignReport& report) {
  if (report.environment.empty()) {
    return section("environment", "Environment", "<p>No environment has been recorded.</p>\n");
  }
  std::string rows;
  for (const auto& [name, value] : report.environment) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", safe(name), safe(value));
  }
  return section("environment", "Environment", "<table><tbody>\n" + rows + "</tbody></table>\n");
}

std::string reading_section() {
  return section(
      "reading", "How to read this page",
      "<dl><dt>Speedup</dt><dd>The baseline’s time divided by the incumbent’s: 2× is twice as fast. Over "
      "several "
      "workloads it is the geometric mean.</dd>\n"
      "<dt>Interval</dt><dd>Both sides are timed interleaved, in several pairs of fresh processes; the pair "
      "is "
      "the unit. The interval is Student’s over the pairs, widened so that it holds at every point at which "
      "the comparison may stop.</dd>\n"
      "<dt>Better, not better, indistinguishable</dt><dd>Better: the whole interval lies beyond the policy’s "
      "minimum effect, and no guard failed. Not better: such a gain is excluded, or a guard failed. "
      "Indistinguishable: the limits were reached without either. On a tie the incumbent stays.</dd>\n"
      "<dt>Screening and confirmation</dt><dd>What a candidate shows at its gate and in its sweep is what it was "
      "chosen by, and so it flatters; it is shown as that. The number at the top is of a new session against the "
      "baseline. A winner that is not better there is demoted, and the incumbent before it takes its place.</dd>\n"
      "<dt>Outrun</dt><dd>A candidate that passed its gate and was not swept: its largest possible gain lies below "
      "what "
      "a winner of the same round surely gains, or the policy’s sweeps of the round were used up.</dd>\n"
      "<dt>Correct</dt><dd>Only candidates whose every checked output agreed with the reference are timed "
      "for a "
      "comparison. All others are shown with their cause and have no speedup.</dd>\n"
      "<dt>Contest score</dt><dd>The arithmetic mean, over all workloads, of baseline time divided by "
      "incumbent "
      "time. A missing workload makes it incomplete; it is never left out of a mean.</dd></dl>\n");
}

}  // namespace

std::string render_html(const CampaignReport& report) {
  // The policy is a second lock: should any text of a candidate escape the escaping, no script of it runs.
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src "
      "&#39;unsafe-inline&#39;\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{} – Assay</title>\n"
      "<style>\n",
      safe(report.campaign));
  out += page_style() + "</style>\n</head>\n<body>\n" + page_header(report) + "<main>\n";
  out += decision_section(report) + search_section(report) + supervisor_section(report) + workload_section(report);
  out += section("candidates", "Every candidate",
                 report.candidates.empty() ? "<p>None yet.</p>\n" : candidate_table(report));
  out += injection_section(report) + source_section(report);
  const std::string rules = sentences(report.policy_sentences, 0);
  out += section("policy", "Policy", fmt::format("<p><b>{}</b></p>{}\n", safe(report.policy), rules));
  out += environment_section(report) + reading_section() + "</main>\n";
  out += fmt::format("<footer>Made by Assay {}{}.</footer>\n</body>\n</html>\n", safe(report.version),
                     report.generated.empty() ? "" : " at " + safe(report.generated));
  return out;
}

}  // namespace assay::report
