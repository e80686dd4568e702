#include <assay/supervise/supervisor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/stats/binomial_bound.hpp>
#include <assay/supervise/improvement_model.hpp>
#include <assay/supervise/trend.hpp>

namespace assay::supervise {
namespace {

constexpr std::size_t kFewestForTrend = 4;  // Of fewer no order is improbable enough.
constexpr std::size_t kMostImprovements = 16;

// How many of how many.
struct Share {
  int count = 0;
  int of = 0;

  [[nodiscard]] bool surely_above(double tolerated, double error) const {
    return of > 0 && 1 - stats::failure_rate_upper_bound(of - count, of, 1 - error) > tolerated;
  }
  [[nodiscard]] bool surely_below(double least, double error) const {
    return of > 0 && stats::failure_rate_upper_bound(count, of, 1 - error) < least;
  }
  [[nodiscard]] double percent() const { return of == 0 ? 0 : 100.0 * count / of; }
};

// Some neighbouring attempts, counted.
struct Stretch {
  int all = 0;
  int measured = 0;
  int undecided = 0;
  int failed = 0;
  int repeats = 0;
  int lost = 0;

  [[nodiscard]] int judged() const { return all - lost; }
};

class Examination {
 public:
  Examination(const History& history, const Settings& settings) : history_(history), settings_(settings) {
    std::set<std::string> codes;
    for (const Attempt& attempt : history.attempts) {
      const bool known = !attempt.code.empty() && !codes.insert(attempt.code).second;
      repeats_.push_back(known || attempt.kind == AttemptKind::repeated);
    }
    for (std::size_t i = 0; i < count(); ++i) {
      if (at(i).improvement) {
        after_improvement_ = i + 1;
      }
    }
  }

  std::vector<Finding> findings() {
    if (count() > 0) {
      find_phantom();
      find_regression();
      find_stall();
      find_cycle();
      find_diminishing(find_plateau());
    }
    return std::move(findings_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return history_.attempts.size(); }
  [[nodiscard]] const Attempt& at(std::size_t index) const { return history_.attempts[index]; }
  [[nodiscard]] const Attempt& last() const { return history_.attempts.back(); }

  // Where the newest `window` attempts after `first` begin.
  [[nodiscard]] std::size_t window_from(std::size_t first) const {
    const auto window = static_cast<std::size_t>(settings_.window);
    return std::max(first, count() - std::min(count(), window));
  }

  [[nodiscard]] Stretch stretch(std::size_t from) const {
    Stretch sum;
    for (std::size_t i = from; i < count(); ++i) {
      ++sum.all;
      sum.measured += at(i).kind == AttemptKind::measured ? 1 : 0;
      sum.undecided += at(i).kind == AttemptKind::measured && at(i).undecided ? 1 : 0;
      sum.failed += at(i).kind == AttemptKind::failed ? 1 : 0;
      sum.lost += at(i).kind == AttemptKind::lost ? 1 : 0;
      sum.repeats += at(i).kind != AttemptKind::lost && repeats_[i] ? 1 : 0;
    }
    return sum;
  }

  [[nodiscard]] bool is_spent(Cause cause) const {
    return std::find(settings_.spent.begin(), settings_.spent.end(), cause) != settings_.spent.end();
  }

  // The first cause that holds of the attempts from there on, and the sentence that says so.
  [[nodiscard]] std::pair<Cause, std::string> cause_of(Condition condition, std::size_t from) const {
    const Stretch sum = stretch(from);
    const auto holds = [&](Cause cause, const Share& share, double tolerated) {
      return !is_spent(cause) && share.surely_above(tolerated, settings_.error);
    };
    const auto told = [](const Share& share, std::string_view of, std::string_view what, double tolerated) {
      return fmt::format("{} of {} {} ({:.0f} %) {}, surely more than {:.0f} %", share.count, share.of, of,
                         share.percent(), what, 100 * tolerated);
    };
    const Share lost{sum.lost, sum.all};
    if (condition == Condition::stall && holds(Cause::machines, lost, settings_.tolerated_lost)) {
      return {Cause::machines, told(lost, "attempts", "were never judged", settings_.tolerated_lost)};
    }
    const Share undecided{sum.undecided, sum.measured};
    if (condition != Condition::stall && holds(Cause::noise_floor, undecided, settings_.tolerated_undecided)) {
      return {Cause::noise_floor,
              told(undecided, "measured attempts", "could not be told from what they were held against",
                   settings_.tolerated_undecided)};
    }
    const Share invalid{sum.failed, sum.judged()};
    if (holds(Cause::invalid_rate, invalid, settings_.tolerated_invalid)) {
      return {Cause::invalid_rate, told(invalid, "judged attempts", "failed", settings_.tolerated_invalid)};
    }
    const Share repeats{sum.repeats, sum.judged()};
    if (holds(Cause::cycling, repeats, settings_.tolerated_repeats)) {
      return {Cause::cycling, told(repeats, "judged attempts", "repeat code", settings_.tolerated_repeats)};
    }
    if (condition != Condition::stall && !is_spent(Cause::roofline) && history_.headroom &&
        *history_.headroom < settings_.least_headroom) {
      return {Cause::roofline, fmt::format("at most {:.1f} % are left above what the device allows",
                                           100 * std::expm1(std::max(*history_.headroom, 0.0)))};
    }
    return {Cause::none, history_.headroom ? "no known cause holds"
                                           : "no known cause holds; how near the roofline is, nobody has modelled"};
  }

  [[nodiscard]] static Recovery recovery_of(Condition condition, Cause cause) {
    switch (cause) {
      case Cause::noise_floor:
        return Recovery::buy_repeats;
      case Cause::invalid_rate:
        return Recovery::fix_prompt;
      case Cause::cycling:
        return Recovery::close_route;
      case Cause::roofline:
        return Recovery::stop;
      case Cause::machines:
        return Recovery::ask_person;
      case Cause::none:
        break;
    }
    if (condition == Condition::phantom) {
      return Recovery::buy_repeats;  // Of both, side by side in one session.
    }
    return condition == Condition::regression ? Recovery::close_route : Recovery::ask_person;
  }

  void add(Condition condition, std::size_t since, std::string evidence, std::pair<Cause, std::string> cause) {
    const bool momentary =
        since + 1 == count() && (condition == Condition::phantom || condition == Condition::regression);
    findings_.push_back({condition, cause.first, recovery_of(condition, cause.first), momentary, at(since).number,
                         last().number, evidence + "; " + cause.second});
  }

  void find_phantom() {
    if (!last().claim || !(last().claim->gain.lower > 0)) {
      return;
    }
    const std::optional<std::size_t> replaced = last().claim->replaced;
    const auto same_code = [&](const Attempt& other) { return !other.code.empty() && other.code == last().code; };
    std::vector<std::string> against;
    if (replaced && same_code(at(*replaced))) {
      against.push_back(fmt::format("its code is that of attempt {}, which it replaced", at(*replaced).number));
    } else {
      // The same code, measured once more, is as fast as it was: then the gain may be its own.
      const double noise = last().claim->gain.estimate - last().claim->gain.lower;
      const auto earlier =
          std::find_if(history_.attempts.begin(), history_.attempts.end() - 1, [&](const Attempt& one) {
            return one.kind == AttemptKind::measured && same_code(one) && one.environment == last().environment &&
                   one.level && last().level && *last().level - *one.level > noise;
          });
      if (earlier != history_.attempts.end() - 1) {
        against.push_back(fmt::format("its code is that of attempt {}, which was not so fast", earlier->number));
      }
    }
    if (replaced && at(*replaced).environment != last().environment) {
      against.emplace_back("the two were measured in different environments");
    }
    if (!against.empty()) {
      std::string why = against.front() + (against.size() > 1 ? ", and " + against.back() : "");
      add(Condition::phantom, count() - 1,
          fmt::format("attempt {} was promoted as {:.3g} times as fast", last().number,
                      std::exp(last().claim->gain.estimate)),
          {Cause::none, std::move(why)});
    }
  }

  void find_regression() {
    const bool same_environment =
        last().claim && last().claim->replaced && at(*last().claim->replaced).environment == last().environment;
    if (same_environment && last().claim->gain.upper < 0) {
      add(Condition::regression, count() - 1,
          fmt::format(
              "attempt {} was promoted and is slower than what it replaced: {:.3g} times as fast, at most {:.3g}",
              last().number, std::exp(last().claim->gain.estimate), std::exp(last().claim->gain.upper)),
          cause_of(Condition::regression, window_from(0)));
      return;
    }
    std::vector<double> levels;
    std::size_t first = count() - 1;
    for (std::size_t i = count(); i > 0 && levels.size() < static_cast<std::size_t>(settings_.window); --i) {
      if (at(i - 1).level && at(i - 1).environment == last().environment) {
        levels.push_back(*at(i - 1).level);
        first = i - 1;
      }
    }
    std::reverse(levels.begin(), levels.end());
    const double chance = levels.size() < kFewestForTrend ? 1 : decline_probability(levels);
    if (last().level && chance <= settings_.regression_error) {
      add(Condition::regression, first,
          fmt::format("the speed of the newest {} measured attempts falls as only {:.2g} % of random orders do",
                      levels.size(), 100 * chance),
          cause_of(Condition::regression, first));
    }
  }

  void find_stall() {
    const std::size_t from = window_from(0);
    const Stretch sum = stretch(from);
    const Share measured{sum.measured, sum.all};
    if (measured.surely_below(settings_.least_measured, settings_.error)) {
      add(Condition::stall, from,
          fmt::format("of the newest {} attempts {} could be measured, surely less than {:.0f} %", measured.of,
                      measured.count, 100 * settings_.least_measured),
          cause_of(Condition::stall, from));
    }
  }

  void find_cycle() {
    const std::size_t from = window_from(0);
    const Stretch sum = stretch(from);
    const Share repeats{sum.repeats, sum.judged()};
    if (repeats.surely_above(settings_.tolerated_repeats, settings_.error)) {
      add(Condition::cycle, from,
          fmt::format("{} of the newest {} judged attempts repeat code, surely more than {:.0f} %", repeats.count,
                      repeats.of, 100 * settings_.tolerated_repeats),
          {Cause::cycling, "what repeats says nothing new"});
    }
  }

  bool find_plateau() {
    ImprovementModel model;
    for (const Attempt& attempt : history_.attempts) {
      if (attempt.kind != AttemptKind::lost) {
        model.observe(attempt.improvement.has_value());
      }
    }
    const double probability = model.probability_within(settings_.horizon);
    if (last().improvement || !(probability < settings_.least_probability)) {
      return false;
    }
    add(Condition::plateau, after_improvement_,
        fmt::format("after {} attempts without an improvement that was shown, the probability that one of the next {} "
                    "improves is {:.1f} %, below {:.0f} %",
                    model.since_improvement(), settings_.horizon, 100 * probability, 100 * settings_.least_probability),
        cause_of(Condition::plateau, window_from(after_improvement_)));
    return true;
  }

  void find_diminishing(bool plateau) {
    std::vector<double> rates;
    int wait = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      wait += at(i).kind == AttemptKind::lost ? 0 : 1;
      if (at(i).improvement) {
        rates.push_back(*at(i).improvement / wait);
        wait = 0;
      }
    }
    if (rates.size() > kMostImprovements) {
      rates.erase(rates.begin(), rates.end() - static_cast<std::ptrdiff_t>(kMostImprovements));
    }
    const double chance = rates.size() < kFewestForTrend ? 1 : decline_probability(rates);
    if (plateau || chance > settings_.diminishing_error) {
      return;
    }
    add(Condition::diminishing_returns, 0,
        fmt::format(
            "the gain per attempt of the last {} improvements falls, from {:.2g} % to {:.2g} %, as only {:.2g} % of "
            "random orders do",
            rates.size(), 100 * rates.front(), 100 * rates.back(), 100 * chance),
        cause_of(Condition::diminishing_returns, window_from(after_improvement_)));
  }

  const History& history_;
  const Settings& settings_;
  std::vector<bool> repeats_;  // By index: the code was there before.
  std::size_t after_improvement_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> examine(const History& history, const Settings& settings) {
  ASSAY_CHECK(settings.window >= 1 && settings.window <= 64 && settings.horizon >= 1);
  return Examination(history, settings).findings();
}

}  // namespace assay::supervise
