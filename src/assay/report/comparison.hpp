#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/report/model.hpp>

namespace assay::report {

/// Two campaigns beside each other, as plain values: whoever fills it has done the arithmetic. All text is untrusted.

/// What was spent of one resource, in words; empty: none of it.
struct SpentLine {
  std::string resource;  ///< "dollars", "tokens", …
  std::string spent;
  std::string limit;  ///< "no limit".
};

/// A candidate that became the incumbent.
struct ComparedPromotion {
  int candidate = 0;
  std::string name;
  std::int64_t elapsed_seconds = 0;  ///< Since the campaign began.
  double spend = 0;                  ///< On the comparison's axis, up to here.
  std::string cost;                  ///< Of all resources since the promotion before, in words.
  double speedup = 1;                ///< Over the baseline: the product of the sweeps that led to it. Screening.
  bool demoted = false;              ///< Its confirmation failed later.
};

struct ComparedCampaign {
  std::string name;
  std::string mode;   ///< "one agent: claude", "full agent: …", "tuner".
  std::string state;  ///< "finished", …
  int runs = 0;       ///< Of agents.
  int candidates = 0;
  int duplicates = 0;
  int judged = 0;   ///< Without duplicates.
  int invalid = 0;  ///< Of those: not built, crashed, incorrect, ….
  std::vector<ComparedPromotion> promotions;
  std::vector<SpentLine> spent;
  double end = 0;  ///< On the axis.
  std::int64_t elapsed_seconds = 0;
  std::optional<Ratio> confirmed;  ///< Over the baseline. 1 where the baseline stays; absent: not confirmed (yet).
};

struct CampaignComparison {
  std::string definition;
  std::string device;
  std::string baseline;
  std::string axis;  ///< "dollars spent by agents".
  bool equal_budgets = false;
  bool decided = false;
  std::string statement;               ///< Which ended faster, or that it cannot be said.
  std::vector<std::string> sentences;  ///< What else has to be known to read it.
  ComparedCampaign first;
  ComparedCampaign second;
  std::string generated;  ///< UTC.
  std::string version;
};

/// Writes the page. Pure.
[[nodiscard]] std::string render_comparison(const CampaignComparison& comparison);

/// Returns "12 s", "4 min 05 s", "2 h 03 min".
[[nodiscard]] std::string elapsed_text(std::int64_t seconds);

/// Returns "3 of 12 (25 %)"; "none judged".
[[nodiscard]] std::string invalid_text(const ComparedCampaign& campaign);

}  // namespace assay::report
