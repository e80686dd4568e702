#include <assay/operators/dsa_topk_indexer/given.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_topk_indexer/generator.hpp>

namespace assay::operators::dsa_topk_indexer {
namespace {

std::vector<std::int32_t> as_integers(std::span<const std::byte> bytes) {
  std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(std::int32_t));
  return values;
}

std::size_t pages_of(const task::Workload& workload) {
  return static_cast<std::size_t>(*task::find(workload.axes, "num_pages"));
}

std::size_t width_of(const task::Workload& workload) {
  return static_cast<std::size_t>(*task::find(workload.axes, "max_num_pages"));
}

}  // namespace

std::vector<std::int32_t> given_lengths(const Dimensions& dimensions, const task::Workload& workload,
                                        std::span<const std::byte> seq_lens) {
  return seq_lens.empty() ? row_lengths(dimensions, workload) : as_integers(seq_lens);
}

// Entries that name no page lie beyond a row's end, and stay.
Placement given_placement(const task::Workload& workload, std::span<const std::byte> table, std::size_t turn) {
  const auto pages = static_cast<std::int64_t>(pages_of(workload));
  Placement placement{as_integers(table), {}};
  for (std::int32_t& page : placement.table) {
    if (page >= 0 && page < pages) {
      page = static_cast<std::int32_t>((page + static_cast<std::int64_t>(turn)) % pages);
      placement.pages.push_back(page);
    }
  }
  std::sort(placement.pages.begin(), placement.pages.end());
  placement.pages.erase(std::unique(placement.pages.begin(), placement.pages.end()), placement.pages.end());
  return placement;
}

base::Result<void> check_given_rows(const Dimensions& dimensions, const task::Workload& workload,
                                    std::span<const std::byte> seq_lens, std::span<const std::byte> block_table) {
  const std::size_t width = width_of(workload);
  const std::size_t most = width * dimensions.page_size;
  const std::vector<std::int32_t> lengths = given_lengths(dimensions, workload, seq_lens);
  const std::vector<std::int32_t> table = as_integers(block_table);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] < 0 || static_cast<std::size_t>(lengths[row]) > most) {
      return base::input_error(
          "given.contents", fmt::format("seq_lens[{}] is {}, and must be from 0 to max_num_pages * page_size = {}", row,
                                        lengths[row], most));
    }
    const std::size_t used = dimensions.pages_of(static_cast<std::size_t>(lengths[row]));
    for (std::size_t entry = 0; !table.empty() && entry < used; ++entry) {
      const std::int32_t page = table[row * width + entry];
      if (page < 0 || static_cast<std::size_t>(page) >= pages_of(workload)) {
        return base::input_error(
            "given.contents",
            fmt::format("block_table[{}, {}] is {}, and row {} has {} tokens, for which it must be a page of the "
                        "cache, from 0 to {}",
                        row, entry, page, row, lengths[row], pages_of(workload) - 1));
      }
    }
  }
  return {};
}

void Generator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                           std::span<Argument> arguments) {
  const auto bytes = [&](Input input) { return given.has(input) ? given.bytes[input] : std::span<const std::byte>(); };
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("dsa_topk_indexer.given"), base::stream_id(workload.uuid)), call));
  const std::vector<std::int32_t> lengths = given_lengths(dimensions_, workload, bytes(kSeqLens));
  const std::size_t turn = given.varied() ? random.next_below(pages_of(workload)) : 0;
  const Placement placement = given.has(kBlockTable) ? given_placement(workload, bytes(kBlockTable), turn)
                                                     : place_rows(dimensions_, workload, lengths, seed_, call);
  device::CopyPlan plan;
  compose_officially(random, lengths, placement, arguments, plan);
  plan.settle();
  for (const Input values : {kQuery, kCache, kWeights}) {
    if (!given.varied()) {
      copy_given(given, values, arguments);
    }
  }
}

}  // namespace assay::operators::dsa_topk_indexer
