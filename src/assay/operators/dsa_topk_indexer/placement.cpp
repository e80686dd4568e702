#include <assay/operators/dsa_topk_indexer/placement.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <assay/base/error.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

/// Sixteenths of the contest's distribution of rows that are neither padding nor the longest of their call, in tokens
/// at topk 2048.
constexpr std::array<double, 17> kLengthQuantiles = {2,   10,  16,  22,  31,  46,  64,  80,  100,
                                                     117, 131, 139, 156, 201, 336, 713, 2020};
constexpr double kTopkOfQuantiles = 2048;
constexpr std::size_t kPlaces = 16;

std::size_t axis(const task::Workload& workload, std::string_view name) {
  const std::int64_t* value = task::find(workload.axes, name);
  ASSAY_CHECK(value != nullptr && *value > 0);
  return static_cast<std::size_t>(*value);
}

base::Philox structure_of(const task::Workload& workload) {
  return {base::stream_id(workload.uuid), base::stream_id("dsa_topk_indexer.structure")};
}

std::size_t draw_length(const Dimensions& dimensions, base::Philox& random) {
  const double at = random.next_uniform() * static_cast<double>(kLengthQuantiles.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(below);
  const double length = kLengthQuantiles[below] * std::pow(kLengthQuantiles[below + 1] / kLengthQuantiles[below], part);
  const double scaled = length * static_cast<double>(dimensions.topk) / kTopkOfQuantiles;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(scaled)));
}

std::size_t padding_rows(std::span<const std::int32_t> lengths) {
  std::size_t count = 0;
  while (count + 1 < lengths.size() && lengths[lengths.size() - 1 - count] == 1) {
    ++count;
  }
  return count;
}

/// Fills what lies beyond each row's end, and lists the pages.
void finish(Placement& placement, const Dimensions& dimensions, std::span<const std::int32_t> lengths,
            std::size_t width, base::Philox& random) {
  std::vector<std::int32_t> used;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto begin = placement.table.begin() + static_cast<std::ptrdiff_t>(row * width);
    used.insert(used.end(), begin,
                begin + static_cast<std::ptrdiff_t>(dimensions.pages_of(static_cast<std::size_t>(lengths[row]))));
  }
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    for (std::size_t entry = dimensions.pages_of(static_cast<std::size_t>(lengths[row])); entry < width; ++entry) {
      placement.table[row * width + entry] =
          used.empty() || random.next_below(4) != 0 ? 0 : used[random.next_below(used.size())];
    }
  }
  placement.pages = placement.table;
  std::sort(placement.pages.begin(), placement.pages.end());
  placement.pages.erase(std::unique(placement.pages.begin(), placement.pages.end()), placement.pages.end());
}

}  // namespace

std::vector<std::int32_t> row_lengths(const Dimensions& dimensions, const task::Workload& workload) {
  const std::size_t rows = axis(workload, "batch_size");
  const std::size_t width = axis(workload, "max_num_pages");
  const std::size_t most = width * dimensions.page_size;
  if (!workload.lengths.empty()) {
    ASSAY_CHECK(workload.lengths.size() == rows);
    for (const std::int64_t length : workload.lengths) {
      ASSAY_CHECK(length >= 0 && static_cast<std::size_t>(length) <= most);
    }
    return {workload.lengths.begin(), workload.lengths.end()};
  }
  base::Philox random = structure_of(workload);
  std::vector<std::int32_t> lengths(rows);
  for (std::int32_t& length : lengths) {
    length = static_cast<std::int32_t>(std::min({draw_length(dimensions, random), dimensions.topk, most}));
  }
  if (rows >= 4 && random.next_below(5) < 2) {
    const std::size_t padding = 1 + random.next_below(rows / 4);
    std::fill(lengths.end() - static_cast<std::ptrdiff_t>(padding), lengths.end(), 1);
  }
  // The table is as wide as the longest row needs.
  lengths[random.next_below(rows - padding_rows(lengths))] =
      static_cast<std::int32_t>(most - random.next_below(dimensions.page_size));
  return lengths;
}

Placement place_rows(const Dimensions& dimensions, const task::Workload& workload,
                     std::span<const std::int32_t> lengths, std::uint64_t seed, std::uint64_t call) {
  const std::size_t width = axis(workload, "max_num_pages");
  const std::size_t pages = axis(workload, "num_pages");
  base::Philox structure = structure_of(workload);
  base::Philox random(
      seed, base::mix(base::mix(base::stream_id("dsa_topk_indexer.placement"), base::stream_id(workload.uuid)), call));
  const std::size_t padded_from = lengths.size() - padding_rows(lengths);
  std::size_t needed = 0;
  for (std::size_t row = 0; row < padded_from; ++row) {
    needed += dimensions.pages_of(static_cast<std::size_t>(lengths[row]));
  }
  if (needed + 1 > pages) {
    return share_pages(dimensions, workload, lengths, random);
  }
  std::vector<std::size_t> late(padded_from);
  std::generate(late.begin(), late.end(), [&] { return static_cast<std::size_t>(structure.next_below(3)); });
  const std::size_t places = std::min(kPlaces, pages - needed);
  const std::size_t begin = 1 + structure.next_below(pages - needed - places + 1);
  // Consecutive calls never begin at the same place, if there are two.
  std::size_t next = begin + (call + base::mix(seed, structure.next_u64()) % places) % places;

  Placement placement{std::vector<std::int32_t>(lengths.size() * width), {}};
  std::vector<std::size_t> order(padded_from);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle<std::size_t>(order, random);
  const auto early_pages = [&](std::size_t row) {
    const std::size_t all = dimensions.pages_of(static_cast<std::size_t>(lengths[row]));
    return all - std::min(late[row], all == 0 ? 0 : all - 1);
  };
  for (const std::size_t row : order) {
    for (std::size_t entry = 0; entry < early_pages(row); ++entry) {
      placement.table[row * width + entry] = static_cast<std::int32_t>(next++);
    }
  }
  for (std::size_t step = 0; step < 2; ++step) {
    for (const std::size_t row : order) {
      if (const std::size_t entry = early_pages(row) + step;
          entry < dimensions.pages_of(static_cast<std::size_t>(lengths[row]))) {
        placement.table[row * width + entry] = static_cast<std::int32_t>(next++);
      }
    }
  }
  finish(placement, dimensions, lengths, width, random);
  return placement;
}

Placement share_pages(const Dimensions& dimensions, const task::Workload& workload,
                      std::span<const std::int32_t> lengths, base::Philox& random) {
  const std::size_t width = axis(workload, "max_num_pages");
  const std::size_t pages = axis(workload, "num_pages");
  Placement placement{std::vector<std::int32_t>(lengths.size() * width), {}};
  std::vector<std::int32_t> deck;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    deck.clear();
    for (std::size_t entry = 0; entry < dimensions.pages_of(static_cast<std::size_t>(lengths[row])); ++entry) {
      if (deck.empty()) {
        deck.resize(pages);
        std::iota(deck.begin(), deck.end(), 0);
        shuffle<std::int32_t>(deck, random);
      }
      placement.table[row * width + entry] = deck.back();
      deck.pop_back();
    }
  }
  finish(placement, dimensions, lengths, width, random);
  return placement;
}

}  // namespace assay::operators::dsa_topk_indexer
