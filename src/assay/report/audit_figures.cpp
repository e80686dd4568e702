#include <assay/report/audit_figures.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include <assay/foreign/marked_search.hpp>
#include <assay/foreign/wording.hpp>
#include <assay/supervise/words.hpp>

namespace assay::report {
namespace {

using foreign::Audit;
using foreign::Evaluation;
using foreign::PromotionAudit;

constexpr double kNanosecondsPerMillisecond = 1e6;

std::string claim_tooltip(const Audit& audit, const PromotionAudit& promotion) {
  return fmt::format("{} #{}: {}. {}", foreign::short_name(promotion.promotion.trace), promotion.promotion.number,
                     foreign::in_words(promotion.verdict), foreign::sentences(audit, promotion).front());
}

std::string place_text(const Evaluation& evaluation) {
  return evaluation.iteration ? fmt::format("iteration {}", *evaluation.iteration) : "iteration not known";
}

// Its bar lies where its attempts do; those without a place in the search lie between them.
plot::SpanMark span_of(const Audit& audit, const foreign::TraceAudit& trace, const supervise::Mark& mark,
                       const std::map<std::size_t, std::size_t>& places) {
  const auto place = [&](int attempt) {
    return static_cast<double>(places.at(trace.search.attempts[static_cast<std::size_t>(attempt - 1)]));
  };
  plot::SpanMark span;
  span.from = place(mark.finding.at);
  span.to = place(mark.until);
  span.label = supervise::short_words(mark.finding.condition);
  span.tooltip = foreign::mark_sentence(audit, trace, mark);
  span.shaded = mark.finding.condition == supervise::Condition::plateau;
  const bool urgent = mark.finding.condition == supervise::Condition::phantom ||
                      mark.finding.condition == supervise::Condition::regression;
  span.tone = urgent ? plot::Tone::bad : span.shaded ? plot::Tone::doubt : plot::Tone::same;
  return span;
}

}  // namespace

const std::vector<plot::MarkKind>& verdict_marks() {
  constexpr std::size_t kTriangle = 1;
  constexpr std::size_t kSquare = 2;
  constexpr std::size_t kDiamond = 3;
  constexpr std::size_t kInverted = 5;
  static const std::vector<plot::MarkKind> kMarks = {
      {foreign::in_words(foreign::Verdict::identical), kSquare, plot::Tone::same},
      {foreign::in_words(foreign::Verdict::environment_shift), kSquare, plot::Tone::other},
      {foreign::in_words(foreign::Verdict::worse), kTriangle, plot::Tone::bad},
      {foreign::in_words(foreign::Verdict::indistinguishable), kDiamond, plot::Tone::faint},
      {foreign::in_words(foreign::Verdict::suspect_environment), kDiamond, plot::Tone::doubt},
      {foreign::in_words(foreign::Verdict::plausible), kInverted, plot::Tone::good},
  };
  return kMarks;
}

std::string promotion_anchor(const Audit& audit, const foreign::Promotion& promotion) {
  const auto found = std::find_if(audit.traces.begin(), audit.traces.end(),
                                  [&](const auto& trace) { return trace.name == promotion.trace; });
  return fmt::format("promotion-{}-{}", found - audit.traces.begin() + 1, promotion.number);
}

plot::ClaimsChart claims_chart(const Audit& audit) {
  plot::ClaimsChart chart;
  chart.id = "claims";
  chart.title = "Every promotion’s change of the mean latency, against the noise";
  chart.kinds = verdict_marks();
  chart.style = plot::Style::from_page;
  if (audit.noise.source != foreign::ComparisonNoise::Source::none) {
    chart.band = audit.noise.band;
    chart.band_name = "as far as the same code differs from itself";
  }
  chart.own_band_name = "noise of its own repeats";
  for (const foreign::TraceAudit& trace : audit.traces) {
    plot::ClaimsRow row;
    row.name = foreign::short_name(trace.name);
    if (trace.noise.degrees > 0) {
      row.own_band = stats::difference_band(trace.noise.sigma);
    }
    for (const PromotionAudit& promotion : audit.promotions) {
      if (promotion.promotion.trace == trace.name) {
        row.claims.push_back({promotion.log_latency_ratio, static_cast<std::size_t>(promotion.verdict),
                              std::to_string(promotion.promotion.number), claim_tooltip(audit, promotion),
                              "#" + promotion_anchor(audit, promotion.promotion)});
      }
    }
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

plot::ShareBars failure_bars(const Audit& audit) {
  plot::ShareBars bars;
  bars.id = "failures-picture";
  bars.title = "What became of every evaluation, by whose doing";
  bars.style = plot::Style::from_page;
  bars.parts = {{"measured", plot::Tone::good},
                {"the candidate failed", plot::Tone::bad},
                {"the interface was described wrongly", plot::Tone::same},
                {"the infrastructure failed", plot::Tone::faint}};
  for (const foreign::TraceAudit& trace : audit.traces) {
    plot::ShareBar bar{foreign::short_name(trace.name), {trace.succeeded, 0, 0, 0}};
    for (const auto& [failure, count] : trace.failures) {
      const foreign::FailureOwner owner = foreign::owner(failure);
      bar.counts[owner == foreign::FailureOwner::candidate   ? 1
                 : owner == foreign::FailureOwner::interface ? 2
                                                             : 3] += count;
    }
    bars.bars.push_back(std::move(bar));
  }
  return bars;
}

plot::Timeline trace_timeline(const Audit& audit, std::size_t trace_index) {
  const foreign::TraceAudit& trace = audit.traces.at(trace_index);
  plot::Timeline timeline;
  timeline.id = fmt::format("trace-{}-picture", trace_index + 1);
  timeline.title = fmt::format("The search of {}", trace.name);
  timeline.kinds = verdict_marks();
  timeline.style = plot::Style::from_page;
  if (audit.noise.source != foreign::ComparisonNoise::Source::none) {
    timeline.band = audit.noise.band;
  }
  std::map<std::size_t, const PromotionAudit*> promoted;
  std::optional<std::size_t> first_best;
  for (const PromotionAudit& promotion : audit.promotions) {
    if (promotion.promotion.trace == trace.name) {
      promoted.emplace(promotion.promotion.after, &promotion);
      first_best = promotion.promotion.number == 1 ? std::optional(promotion.promotion.before) : first_best;
    }
  }
  std::map<foreign::Failure, std::size_t> rows;
  for (const foreign::Failure failure : foreign::kFailures) {
    if (trace.failures.count(failure) + trace.extra_failures.count(failure) > 0) {
      rows.emplace(failure, timeline.rows.size());
      timeline.rows.push_back({foreign::in_words(failure), foreign::owner(failure) == foreign::FailureOwner::candidate
                                                               ? plot::Tone::bad
                                                               : plot::Tone::faint});
    }
  }
  std::optional<std::int64_t> run = -1;
  std::map<std::size_t, std::size_t> places;  // Of evaluations.
  for (const std::size_t i : foreign::search_order(audit.archive, trace.name)) {
    places.emplace(i, timeline.points.size());
    const Evaluation& evaluation = audit.archive.evaluations[i];
    if (timeline.stretches.empty() || evaluation.controller_run != run) {
      run = evaluation.controller_run;
      timeline.stretches.push_back({run ? fmt::format("controller run {}", *run) : "place not known", 0});
    }
    ++timeline.stretches.back().count;
    plot::TimelinePoint point;
    const foreign::Failure failure = foreign::failure_of(evaluation);
    if (failure == foreign::Failure::none) {
      point.latency_ns = kNanosecondsPerMillisecond * *evaluation.latency_ms;
      point.reference_ns = kNanosecondsPerMillisecond * *evaluation.reference_latency_ms;
      point.tooltip = fmt::format("{}, {}: {}, reference {}", evaluation.id, place_text(evaluation),
                                  foreign::latency_text(*evaluation.latency_ms),
                                  foreign::latency_text(*evaluation.reference_latency_ms));
    } else {
      point.row = rows.at(failure);
      point.tooltip = fmt::format("{}, {}: {} ({})", evaluation.id, place_text(evaluation), foreign::in_words(failure),
                                  foreign::in_words(foreign::owner(failure)));
    }
    point.starts = first_best == i;
    if (const auto found = promoted.find(i); found != promoted.end()) {
      point.promoted = static_cast<std::size_t>(found->second->verdict);
      point.label = std::to_string(found->second->promotion.number);
      point.link = "#" + promotion_anchor(audit, found->second->promotion);
      point.tooltip += ". " + claim_tooltip(audit, *found->second);
    }
    timeline.points.push_back(std::move(point));
  }
  for (const supervise::Mark& mark : trace.marks) {
    timeline.spans.push_back(span_of(audit, trace, mark, places));
  }
  return timeline;
}

}  // namespace assay::report
