#include <assay/agent/tuner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include <assay/task/expression.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kParents = 3;      // How many of the best points are moved from.
constexpr int kOneRandomIn = 4;          // Share of later proposals that explore.
constexpr int kDrawsPerProposal = 1000;  // In spaces that are too large to enumerate.

struct Measured {
  double log_ratio = 0;
  int number = 0;
  Point point;
};

struct Move {
  Point point;
  Hypothesis hypothesis;
  std::optional<int> parent;
};

task::Solution choose(const task::Solution& solution, task::Named<std::int64_t> values) {
  task::Solution chosen = solution;
  std::string numbers;
  for (const auto& [parameter, value] : values) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : "-", value);
  }
  chosen.name = fmt::format("{}@{}", solution.name.substr(0, solution.name.find('@')), numbers);
  chosen.parameters = std::move(values);
  return chosen;
}

void shuffle(std::vector<Point>& points, base::Philox& random) {
  for (std::size_t i = points.size(); i > 1; --i) {
    std::swap(points[i - 1], points[static_cast<std::size_t>(random.next_below(i))]);
  }
}

std::string moved_parameter(const ParameterSpace& space, const Point& from, const Point& to) {
  const auto before = space.values(from);
  const auto after = space.values(to);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i]) {
      return fmt::format("{} {} -> {}", before[i].first, before[i].second, after[i].second);
    }
  }
  return "nothing";
}

std::string rank_words(std::size_t rank) {
  constexpr std::array<std::string_view, kParents> kWords{"the best", "the second best", "the third best"};
  return std::string(kWords[rank]);
}

Move move_from(const ParameterSpace& space, const Measured& parent, std::size_t rank, Point to) {
  Move move;
  move.hypothesis = {
      "all", "unknown", fmt::format("{} (parent {})", moved_parameter(space, parent.point, to), parent.number),
      fmt::format("faster than candidate {}, {} so far; size not predicted", parent.number, rank_words(rank))};
  move.parent = parent.number;
  move.point = std::move(to);
  return move;
}

Move jump_to(const ParameterSpace& space, Point to) {
  Move move;
  move.hypothesis = {"all", "unknown", "a random point: " + describe(space.values(to)),
                     "not predicted; it shows whether another part of the space is better"};
  move.point = std::move(to);
  return move;
}

// Chooses points that nobody tried; remembers what it gave.
class Search {
 public:
  Search(const ParameterSpace& space, std::set<Point> tried, base::Philox random)
      : space_(space), tried_(std::move(tried)), random_(random) {}

  void add(Move move) {
    tried_.insert(move.point);
    moves_.push_back(std::move(move));
  }

  // Neighbours of the parents, one of each in turn, until there are `limit` moves.
  base::Result<void> add_neighbours(const std::vector<Measured>& parents, std::size_t limit) {
    std::vector<std::vector<Point>> around;
    for (const Measured& parent : parents) {
      ASSAY_TRY_ASSIGN(around.emplace_back(), space_.neighbours(parent.point));
      shuffle(around.back(), random_);
    }
    bool any = true;
    while (any && moves_.size() < limit) {
      any = false;
      for (std::size_t rank = 0; rank < parents.size() && moves_.size() < limit; ++rank) {
        auto& points = around[rank];
        while (!points.empty() && tried_.contains(points.back())) {
          points.pop_back();
        }
        if (!points.empty()) {
          add(move_from(space_, parents[rank], rank, points.back()));
          any = true;
        }
      }
    }
    return {};
  }

  base::Result<void> add_random(std::size_t limit) {
    if (const auto& all = space_.all()) {
      std::vector<Point> left;
      std::copy_if(all->begin(), all->end(), std::back_inserter(left),
                   [this](const Point& point) { return !tried_.contains(point); });
      shuffle(left, random_);
      for (; !left.empty() && moves_.size() < limit; left.pop_back()) {
        add(jump_to(space_, left.back()));
      }
      return {};
    }
    for (int draws = 0; moves_.size() < limit && draws < kDrawsPerProposal * static_cast<int>(limit); ++draws) {
      Point point = space_.draw(random_);
      if (tried_.contains(point)) {
        continue;
      }
      ASSAY_TRY_ASSIGN(const bool allowed, space_.allows(point));
      if (allowed) {
        add(jump_to(space_, std::move(point)));
      }
    }
    return {};
  }

  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }

 private:
  const ParameterSpace& space_;
  std::set<Point> tried_;
  base::Philox random_;
  std::vector<Move> moves_;
};

// How many of `count` proposals explore once something is measured. A small count explores in turn with the history.
std::size_t random_share(int count, std::size_t history) {
  if (count >= kOneRandomIn) {
    return static_cast<std::size_t>(count / kOneRandomIn);
  }
  return history % static_cast<std::size_t>(kOneRandomIn) == 0 ? 1 : 0;
}

}  // namespace

base::Result<Tuner> Tuner::create(task::Solution tunable, std::uint64_t seed) {
  const std::string name = tunable.name;
  auto space = base::with_context(ParameterSpace::create(tunable.tuning.value_or(task::Tuning{})),
                                  fmt::format("in the tuning of solution \"{}\"", name));
  if (!space) {
    return tl::unexpected(std::move(space.error()));
  }
  return Tuner(std::move(tunable), std::move(*space), seed);
}

// A trial belongs to the space if it is this very solution with values of the space.
std::optional<Point> Tuner::locate(const Trial& trial) const {
  std::optional<Point> point = space_.locate(trial.solution.parameters);
  if (point &&
      task::identify(choose(tunable_, space_.values(*point))).content != task::identify(trial.solution).content) {
    point.reset();
  }
  return point;
}

base::Result<std::vector<Proposal>> Tuner::propose(const std::vector<Trial>& history, int count) {
  if (count <= 0) {
    return std::vector<Proposal>{};
  }
  std::set<Point> tried;
  std::vector<Measured> measured;
  for (const Trial& trial : history) {
    const std::optional<Point> point = locate(trial);
    if (!point) {
      continue;
    }
    tried.insert(*point);
    if (task::is_correct(trial.outcome) && trial.log_ratio_to_baseline) {
      measured.push_back({*trial.log_ratio_to_baseline, trial.number, *point});
    }
  }
  std::sort(measured.begin(), measured.end(), [](const Measured& a, const Measured& b) {
    return std::pair(a.log_ratio, a.number) < std::pair(b.log_ratio, b.number);
  });
  measured.resize(std::min(measured.size(), kParents));

  const auto limit = static_cast<std::size_t>(count);
  const bool first = tried.empty();
  Search search(space_, std::move(tried),
                base::Philox(seed_, base::mix(base::stream_id("agent.tuner"), history.size())));
  if (first) {
    Move defaults = jump_to(space_, space_.defaults());
    defaults.hypothesis.change = "the declared defaults: " + describe(space_.values(defaults.point));
    defaults.hypothesis.predicted_effect = "not predicted; the point that its author would start from";
    search.add(std::move(defaults));
  }
  if (!measured.empty()) {
    ASSAY_TRY(search.add_neighbours(measured, limit - std::min(limit, random_share(count, history.size()))));
  }
  ASSAY_TRY(search.add_random(limit));
  // Where random draws find nothing new, the neighbours that are left may still be.
  ASSAY_TRY(search.add_neighbours(measured, limit));

  std::vector<Proposal> proposals;
  for (const Move& move : search.moves()) {
    proposals.push_back({choose(tunable_, space_.values(move.point)), move.hypothesis, move.parent});
  }
  return proposals;
}

base::Result<task::Solution> with_parameters(const task::Solution& solution, const task::Named<std::int64_t>& values) {
  const task::Tuning tuning = solution.tuning.value_or(task::Tuning{});
  const auto fail = [&](const std::string& what) {
    return base::input_error("solution.parameters", fmt::format("solution \"{}\": {}", solution.name, what));
  };
  if (tuning.parameters.empty()) {
    return fail("it declares no parameters to choose");
  }
  task::Named<std::int64_t> ordered;
  for (const auto& [name, choices] : tuning.parameters) {
    const std::int64_t* value = task::find(values, name);
    if (value == nullptr) {
      return fail(fmt::format("parameter {} has no value: give one of {}", name, fmt::join(choices, ", ")));
    }
    if (std::find(choices.begin(), choices.end(), *value) == choices.end()) {
      return fail(fmt::format("{}={} is not among its values: give one of {}", name, *value, fmt::join(choices, ", ")));
    }
    ordered.emplace_back(name, *value);
  }
  for (const auto& [name, value] : values) {
    if (task::find(tuning.parameters, name) == nullptr) {
      return fail(fmt::format("there is no parameter {} to set to {}", name, value));
    }
  }
  if (ordered.size() != values.size()) {
    return fail("a parameter is set twice: keep one of its values");
  }
  for (const std::string& constraint : tuning.constraints) {
    ASSAY_TRY_ASSIGN(const std::int64_t truth, task::evaluate_expression(constraint, ordered));
    if (truth == 0) {
      return fail(fmt::format("{} breaks the constraint \"{}\": choose other values", describe(ordered), constraint));
    }
  }
  return choose(solution, std::move(ordered));
}

}  // namespace assay::agent
