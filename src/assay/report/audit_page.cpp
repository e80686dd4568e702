#include <assay/report/audit_page.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/text.hpp>
#include <assay/foreign/marked_search.hpp>
#include <assay/foreign/wording.hpp>
#include <assay/report/audit_figures.hpp>
#include <assay/report/page_style.hpp>
#include <assay/report/wording.hpp>

namespace assay::report {
namespace {

using foreign::Audit;
using foreign::Evaluation;
using foreign::PromotionAudit;
using foreign::TraceAudit;
using foreign::Verdict;

constexpr std::array<Verdict, foreign::kVerdicts> kVerdictOrder = {
    Verdict::identical,         Verdict::environment_shift,   Verdict::worse,
    Verdict::indistinguishable, Verdict::suspect_environment, Verdict::plausible};

std::string audit_section(std::string_view id, const std::string& title, const std::string& body) {
  return fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", id, safe(title),
                     body);
}

// Sentences for the page; a number and its percent sign stay on one line.
std::string prose(std::string_view text) {
  std::string out = safe(text);
  for (std::size_t at = out.find(" %"); at != std::string::npos; at = out.find(" %", at)) {
    out.replace(at, 1, "&#160;");
  }
  return out;
}

std::string paragraph(const std::string& text) { return "<p>" + prose(text) + "</p>\n"; }

struct Totals {
  std::size_t archived = 0;
  std::size_t failed = 0;
  std::size_t infrastructure = 0;
  std::size_t interface = 0;
  std::size_t unjudged = 0;
  std::size_t doubtful = 0;  ///< Plausible, and inside the noise of their own run.
  std::size_t not_fastest = 0;
  std::size_t tellable = 0;
};

Totals totals(const Audit& audit) {
  Totals sum;
  for (const TraceAudit& trace : audit.traces) {
    sum.archived += trace.archived;
    for (const auto& [failure, count] : trace.failures) {
      sum.failed += count;
      sum.infrastructure += foreign::owner(failure) == foreign::FailureOwner::infrastructure ? count : 0;
      sum.interface += foreign::owner(failure) == foreign::FailureOwner::interface ? count : 0;
    }
    sum.unjudged += trace.unjudged;
    sum.not_fastest += trace.picked != trace.fastest ? 1U : 0U;
    sum.tellable += trace.tellable_apart ? 1U : 0U;
  }
  sum.doubtful = static_cast<std::size_t>(
      std::count_if(audit.promotions.begin(), audit.promotions.end(), [](const PromotionAudit& promotion) {
        return promotion.verdict == Verdict::plausible && !promotion.reasons.empty();
      }));
  return sum;
}

std::string verdict_badge(Verdict verdict) {
  return fmt::format("<span class=\"badge verdict-{}\">{}</span>", foreign::to_string(verdict),
                     safe(foreign::in_words(verdict)));
}

std::string header(const Audit& audit, const AuditPageFacts& facts) {
  std::size_t extra = 0;
  for (const TraceAudit& trace : audit.traces) {
    extra += trace.extra;
  }
  return fmt::format(
      "<header><p class=\"eyebrow\">Assay audit of foreign results</p>\n<h1>{}</h1>\n<p class=\"facts\"><b>{}</b> · "
      "<b>{}</b> archived{} · <b>{}</b></p>\n<p>An optimisation run searches for faster code: it proposes programs, "
      "measures each, and promotes one to its best so far whenever it looks faster. This page asks of each promotion "
      "what the run’s own archive says: was it other code at all, on the same machine, and faster by more than the "
      "same "
      "code differs from itself?</p>\n<nav aria-label=\"Sections\"><a href=\"#decision\">In short</a>"
      "<a href=\"#evidence\">Claims and noise</a><a href=\"#failures\">Failures</a>{}"
      "<a href=\"#promotions\">Every promotion</a><a href=\"#reading\">How to read this</a></nav></header>\n",
      safe(facts.subject), counted(static_cast<std::int64_t>(audit.traces.size()), "optimisation run"),
      counted(static_cast<std::int64_t>(audit.archive.evaluations.size() - extra), "evaluation"),
      extra == 0 ? "" : fmt::format(" and {} left over", extra),
      counted(static_cast<std::int64_t>(audit.promotions.size()), "promotion"), "<a href=\"#runs\">Run by run</a>");
}

std::string tile(std::size_t number, Verdict verdict, std::string_view what) {
  return fmt::format("<div class=\"tile verdict-tile\"><b class=\"big verdict-{}\">{}</b><span>{}</span></div>\n",
                     foreign::to_string(verdict), number, what);
}

std::string in_short(const Audit& audit) {
  const Totals sum = totals(audit);
  const std::size_t plausible = audit.count(Verdict::plausible);
  std::string body = fmt::format("<div class=\"decision\"><p class=\"claim\">{} of {} survive a second look.</p>\n<ul>",
                                 plausible, counted(static_cast<std::int64_t>(audit.promotions.size()), "promotion"));
  body += fmt::format(
      "<li>None of them was confirmed: each side was measured once.{}</li>",
      sum.doubtful == 0
          ? std::string()
          : fmt::format(" {} of the {} lie inside the scatter of their own run’s repeats.", sum.doubtful, plausible));
  if (sum.failed > 0) {
    body += fmt::format(
        "<li>{} of {} evaluations failed; {} of those failures ({:.0f} %) say nothing about the candidate: a spending "
        "limit was reached, or no result came back. {} met nothing else and {} never judged.</li>",
        sum.failed, sum.archived, sum.infrastructure,
        100 * static_cast<double>(sum.infrastructure) / static_cast<double>(sum.failed),
        counted(static_cast<std::int64_t>(sum.unjudged), "program"), sum.unjudged == 1 ? "was" : "were");
  }
  body += fmt::format(
      "<li>In {} of {} something faster had been measured than what the controller ended with; in {} of them by more "
      "than "
      "noise.</li></ul></div>\n",
      sum.not_fastest, counted(static_cast<std::int64_t>(audit.traces.size()), "run"), sum.tellable);
  body += "<div class=\"tiles verdict-tiles\">\n";
  for (const Verdict verdict : kVerdictOrder) {
    if (verdict != Verdict::environment_shift || audit.count(verdict) > 0) {
      static constexpr std::array<std::string_view, foreign::kVerdicts> kMeaning = {
          "promoted the code that was there already",
          "compared two different environments",
          "made it slower",
          "changed less than the same code differs from itself",
          "came when the machine was changed",
          "plausible: nothing speaks against them"};
      body += tile(audit.count(verdict), verdict, kMeaning[static_cast<std::size_t>(verdict)]);
    }
  }
  body += "</div>\n";
  for (const std::string& note : audit.archive.notes) {
    body += "<p class=\"note\">" + safe(note) + "</p>\n";
  }
  return "<section aria-label=\"In short\" id=\"decision\">\n" + body + "</section>\n";
}

std::string evidence(const Audit& audit) {
  std::string body =
      "<p>A promotion claims that the new code is faster than the code it replaces. It is worth no more than the "
      "difference between two measurements of the same code. The archive holds such pairs by accident: the search "
      "submitted the same program again under another name.</p>\n";
  for (const std::string& sentence : foreign::noise_sentences(audit)) {
    body += paragraph(sentence);
  }
  body +=
      "<figure class=\"scroll\">" + plot::draw(claims_chart(audit)) +
      "<figcaption>Every promotion’s change of the mean latency; numbers count the promotions of a run. The shaded "
      "band "
      "holds 95 of 100 comparisons of a program with itself, over all runs. The line under a row is the noise of all "
      "repeats of that run, most of them made within minutes. Marks at the left edge lie far beyond it.</figcaption>"
      "</figure>\n";
  return audit_section("evidence", "What was claimed, and what noise alone gives", body);
}

std::string failure_table(const Audit& audit) {
  std::string head = "<tr><th scope=\"col\">run</th>";
  for (const foreign::Failure failure : foreign::kFailures) {
    head += fmt::format("<th scope=\"col\" class=\"number\">{}<span class=\"minor\">{}</span></th>",
                        safe(foreign::in_words(failure)), safe(foreign::in_words(foreign::owner(failure))));
  }
  std::string rows;
  for (const TraceAudit& trace : audit.traces) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", safe(foreign::short_name(trace.name)));
    for (const foreign::Failure failure : foreign::kFailures) {
      const auto found = trace.failures.find(failure);
      rows += found == trace.failures.end() ? std::string("<td class=\"number faint\">0</td>")
                                            : fmt::format("<td class=\"number\">{}</td>", found->second);
    }
    rows += fmt::format("<td class=\"number\">{}</td></tr>\n", trace.unjudged);
  }
  return "<div class=\"scroll\"><table class=\"failures\"><thead>" + head +
         "<th scope=\"col\" class=\"number\">programs never judged</th></tr></thead><tbody>\n" + rows +
         "</tbody></table></div>\n";
}

std::string failures(const Audit& audit) {
  return audit_section(
      "failures", "Who was to blame for the failures",
      "<figure class=\"scroll\">" + plot::draw(failure_bars(audit)) +
          "<figcaption>What became of every archived evaluation. A spending limit, a lost result and a symbol that the "
          "task "
          "named wrongly say nothing about a program; counted as failures they teach the search to avoid good ideas."
          "</figcaption></figure>\n" +
          failure_table(audit));
}

std::string run_section(const Audit& audit, std::size_t index) {
  const TraceAudit& trace = audit.traces[index];
  std::string body = fmt::format("<h3 id=\"run-{}\">{} <span class=\"minor\">{}</span></h3>\n", index + 1,
                                 safe(foreign::short_name(trace.name)), safe(trace.name));
  std::string list;
  const std::size_t promotions = static_cast<std::size_t>(
      std::count_if(audit.promotions.begin(), audit.promotions.end(),
                    [&](const PromotionAudit& one) { return one.promotion.trace == trace.name; }));
  list += fmt::format(
      "{}, {} measured, {} promoted. {} distinct programs; {} evaluations were of a program that had been evaluated "
      "before. ",
      counted(static_cast<std::int64_t>(trace.archived + trace.extra), "evaluation"),
      std::count_if(audit.archive.evaluations.begin(), audit.archive.evaluations.end(),
                    [&](const Evaluation& one) { return one.trace == trace.name && one.succeeded(); }),
      promotions, trace.distinct_sources, trace.resubmitted);
  list += foreign::choice_sentence(audit, trace) + " ";
  list +=
      trace.noise.degrees == 0
          ? "No program was measured twice."
          : fmt::format(
                "Repeats of the same program scatter by {:.1f} % here ({} degrees of freedom), at most by {:.1f} %.",
                100 * trace.noise.sigma, trace.noise.degrees, 100 * std::expm1(trace.noise.largest_range));
  if (trace.environments > 1) {
    list += fmt::format(
        " The reference’s times fall into {} groups more than a factor {:.0f} apart: the environment was changed "
        "during the "
        "run, and times before and after it cannot be compared.",
        trace.environments, foreign::kEnvironmentFactor);
  }
  std::string marks;
  for (const supervise::Mark& mark : trace.marks) {
    marks += "<li>" + prose(foreign::mark_sentence(audit, trace, mark)) + "</li>";
  }
  return body + paragraph(list) + "<figure class=\"scroll\">" + plot::draw(trace_timeline(audit, index)) +
         "</figure>\n" +
         (marks.empty() ? "" : "<p>What a supervisor would have said at the time:</p><ul>" + marks + "</ul>\n");
}

std::string runs(const Audit& audit) {
  std::string body =
      "<p>Each picture has the evaluations in the order of the search. Above, what the candidates took, lower is "
      "faster: the "
      "line is what the controller held to be the best, the shaded band about it what the same code gives by chance. "
      "Below "
      "it the reference implementation, measured beside each candidate: it never changed, so that where it moves the "
      "environment moved. Crosses are failures: grey ones are nothing that the candidate did. Bars at the foot are "
      "what a "
      "supervisor would have said then, knowing nothing of what came later; the shade above is a plateau.</p>\n";
  for (std::size_t i = 0; i < audit.traces.size(); ++i) {
    body += run_section(audit, i);
  }
  return audit_section("runs", "Run by run", body);
}

std::string side_text(const Evaluation& evaluation) {
  const std::string place = evaluation.iteration ? fmt::format("iteration {}", *evaluation.iteration) : std::string();
  return safe(base::join({evaluation.solution.value_or(evaluation.id), place}, place.empty() ? "" : ", "));
}

std::string promotion_row(const Audit& audit, const PromotionAudit& promotion) {
  const Evaluation& before = audit.archive.evaluations[promotion.promotion.before];
  const Evaluation& after = audit.archive.evaluations[promotion.promotion.after];
  const std::vector<std::string> found = foreign::sentences(audit, promotion);
  std::string why = prose(found.front());
  for (std::size_t i = 1; i < found.size(); ++i) {
    why += "<span class=\"minor\">" + prose(found[i]) + "</span>";
  }
  const bool score = before.score && after.score;
  return fmt::format(
      "<tr id=\"{}\"><td class=\"number\">{}</td><td>{}</td><td>{} → {}<span class=\"minor\">{}</span></td>"
      "<td class=\"number{}\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
      promotion_anchor(audit, promotion.promotion), promotion.promotion.number, verdict_badge(promotion.verdict),
      foreign::latency_text(*before.latency_ms), foreign::latency_text(*after.latency_ms),
      side_text(before) + " → " + side_text(after), promotion.log_latency_ratio > 0 ? " slower" : "",
      foreign::change_text(promotion.log_latency_ratio),
      score ? fmt::format("{:.3g} → {:.3g}", *before.score, *after.score) : std::string("not recorded"), why);
}

std::string promotions(const Audit& audit) {
  std::string body;
  bool weights = false;
  for (const TraceAudit& trace : audit.traces) {
    std::string rows;
    for (const PromotionAudit& promotion : audit.promotions) {
      if (promotion.promotion.trace == trace.name) {
        rows += promotion_row(audit, promotion);
        weights = weights || promotion.weights.has_value();
      }
    }
    if (rows.empty()) {
      continue;
    }
    body += fmt::format(
        "<div class=\"scroll\"><table class=\"promotions\"><caption>{}</caption><thead><tr>"
        "<th scope=\"col\" class=\"number\">no.</th><th scope=\"col\">verdict</th><th scope=\"col\">mean latency</th>"
        "<th scope=\"col\" class=\"number\">change</th><th scope=\"col\" class=\"number\">score</th>"
        "<th scope=\"col\">why</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
        safe(trace.name), rows);
  }
  if (!weights) {
    body +=
        "<p class=\"note\">How far the workloads’ weights might shift before a decision turns cannot be told: this "
        "archive "
        "holds means over workloads only; the latencies of the single workloads were thrown away.</p>\n";
  }
  return audit_section("promotions", "Every promotion", body);
}

std::string reading() {
  std::string list;
  const auto entry = [&](Verdict verdict, std::string_view text) {
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", verdict_badge(verdict), text);
  };
  entry(Verdict::identical, "Both sides have the same source, by bytes or up to comments and blank space.");
  entry(Verdict::environment_shift,
        "The reference implementation’s time changed by more than a factor of two, which noise does not do.");
  entry(Verdict::worse,
        "The promoted code’s mean latency is higher. The score, a ratio to the reference, rose all the same.");
  entry(Verdict::indistinguishable,
        "The change is smaller than the same code’s difference from itself in 95 of 100 comparisons. It may be a gain: "
        "one "
        "measurement each cannot tell.");
  entry(Verdict::suspect_environment,
        "Something about the measuring changed between the two: the profiler stopped working, another script measured, "
        "or "
        "the number of workloads differs.");
  entry(Verdict::plausible, "None of these. It is no proof: nobody measured the two side by side.");
  return audit_section(
      "reading", "How to read this page",
      "<p>The rules are checked in this order; the first that applies is the verdict, and all that apply are "
      "given as reasons.</p>\n<dl class=\"verdicts\">" +
          list + "</dl>\n");
}

// What this page has beyond the style of all pages.
constexpr std::string_view kAuditStyle = R"(.decision .claim{font-size:30px;line-height:1.2;letter-spacing:-.015em}
.decision li{margin:4px 0;max-width:85ch}
.verdict-tiles{grid-template-columns:repeat(auto-fit,minmax(130px,1fr))}
.verdict-tile:first-child{grid-column:auto}
:root{--same:#8c3f77;--doubt:#8a6800;--third:#00795a}
@media (prefers-color-scheme:dark){:root{--same:#d99ac4;--doubt:#f0e442;--third:#38c79a}}
.verdict-identical{color:var(--same)}
.verdict-environment_shift{color:var(--third)}
.verdict-worse{color:var(--bad)}
.verdict-indistinguishable{color:var(--soft)}
.verdict-suspect_environment{color:var(--doubt)}
.verdict-plausible{color:var(--main)}
.faint{color:var(--soft);opacity:.6}
h3 .minor{display:inline;font-weight:400;margin-left:6px;overflow-wrap:anywhere}
.promotions caption{font-weight:600;color:var(--ink);padding-top:14px;overflow-wrap:anywhere}
.promotions{table-layout:fixed;min-width:820px}
.promotions th:nth-child(1){width:5%}
.promotions th:nth-child(2){width:16%}
.promotions th:nth-child(3){width:20%}
.promotions th:nth-child(4){width:13%}
.promotions th:nth-child(5){width:11%}
.failures th.number,.failures td.number{white-space:normal}
figure.scroll svg{min-width:720px}
@media print{figure.scroll svg,.promotions{min-width:0}.promotions td{font-size:9pt}}
)";

}  // namespace

std::string render_audit_page(const Audit& audit, const AuditPageFacts& facts) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src "
      "&#39;unsafe-inline&#39;\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{} – Assay audit</title>\n"
      "<style>\n",
      safe(facts.subject));
  out += page_style() + std::string(kAuditStyle) + "</style>\n</head>\n<body>\n" + header(audit, facts) + "<main>\n";
  out +=
      in_short(audit) + evidence(audit) + failures(audit) + runs(audit) + promotions(audit) + reading() + "</main>\n";
  std::string files;
  for (const auto& [name, digest] : audit.archive.files) {
    files += fmt::format("{}{} (SHA-256 {}…)", files.empty() ? "" : ", ", safe(name), digest.brief());
  }
  return out + fmt::format("<footer>Made by Assay {}{} from {}.</footer>\n</body>\n</html>\n", safe(facts.version),
                           facts.generated.empty() ? "" : " at " + safe(facts.generated), files);
}

}  // namespace assay::report
