#include <assay/agent/population.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <assay/base/random.hpp>

namespace assay::agent {
namespace {

// An interval of 95 % is four standard deviations wide. Ours hold at every stopping time and are wider: a measurement is
// trusted less than it might be, never more.
constexpr double kDeviationsInAnInterval = 4;
// What a change does at least, typically, as a logarithm: with less, a first child would be taken for its parent.
constexpr double kLeastTypicalChange = 0.05;
// Of the best of a cell. More would make the smallest of their draws a matter of luck.
constexpr std::size_t kDrawnOfACell = 5;
// The best cell gives the parent with this probability; else the second with it, and so on.
constexpr double kBestCell = 0.5;
constexpr std::size_t kSmallestClass = 1024;
constexpr std::size_t kClassFactor = 4;

double variance_of(const LogInterval& interval) {
  const double deviation = (interval.upper - interval.lower) / kDeviationsInAnInterval;
  return deviation * deviation;
}

struct Elite {
  double draw = 0;
  int number = 0;
  std::string cell;
};

}  // namespace

Population::Population(const PopulationRules& rules, std::vector<Individual> individuals, int round)
    : rules_(rules), individuals_(std::move(individuals)), round_(round) {
  ASSAY_CHECK(rules_.islands > 0 && rules_.offers >= 0 && rules_.migration_rounds > 0);
  ASSAY_CHECK(!individuals_.empty() && individuals_.front().number == 0 && individuals_.front().log_latency);
  for (std::size_t i = 0; i < individuals_.size(); ++i) {
    ASSAY_CHECK(individuals_[i].number == static_cast<int>(i) &&
                individuals_[i].parent.value_or(0) <= individuals_[i].number);
  }
  islands_.assign(static_cast<std::size_t>(rules_.islands), {0});
  for (const Individual& one : individuals_) {
    if (one.round == 0 && one.number > 0) {
      join((one.number - 1) % rules_.islands, one.number);
    }
  }
  for (int before = 1; before < round_; ++before) {
    settle(before);
    if (before % rules_.migration_rounds == 0) {
      migrate(before + 1);
    }
  }
}

const std::vector<int>& Population::members(int island) const { return islands_.at(static_cast<std::size_t>(island)); }

// Each measurement is drawn towards its parent, by as much as its own noise exceeds what changes of this campaign do.
std::vector<std::optional<Belief>> Population::beliefs_before(int round) const {
  const auto measured = [&](int number) {
    const Individual& one = individuals_[static_cast<std::size_t>(number)];
    return one.log_latency && (number == 0 || one.round < round);
  };
  const auto parent_of = [&](const Individual& one) {
    const int parent = one.parent.value_or(0);
    return parent < one.number && measured(parent) ? parent : 0;
  };
  double sum = 0;
  double count = 0;
  for (const Individual& one : individuals_) {
    if (one.number > 0 && measured(one.number)) {
      const double change =
          one.log_latency->mean - individuals_[static_cast<std::size_t>(parent_of(one))].log_latency->mean;
      sum += std::max(0.0, change * change - variance_of(*one.log_latency));
      count += 1;
    }
  }
  const double typical = std::max(count > 0 ? sum / count : 0.0, kLeastTypicalChange * kLeastTypicalChange);
  std::vector<std::optional<Belief>> beliefs(individuals_.size());
  beliefs[0] = Belief{individuals_[0].log_latency->mean, variance_of(*individuals_[0].log_latency)};
  for (const Individual& one : individuals_) {
    if (one.number == 0 || !measured(one.number)) {
      continue;
    }
    const Belief& parent = *beliefs[static_cast<std::size_t>(parent_of(one))];
    const double before = parent.variance + typical;
    const double noise = variance_of(*one.log_latency);
    const double weight = before / (before + noise);
    beliefs[static_cast<std::size_t>(one.number)] =
        Belief{parent.mean + weight * (one.log_latency->mean - parent.mean), weight * noise};
  }
  return beliefs;
}

std::vector<ParentOffer> Population::offers_of(int round) const {
  const auto beliefs = beliefs_before(round);
  std::vector<ParentOffer> offers;
  for (int slot = 0; slot < rules_.offers; ++slot) {
    const std::int64_t turn = static_cast<std::int64_t>(round) * rules_.offers + slot;
    const int island = static_cast<int>(turn % rules_.islands);
    base::Philox random(base::mix(rules_.seed, base::stream_id("parents")),
                        base::mix(static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(slot)));
    std::map<std::string, std::vector<int>> cells;
    for (const int number : members(island)) {
      if (beliefs[static_cast<std::size_t>(number)]) {
        cells[individuals_[static_cast<std::size_t>(number)].cell].push_back(number);
      }
    }
    std::vector<Elite> elites;
    for (auto& [cell, numbers] : cells) {
      const auto mean = [&](int number) { return beliefs[static_cast<std::size_t>(number)]->mean; };
      std::stable_sort(numbers.begin(), numbers.end(), [&](int a, int b) { return mean(a) < mean(b); });
      numbers.resize(std::min(numbers.size(), kDrawnOfACell));
      std::optional<Elite> best;
      for (const int number : numbers) {
        const Belief& belief = *beliefs[static_cast<std::size_t>(number)];
        const double draw = belief.mean + std::sqrt(belief.variance) * random.next_normal();
        if (!best || draw < best->draw) {
          best = Elite{draw, number, cell};
        }
      }
      elites.push_back(std::move(*best));
    }
    std::stable_sort(elites.begin(), elites.end(), [](const Elite& a, const Elite& b) { return a.draw < b.draw; });
    std::size_t rank = 0;
    while (rank + 1 < elites.size() && random.next_uniform() >= kBestCell) {
      ++rank;
    }
    offers.push_back({elites[rank].number, island, elites[rank].cell});
  }
  return offers;
}

// Children of one parent take its offers in turn. Who was offered to nobody stays where its parent lives.
void Population::settle(int round) {
  std::vector<ParentOffer> offers = offers_of(round);
  for (const Individual& one : individuals_) {
    if (one.round != round || one.number == 0) {
      continue;
    }
    const int parent = one.parent.value_or(0);
    const auto offer =
        std::find_if(offers.begin(), offers.end(), [&](const ParentOffer& given) { return given.parent == parent; });
    if (offer != offers.end()) {
      join(offer->island, one.number);
      offers.erase(offer);
      continue;
    }
    const auto home = std::find_if(islands_.begin(), islands_.end(), [&](const std::vector<int>& island) {
      return std::binary_search(island.begin(), island.end(), parent);
    });
    join(home == islands_.end() ? 0 : static_cast<int>(home - islands_.begin()), one.number);
  }
}

void Population::migrate(int round) {
  const auto beliefs = beliefs_before(round);
  const auto bound = [&](int number) {
    const auto& belief = beliefs[static_cast<std::size_t>(number)];
    return belief ? belief->mean + 2 * std::sqrt(belief->variance) : HUGE_VAL;
  };
  std::vector<int> travellers;
  for (const std::vector<int>& island : islands_) {
    travellers.push_back(
        *std::min_element(island.begin(), island.end(), [&](int a, int b) { return bound(a) < bound(b); }));
  }
  for (int island = 0; island < rules_.islands; ++island) {
    join((island + 1) % rules_.islands, travellers[static_cast<std::size_t>(island)]);
  }
}

void Population::join(int island, int number) {
  std::vector<int>& members = islands_[static_cast<std::size_t>(island)];
  const auto place = std::lower_bound(members.begin(), members.end(), number);
  if (place == members.end() || *place != number) {
    members.insert(place, number);
  }
}

std::string cell_of(const task::Solution& solution, const std::string& regime_won) {
  std::size_t bytes = 0;
  for (const task::SourceFile& source : solution.sources) {
    bytes += source.content.size();
  }
  std::size_t limit = kSmallestClass;
  while (limit <= bytes) {
    limit *= kClassFactor;
  }
  return fmt::format("{}, {}, below {} KiB", task::to_string(solution.spec.language),
                     regime_won.empty() ? "no regime won" : "best in " + regime_won, limit / kSmallestClass);
}

std::vector<Individual> individuals_of(const task::Solution& baseline, const std::vector<Trial>& history) {
  std::vector<Individual> individuals = {{0, 0, std::nullopt, LogInterval{}, cell_of(baseline, "")}};
  for (const Trial& trial : history) {
    Individual one{trial.number, trial.round, trial.parent, std::nullopt, cell_of(trial.solution, trial.regime_won)};
    if (task::is_correct(trial.outcome)) {
      one.log_latency = trial.to_baseline;
    }
    individuals.push_back(std::move(one));
  }
  return individuals;
}

}  // namespace assay::agent
