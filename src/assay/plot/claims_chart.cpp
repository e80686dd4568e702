#include <assay/plot/claims_chart.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/plot/scale.hpp>

namespace assay::plot {
namespace {

constexpr double kClaimsWidth = 960;
constexpr double kClaimsLeft = 150;
constexpr double kClaimsRight = 944;
constexpr double kClaimsTop = 74;
constexpr double kLane = 17;         // Between marks that would lie on each other.
constexpr double kMarkSize = 7;      // Half-width.
constexpr double kFurthest = 0.301;  // ln; what lies beyond stands at the edge: 26 % faster.
constexpr double kSlowest = 0.105;   // ln: 11 % slower.

std::string percent(double log_ratio) {
  const double change = 100 * std::expm1(log_ratio);
  return fmt::format("{}{:.0f} %", change > 0 ? "+" : change < -0.5 ? "−" : "", std::abs(change));
}

// The claims of one row with their place; those that would touch are stacked.
struct Placed {
  const Claim* claim;
  double x;
  int lane;
};

std::vector<Placed> place(const ClaimsRow& row, const Scale& scale) {
  std::vector<Placed> placed;
  for (const Claim& claim : row.claims) {
    ASSAY_CHECK(std::isfinite(claim.log_ratio));
    placed.push_back({&claim, scale.clamped(claim.log_ratio), 0});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.x < b.x; });
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const bool beyond = !scale.contains(placed[i].claim->log_ratio);
    while (std::any_of(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(i), [&](const Placed& other) {
      const double room = beyond ? 70 : 2 * kMarkSize + 14;
      return other.lane == placed[i].lane && placed[i].x - other.x < room;
    })) {
      ++placed[i].lane;
    }
  }
  return placed;
}

class ClaimsDrawing {
 public:
  explicit ClaimsDrawing(const ClaimsChart& chart)
      : chart_(chart),
        x_(Scale::Kind::linear, {-kFurthest, kSlowest}, {kClaimsLeft + 20, kClaimsRight - 20}),
        height_(kClaimsTop) {
    for (const ClaimsRow& row : chart.rows) {
      rows_.push_back(place(row, x_));
      int lanes = 1;
      for (const Placed& placed : rows_.back()) {
        lanes = std::max(lanes, placed.lane + 1);
      }
      heights_.push_back(kLane * lanes + 18);
      height_ += heights_.back();
    }
  }

  std::string draw() {
    Svg svg({.id = chart_.id,
             .title = chart_.title,
             .description = describe(),
             .width = kClaimsWidth,
             .height = height_ + 40,
             .style = chart_.style});
    std::set<std::size_t> used;
    for (const ClaimsRow& row : chart_.rows) {
      for (const Claim& claim : row.claims) {
        used.insert(claim.kind);
      }
    }
    draw_mark_legend(svg, chart_.kinds, used, {4, 18});
    draw_bands(svg);
    draw_axis(svg);
    double y = kClaimsTop;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      draw_row(svg, i, y);
      y += heights_[i];
    }
    return svg.finish();
  }

 private:
  [[nodiscard]] std::string describe() const {
    std::size_t inside = 0;
    std::size_t count = 0;
    for (const ClaimsRow& row : chart_.rows) {
      for (const Claim& claim : row.claims) {
        ++count;
        inside += chart_.band && std::abs(claim.log_ratio) < *chart_.band ? std::size_t{1} : std::size_t{0};
      }
    }
    return fmt::format("{} claimed changes in {} rows; {} of them lie inside the band of the noise.", count,
                       chart_.rows.size(), inside);
  }

  void draw_bands(Svg& svg) const {
    if (!chart_.band) {
      return;
    }
    const double from = x_.clamped(-*chart_.band);
    const double to = x_.clamped(*chart_.band);
    svg.rectangle({from, kClaimsTop - 6, to - from, height_ - kClaimsTop + 6}, "ap-noise");
    svg.text({(from + to) / 2, kClaimsTop - 14}, chart_.band_name, Anchor::middle, "ap-ink");
  }

  void draw_axis(Svg& svg) const {
    constexpr std::array<double, 7> kPercents = {-25, -20, -15, -10, -5, 5, 10};
    for (const double change : kPercents) {
      const double x = x_.at(std::log1p(change / 100));
      svg.line({x, kClaimsTop - 6}, {x, height_}, "ap-grid");
      svg.text({x, height_ + 16}, fmt::format("{}{:.0f} %", change > 0 ? "+" : "−", std::abs(change)), Anchor::middle,
               "ap-tick");
    }
    svg.line({x_.at(0), kClaimsTop - 6}, {x_.at(0), height_}, "ap-base");
    svg.text({x_.at(0), height_ + 16}, "no change", Anchor::middle, "ap-ink");
    svg.text({kClaimsLeft + 20, height_ + 34}, "← faster", Anchor::start, "ap-tick");
    svg.text({kClaimsRight, height_ + 34}, "slower →", Anchor::end, "ap-tick");
  }

  void draw_row(Svg& svg, std::size_t index, double top) const {
    const ClaimsRow& row = chart_.rows[index];
    const double bottom = top + heights_[index];
    svg.line({0, bottom}, {kClaimsRight, bottom}, "ap-grid");
    svg.text({0, top + 22}, row.name, Anchor::start, "ap-strong");
    if (row.own_band) {
      const double y = bottom - 6;
      const double from = x_.clamped(-*row.own_band);
      const double to = x_.clamped(*row.own_band);
      svg.open(fmt::format("{}: {} of this row, ±{:.1f} %", row.name, chart_.own_band_name,
                           100 * std::expm1(*row.own_band)));
      svg.line({from, y}, {to, y}, "ap-own-band");
      svg.close();
    }
    for (const Placed& placed : rows_[index]) {
      const Claim& claim = *placed.claim;
      const double y = top + 18 + kLane * placed.lane;
      svg.open(claim.tooltip, claim.link);
      draw_mark(svg, chart_.kinds.at(claim.kind), {placed.x, y}, kMarkSize);
      std::string label = claim.label;
      if (!x_.contains(claim.log_ratio)) {
        label += fmt::format(" ({})", percent(claim.log_ratio));
      }
      svg.text({placed.x + kMarkSize + 3, y + 4}, label, Anchor::start, "ap-small");
      svg.close();
    }
  }

  const ClaimsChart& chart_;
  Scale x_;
  std::vector<std::vector<Placed>> rows_;
  std::vector<double> heights_;
  double height_;
};

}  // namespace

std::string draw(const ClaimsChart& chart) { return ClaimsDrawing(chart).draw(); }

}  // namespace assay::plot
