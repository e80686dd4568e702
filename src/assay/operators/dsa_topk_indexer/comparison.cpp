#include <assay/operators/dsa_topk_indexer/comparison.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// The first thing that is wrong with a row. None if `reason` is empty.
struct RowFault {
  std::size_t slot = 0;
  double expected = -1;
  std::size_t wrong = 0;  ///< Elements.
  std::string reason;     ///< What follows the element's name.
};

/// Finds out which token of a row an id means.
class RowMap {
 public:
  RowMap(const Call& call)
      : call_(&call), first_entry_(call.pages, kNowhere), next_entry_(call.table_width, kNowhere) {}

  /// `entries`: how much of the row's table counts.
  void enter(std::size_t row, std::size_t entries) {
    for (std::size_t entry = 0; entry < last_entries_; ++entry) {
      set_first(last_row_, entry, kNowhere);
    }
    // From the end, so that each page's chain starts at its first place.
    for (std::size_t entry = entries; entry-- > 0;) {
      next_entry_[entry] = first_of(call_->page(row, entry));
      set_first(row, entry, entry);
    }
    last_row_ = row;
    last_entries_ = entries;
  }
  /// Returns the first table entry that has the page of this id, or kNowhere; and the next one after that.
  [[nodiscard]] std::size_t first_entry(std::int32_t id) const {
    return first_of(id / static_cast<std::int32_t>(call_->dimensions.page_size));
  }
  [[nodiscard]] std::size_t next_entry(std::size_t entry) const { return next_entry_[entry]; }
  [[nodiscard]] std::size_t position(std::size_t entry, std::int32_t id) const {
    const std::size_t page_size = call_->dimensions.page_size;
    return entry * page_size + static_cast<std::size_t>(id) % page_size;
  }

 private:
  // Entries beyond a row's end may be anything in someone else's data.
  [[nodiscard]] bool in_cache(std::int32_t page) const {
    return page >= 0 && static_cast<std::size_t>(page) < call_->pages;
  }
  [[nodiscard]] std::size_t first_of(std::int32_t page) const {
    return in_cache(page) ? first_entry_[static_cast<std::size_t>(page)] : kNowhere;
  }
  void set_first(std::size_t row, std::size_t entry, std::size_t value) {
    const std::int32_t page = call_->page(row, entry);
    if (in_cache(page)) {
      first_entry_[static_cast<std::size_t>(page)] = value;
    }
  }

  const Call* call_;
  std::vector<std::size_t> first_entry_;  ///< [pages]
  std::vector<std::size_t> next_entry_;   ///< [table_width]
  std::size_t last_row_ = 0;
  std::size_t last_entries_ = 0;
};

/// What a row's elements choose.
struct Choice {
  std::vector<std::size_t> slot_of;  ///< [length] Where the token at a position was chosen, or kNowhere.
  std::size_t count = 0;
};

void note(RowFault& fault, std::size_t slot, std::string reason) {
  if (fault.wrong++ == 0) {
    fault.slot = slot;
    fault.reason = std::move(reason);
  }
}

Choice read_choice(const Call& call, std::size_t row, const RowMap& map, std::span<const std::byte> ids,
                   RowFault& fault) {
  const std::size_t length = call.length(row);
  Choice choice{std::vector<std::size_t>(length, kNowhere), 0};
  for (std::size_t slot = 0; slot < call.dimensions.topk; ++slot) {
    const auto id = load<std::int32_t>(ids, slot);
    if (id == -1) {
      continue;
    }
    if (id < 0 || static_cast<std::size_t>(id) >= call.pages * call.dimensions.page_size) {
      note(fault, slot, fmt::format("is {}, which is neither -1 nor the id of a token of the cache", id));
      continue;
    }
    std::size_t entry = map.first_entry(id);
    if (entry == kNowhere) {
      note(fault, slot, fmt::format("is token {}, on a page that row {} does not have", id, row));
      continue;
    }
    bool within = false;
    bool taken = false;
    for (; entry != kNowhere && !taken; entry = map.next_entry(entry)) {
      const std::size_t position = map.position(entry, id);
      if (position < length) {
        within = true;
        if (choice.slot_of[position] == kNowhere) {
          choice.slot_of[position] = slot;
          taken = true;
        }
      }
    }
    if (taken) {
      ++choice.count;
    } else if (within) {
      note(fault, slot, fmt::format("is token {} once more", id));
    } else {
      note(fault, slot, fmt::format("is token {}, which lies beyond seq_lens[{}] = {}", id, row, length));
    }
  }
  return choice;
}

/// The first token that is left out of a row that must choose all of its tokens, or too many.
void check_count(const Call& call, std::size_t row, const Choice& choice, std::span<const std::byte> ids,
                 RowFault& fault) {
  if (fault.wrong > 0 || choice.count == call.kept(row)) {
    return;
  }
  // Ids are unique and reachable, so there are never too many. The first -1 is where one is missing.
  std::size_t slot = 0;
  while (slot + 1 < call.dimensions.topk && load<std::int32_t>(ids, slot) != -1) {
    ++slot;
  }
  note(fault, slot,
       fmt::format("is -1: row {} chooses {} tokens, not min(topk, seq_len) = {}", row, choice.count, call.kept(row)));
  fault.wrong = call.kept(row) - choice.count;
  const auto missing = std::find(choice.slot_of.begin(), choice.slot_of.end(), kNowhere);
  fault.expected = static_cast<double>(call.token(row, static_cast<std::size_t>(missing - choice.slot_of.begin())));
}

/// A score and how far from it an honest one may be.
struct Range {
  double score = 0;
  double slack = 0;
  [[nodiscard]] double lowest() const { return std::isinf(slack) ? -kInfinity : score - slack; }
  [[nodiscard]] double highest() const { return std::isinf(slack) ? kInfinity : score + slack; }
};

void check_margin(const Call& call, std::size_t row, const Choice& choice, std::span<const double> scores,
                  std::span<const double> slacks, RowFault& fault) {
  std::size_t best = kNowhere;  // The token left out that must score highest.
  const auto range = [&](std::size_t position) { return Range{scores[position], slacks[position]}; };
  for (std::size_t position = 0; position < scores.size(); ++position) {
    if (choice.slot_of[position] == kNowhere && (best == kNowhere || range(position).lowest() > range(best).lowest())) {
      best = position;
    }
  }
  std::size_t worst = kNowhere;
  for (std::size_t position = 0; position < scores.size(); ++position) {
    if (choice.slot_of[position] == kNowhere || !(range(position).highest() < range(best).lowest())) {
      continue;
    }
    ++fault.wrong;
    if (worst == kNowhere || range(position).highest() < range(worst).highest()) {
      worst = position;
    }
  }
  if (worst == kNowhere) {
    return;
  }
  fault.slot = choice.slot_of[worst];
  fault.expected = static_cast<double>(call.token(row, best));
  fault.reason = fmt::format(
      "is token {} with score {:.9g}, while token {} with score {:.9g} is left out (only scores closer than {:.3g} may "
      "be swapped)",
      call.token(row, worst), scores[worst], call.token(row, best), scores[best], slacks[worst] + slacks[best]);
}

/// Turns the faults of rows into a mismatch.
class Report {
 public:
  Report(const Call& call, const tensor::ConstView& got) : call_(&call), got_(&got) {
    mismatch_.elements = call.rows * call.dimensions.topk;
  }

  void add(std::size_t row, RowFault fault) {
    if (fault.wrong == 0) {
      return;
    }
    ++wrong_rows_;
    mismatch_.mismatched_elements += fault.wrong;
    if (wrong_rows_ == 1) {
      mismatch_.flat = row * call_->dimensions.topk + fault.slot;
      mismatch_.index = {static_cast<std::int64_t>(row), static_cast<std::int64_t>(fault.slot)};
      mismatch_.expected = fault.expected;
      mismatch_.got = static_cast<double>(load<std::int32_t>(got_->bytes, mismatch_.flat));
      mismatch_.reason = std::move(fault.reason);
    }
  }

  [[nodiscard]] std::optional<tensor::Mismatch> take(std::string_view prefix) && {
    if (wrong_rows_ == 0) {
      return std::nullopt;
    }
    mismatch_.reason =
        fmt::format("{}{}[{}, {}] {}; {} of {} elements in {} of {} rows are wrong", prefix,
                    got_->name.empty() ? "element " : got_->name, mismatch_.index[0], mismatch_.index[1],
                    mismatch_.reason, mismatch_.mismatched_elements, mismatch_.elements, wrong_rows_, call_->rows);
    return std::move(mismatch_);
  }

 private:
  const Call* call_;
  const tensor::ConstView* got_;
  tensor::Mismatch mismatch_;
  std::size_t wrong_rows_ = 0;
};

/// Goes through rows with their part of what `compute_reference` left.
template <class Visit>
void for_each_row(const Call& call, const tensor::ConstView& got, std::span<const ExpectedValues> expected,
                  Visit&& visit) {
  const std::size_t topk = call.dimensions.topk;
  ASSAY_CHECK(expected.size() == kExpectedCount && expected[kIndices].size() == call.rows * topk);
  ASSAY_CHECK(got.dtype == tensor::DType::int32 && got.bytes.size() == call.rows * topk * sizeof(std::int32_t));
  std::size_t at = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    const std::size_t scored = call.is_long(row) ? call.length(row) : 0;
    ASSAY_CHECK(at + scored <= expected[kScores].size() && at + scored <= expected[kSlacks].size());
    visit(row, got.bytes.subspan(row * topk * sizeof(std::int32_t), topk * sizeof(std::int32_t)),
          std::span(expected[kScores]).subspan(at, scored), std::span(expected[kSlacks]).subspan(at, scored));
    at += scored;
  }
}

/// The float32 scores of some ids of a row, highest first; -infinity for a negative one. As torch sorts: NaN first.
class OfficialScores {
 public:
  OfficialScores(const Call& call, const RowMap& map, std::span<const double> scores)
      : call_(&call), map_(&map), scores_(scores) {}

  template <class Id>
  [[nodiscard]] std::vector<float> sorted(Id&& id_at) const {
    std::vector<float> values(call_->dimensions.topk);
    for (std::size_t slot = 0; slot < values.size(); ++slot) {
      const std::int32_t id = id_at(slot);
      // Rows that keep every token have no scores, and need none: who has the same ids has the same scores.
      values[slot] =
          id < 0 ? -std::numeric_limits<float>::infinity()
                 : static_cast<float>(scores_.empty() ? 0.0 : scores_[map_->position(map_->first_entry(id), id)]);
    }
    std::sort(values.begin(), values.end(), [](float x, float y) { return std::isnan(x) ? !std::isnan(y) : x > y; });
    return values;
  }

 private:
  const Call* call_;
  const RowMap* map_;
  std::span<const double> scores_;
};

bool agree_officially(float got, float expected, const OfficialRule& rule) {
  if (!std::isfinite(got) || !std::isfinite(expected)) {
    return (std::isnan(got) && std::isnan(expected)) || got == expected;
  }
  const double error = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
  return !(error > rule.absolute && error / (std::fabs(static_cast<double>(expected)) + 1e-8) > rule.relative);
}

void check_ids_officially(const Call& call, std::size_t row, const RowMap& map, std::span<const std::byte> ids,
                          RowFault& fault) {
  std::vector<std::int32_t> seen;
  for (std::size_t slot = 0; slot < call.dimensions.topk; ++slot) {
    const auto id = load<std::int32_t>(ids, slot);
    if (id < 0) {
      continue;
    }
    seen.push_back(id);
    const std::size_t entry = map.first_entry(id);
    if (entry == kNowhere || map.position(entry, id) >= call.length(row)) {
      note(fault, slot, fmt::format("is token {}, which row {} does not reach", id, row));
    }
  }
  std::sort(seen.begin(), seen.end());
  if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); fault.wrong == 0 && twice != seen.end()) {
    std::size_t slot = call.dimensions.topk - 1;
    while (load<std::int32_t>(ids, slot) != *twice) {
      --slot;
    }
    note(fault, slot, fmt::format("is token {} once more", *twice));
  }
}

}  // namespace

std::optional<tensor::Mismatch> compare_sets(const Call& call, const tensor::ConstView& got,
                                             std::span<const ExpectedValues> expected) {
  Report report(call, got);
  RowMap map(call);
  for_each_row(call, got, expected, [&](std::size_t row, auto ids, auto scores, auto slacks) {
    RowFault fault;
    map.enter(row, call.dimensions.pages_of(call.length(row)));
    const Choice choice = read_choice(call, row, map, ids, fault);
    check_count(call, row, choice, ids, fault);
    if (fault.wrong == 0 && call.is_long(row)) {
      check_margin(call, row, choice, scores, slacks, fault);
    }
    report.add(row, std::move(fault));
  });
  return std::move(report).take("");
}

std::optional<tensor::Mismatch> compare_sets_officially(const Call& call, const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected,
                                                        const OfficialRule& rule) {
  Report report(call, got);
  RowMap map(call);
  for_each_row(call, got, expected, [&](std::size_t row, auto ids, auto scores, auto /*slacks*/) {
    RowFault fault;
    map.enter(row, call.table_width);
    check_ids_officially(call, row, map, ids, fault);
    if (fault.wrong == 0) {
      const OfficialScores official(call, map, scores);
      const std::size_t begin = row * call.dimensions.topk;
      const auto wanted = official.sorted(
          [&](std::size_t slot) { return static_cast<std::int32_t>(expected[kIndices][begin + slot]); });
      const auto found = official.sorted([&](std::size_t slot) { return load<std::int32_t>(ids, slot); });
      for (std::size_t place = 0; place < wanted.size(); ++place) {
        if (!agree_officially(found[place], wanted[place], rule)) {
          note(fault, place,
               fmt::format("is in a row whose score number {} is {:.9g}, expected {:.9g}", place, found[place],
                           wanted[place]));
        }
      }
    }
    report.add(row, std::move(fault));
  });
  return std::move(report).take("by the rule of flashinfer-bench ");
}

}  // namespace assay::operators::dsa_topk_indexer
