#include <assay/device/cuda/trusted_kernels.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include <assay/base/content_strands.hpp>
#include <assay/device/cuda/device_code.hpp>
#include <assay/device/cuda/range_batch.hpp>

namespace assay::device::cuda {

namespace code {
DeviceCode trusted_kernels();  // Written by the build.
}

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kBlocksAMultiprocessor = 8;
constexpr std::size_t kLeastPiece = 1024;   // Elements that a warp compares: fewer do not hide the reduction …
constexpr std::size_t kMostPieces = 4096;   // … and more pieces do not make it faster.
constexpr std::size_t kResultBytes = 4096;  // At the front of the scratch memory.
constexpr std::size_t kRangesAtOnce = kResultBytes / sizeof(std::uint64_t);
constexpr std::size_t kLeastScratch = std::size_t{1} << 20U;
// The first half of the results is theirs.
constexpr std::size_t kComparedAtOnce = kResultBytes / 2 / TrustedKernels::kTotalsBytes;

static_assert(sizeof(CompareTotals) <= TrustedKernels::kTotalsBytes);

base::Result<void> set_bytes(DevicePointer to, unsigned char value, std::size_t bytes, const Stream& stream) {
  ASSAY_TRY_ASSIGN(const Driver* const driver, open_driver());
  return check(driver->cuMemsetD8Async(to, value, bytes, stream.handle()), "cuMemsetD8Async");
}

std::size_t divide_up(std::size_t value, std::size_t by) { return (value + by - 1) / by; }

}  // namespace

base::Result<TrustedKernels> TrustedKernels::load(const Context& context) {
  ASSAY_TRY(context.make_current());
  ASSAY_TRY_ASSIGN(const DeviceFacts facts, describe_device(context.ordinal()));
  ASSAY_TRY_ASSIGN(Module module, load_device_code("trusted_kernels", code::trusted_kernels()));
  TrustedKernels kernels(context, std::move(module));
  const std::initializer_list<std::pair<abi::FunctionHandle*, const char*>> functions = {
      {&kernels.functions_.fill, "assay_fill"},
      {&kernels.functions_.check_fill, "assay_check_fill"},
      {&kernels.functions_.digest, "assay_digest"},
      {&kernels.functions_.first_difference, "assay_first_difference"},
      {&kernels.functions_.copy_words, "assay_copy_words"},
      {&kernels.functions_.read, "assay_read"},
      {&kernels.functions_.compare_pieces, "assay_compare_pieces"},
      {&kernels.functions_.compare_blocks, "assay_compare_blocks"},
      {&kernels.functions_.compare_total, "assay_compare_total"},
      {&kernels.functions_.compare_find, "assay_compare_find"},
  };
  for (const auto& [function, name] : functions) {
    ASSAY_TRY_ASSIGN(*function, kernels.module_.function(name));
  }
  kernels.multiprocessors_ = static_cast<unsigned>(std::max(1, facts.multiprocessors));
  kernels.flush_bytes_ = 3 * static_cast<std::size_t>(std::max(0, facts.l2_bytes));
  ASSAY_TRY_ASSIGN(kernels.scratch_, Memory::create(context, kLeastScratch));
  ASSAY_TRY_ASSIGN(kernels.results_, PinnedMemory::create(kResultBytes));
  return kernels;
}

template <class T>
base::Result<void> TrustedKernels::fetch(std::span<T> to, DevicePointer from, const Stream& stream) const {
  ASSAY_CHECK(to.size_bytes() <= results_.size());
  ASSAY_TRY(copy_from_device(results_.bytes().first(to.size_bytes()), from, stream));
  ASSAY_TRY(stream.synchronize());
  std::memcpy(to.data(), results_.bytes().data(), to.size_bytes());
  return {};
}

LaunchShape TrustedKernels::shape_for(std::size_t threads) const {
  const std::size_t most = std::size_t{multiprocessors_} * kBlocksAMultiprocessor;
  const std::size_t blocks = std::clamp<std::size_t>(divide_up(threads, kThreads), 1, most);
  return {.grid = {static_cast<unsigned>(blocks), 1, 1}, .block = {kThreads, 1, 1}};
}

template <class Range, class Launch>
base::Result<void> TrustedKernels::in_batches(std::span<const Range> ranges, std::size_t bytes_a_thread,
                                              const Launch& launch_batch) const {
  for (std::size_t first = 0; first < ranges.size(); first += RangeBatch::kMost) {
    const std::size_t count = std::min<std::size_t>(ranges.size() - first, RangeBatch::kMost);
    RangeBatch batch;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ByteRange range;
      if constexpr (std::is_same_v<Range, FilledRange>) {
        range = ranges[first + i].range;
        batch.pattern[i] = ranges[first + i].pattern;
      } else {
        range = ranges[first + i];
      }
      batch.address[i] = range.address;
      batch.bytes[i] = range.bytes;
      longest = std::max(longest, range.bytes);
    }
    if (longest != 0) {
      LaunchShape shape = shape_for(divide_up(longest, bytes_a_thread));
      shape.grid[1] = static_cast<unsigned>(count);
      ASSAY_TRY(launch_batch(shape, batch, first));
    }
  }
  return {};
}

base::Result<void> TrustedKernels::need_scratch(std::size_t bytes, const Stream& stream) {
  if (bytes <= scratch_.size()) {
    return {};
  }
  ASSAY_TRY(stream.synchronize());  // What runs now may still use the old one.
  ASSAY_TRY_ASSIGN(scratch_, Memory::create(*context_, std::max(bytes, 2 * scratch_.size())));
  return {};
}

base::Result<void> TrustedKernels::fill(const FilledRange& range, const Stream& stream) {
  return fill_all(std::span(&range, 1), stream);
}

base::Result<void> TrustedKernels::fill_all(std::span<const FilledRange> ranges, const Stream& stream) {
  return in_batches(ranges, 16, [&](LaunchShape shape, const RangeBatch& batch, std::size_t) {
    return launch(functions_.fill, shape, stream, batch);
  });
}

base::Result<void> TrustedKernels::enqueue_check_fill(std::span<const FilledRange> ranges, DevicePointer words,
                                                      const Stream& stream) {
  ASSAY_TRY(set_bytes(words, 0xff, ranges.size() * sizeof(std::uint64_t), stream));
  return in_batches(ranges, 16, [&](LaunchShape shape, const RangeBatch& batch, std::size_t first) {
    return launch(functions_.check_fill, shape, stream, batch, DevicePointer{words + first * sizeof(std::uint64_t)});
  });
}

base::Result<void> TrustedKernels::enqueue_digest(std::span<const ByteRange> ranges, DevicePointer words,
                                                  const Stream& stream) {
  ASSAY_TRY(set_bytes(words, 0, ranges.size() * sizeof(std::uint64_t), stream));
  // A warp takes a piece.
  return in_batches(ranges, base::ContentStrands::kPieceBytes / kWarp,
                    [&](LaunchShape shape, const RangeBatch& batch, std::size_t first) {
                      return launch(functions_.digest, shape, stream, batch,
                                    DevicePointer{words + first * sizeof(std::uint64_t)});
                    });
}

base::Result<void> TrustedKernels::enqueue_first_difference(std::span<const RangePair> pairs, DevicePointer words,
                                                            const Stream& stream) {
  ASSAY_TRY(set_bytes(words, 0xff, pairs.size() * sizeof(std::uint64_t), stream));
  for (std::size_t first = 0; first < pairs.size(); first += RangePairBatch::kMost) {
    const std::size_t count = std::min<std::size_t>(pairs.size() - first, RangePairBatch::kMost);
    RangePairBatch batch;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const RangePair& pair = pairs[first + i];
      batch.first[i] = pair.first;
      batch.second[i] = pair.second;
      batch.bytes[i] = pair.bytes;
      longest = std::max(longest, pair.bytes);
    }
    if (longest == 0) {
      continue;
    }
    LaunchShape shape = shape_for(divide_up(longest, 16));
    shape.grid[1] = static_cast<unsigned>(count);
    ASSAY_TRY(launch(functions_.first_difference, shape, stream, batch,
                     DevicePointer{words + first * sizeof(std::uint64_t)}));
  }
  return {};
}

base::Result<void> TrustedKernels::enqueue_bring(std::span<std::byte> to, DevicePointer from,
                                                 const Stream& stream) const {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  constexpr std::size_t kMost = std::size_t{64} << 10U;  // More is soon done by the engines.
  ASSAY_CHECK(to.size() % kWord == 0);
  if (to.size() > kMost) {
    return copy_from_device(to, from, stream);
  }
  return launch(functions_.copy_words, shape_for(to.size() / kWord), stream, from, PinnedMemory::address_of(to),
                std::uint64_t{to.size() / kWord});
}

std::uint64_t TrustedKernels::digest_of(std::uint64_t word, std::size_t bytes) {
  return base::ContentStrands::total(word, bytes);
}

base::Result<std::vector<std::optional<std::size_t>>> TrustedKernels::check_fill(std::span<const FilledRange> ranges,
                                                                                 const Stream& stream) {
  std::vector<std::optional<std::size_t>> differing;
  std::vector<std::uint64_t> first(std::min(ranges.size(), kRangesAtOnce));
  while (differing.size() < ranges.size()) {
    const std::size_t now = std::min(ranges.size() - differing.size(), kRangesAtOnce);
    ASSAY_TRY(enqueue_check_fill(ranges.subspan(differing.size(), now), scratch_.address(), stream));
    ASSAY_TRY(fetch(std::span(first).first(now), scratch_.address(), stream));
    for (std::size_t i = 0; i < now; ++i) {
      differing.push_back(first[i] == kHolds ? std::nullopt : std::optional<std::size_t>(first[i]));
    }
  }
  return differing;
}

base::Result<std::vector<std::uint64_t>> TrustedKernels::digest(std::span<const ByteRange> ranges,
                                                                const Stream& stream) {
  std::vector<std::uint64_t> digests;
  std::vector<std::uint64_t> sums(std::min(ranges.size(), kRangesAtOnce));
  while (digests.size() < ranges.size()) {
    const std::size_t now = std::min(ranges.size() - digests.size(), kRangesAtOnce);
    const std::span<const ByteRange> these = ranges.subspan(digests.size(), now);
    ASSAY_TRY(enqueue_digest(these, scratch_.address(), stream));
    ASSAY_TRY(fetch(std::span(sums).first(now), scratch_.address(), stream));
    for (std::size_t i = 0; i < now; ++i) {
      digests.push_back(digest_of(sums[i], these[i].bytes));
    }
  }
  return digests;
}

base::Result<void> TrustedKernels::flush_l2(const ByteRange& buffer, const Stream& stream) {
  const auto& [address, bytes] = buffer;
  if (bytes < flush_bytes_ || address % 16 != 0) {
    return base::internal_error(
        "cuda.flush_buffer", fmt::format("a buffer that flushes the L2 cache needs {} bytes, aligned to 16; it has {}",
                                         flush_bytes_, bytes));
  }
  return launch(functions_.read, shape_for(bytes / 16), stream, address, std::uint64_t{bytes}, scratch_.address());
}

base::Result<Comparison> TrustedKernels::compare(const CompareRequest& request, const Stream& stream) {
  ASSAY_TRY_ASSIGN(std::vector<Comparison> compared, compare_all(std::span(&request, 1), stream));
  return compared.front();
}

base::Result<std::vector<TrustedKernels::ComparePlaces>> TrustedKernels::place_comparisons(
    std::span<const CompareRequest> requests, const Stream& stream) {
  std::vector<ComparePlaces> places(requests.size());
  std::size_t end = kResultBytes;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::size_t elements = requests[i].elements;
    const DeviceRule& rule = requests[i].rule;
    if (elements == 0) {
      continue;
    }
    if (rule.block_elements == 0 || elements % rule.block_elements != 0) {
      return base::internal_error("cuda.compare_blocks", fmt::format("{} elements are no whole number of blocks of {}",
                                                                     elements, rule.block_elements));
    }
    ComparePlaces& place = places[i];
    place.blocks = elements / rule.block_elements;
    place.piece = std::max(kLeastPiece, divide_up(divide_up(elements, kMostPieces), kWarp) * kWarp);
    place.pieces_a_block = divide_up(rule.block_elements, place.piece);
    const std::size_t pieces = place.blocks * place.pieces_a_block;
    place.totals = i * kTotalsBytes;  // Relative to the scratch memory, for now.
    place.of_pieces = end;
    place.of_blocks = place.pieces_a_block > 1 ? end + pieces * sizeof(CompareSums) : end;
    end += (pieces + place.blocks) * sizeof(CompareSums);
  }
  ASSAY_TRY(need_scratch(end, stream));
  for (ComparePlaces& place : places) {
    for (DevicePointer* at : {&place.totals, &place.of_pieces, &place.of_blocks}) {
      *at += scratch_.address();
    }
  }
  return places;
}

base::Result<void> TrustedKernels::enqueue_compare_all(std::span<const CompareRequest> requests,
                                                       std::span<std::byte> results, const Stream& stream) {
  ASSAY_CHECK(results.size() >= requests.size() * kTotalsBytes);
  for (std::size_t first = 0; first < requests.size(); first += kComparedAtOnce) {
    const auto these = requests.subspan(first, std::min(requests.size() - first, kComparedAtOnce));
    ASSAY_TRY_ASSIGN(const std::vector<ComparePlaces> places, place_comparisons(these, stream));
    for (std::size_t i = 0; i < these.size(); ++i) {
      ASSAY_TRY(enqueue_compare(these[i], places[i], stream));
    }
    const auto to = results.subspan(first * kTotalsBytes, these.size() * kTotalsBytes);
    ASSAY_TRY(enqueue_bring(to, scratch_.address(), stream));
  }
  return {};
}

std::vector<Comparison> TrustedKernels::compared(std::span<const CompareRequest> requests,
                                                 std::span<const std::byte> results) {
  std::vector<Comparison> compared(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].elements == 0) {
      compared[i].surely_right = true;
      continue;
    }
    std::memcpy(&compared[i].totals, results.subspan(i * kTotalsBytes).data(), sizeof compared[i].totals);
    compared[i].surely_right = surely_right(compared[i].totals, requests[i].rule);
  }
  return compared;
}

base::Result<std::vector<Comparison>> TrustedKernels::compare_all(std::span<const CompareRequest> requests,
                                                                  const Stream& stream) {
  std::vector<Comparison> all;
  while (all.size() < requests.size()) {
    const std::size_t now = std::min(requests.size() - all.size(), kComparedAtOnce);
    const std::span<const CompareRequest> these = requests.subspan(all.size(), now);
    ASSAY_TRY(enqueue_compare_all(these, results_.bytes(), stream));
    ASSAY_TRY(stream.synchronize());
    std::vector<Comparison> found = compared(these, results_.bytes());
    for (std::size_t i = 0; i < now; ++i) {
      if (!found[i].surely_right) {
        ASSAY_TRY_ASSIGN(const std::vector<ComparePlaces> places, place_comparisons(these, stream));
        ASSAY_TRY(find_wrong(these[i], places[i], found[i], stream));
      }
    }
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

base::Result<void> TrustedKernels::enqueue_compare(const CompareRequest& request, const ComparePlaces& places,
                                                   const Stream& stream) const {
  if (request.elements == 0) {
    return {};
  }
  const DeviceRule& rule = request.rule;
  const std::size_t pieces = places.blocks * places.pieces_a_block;
  ASSAY_TRY(launch(functions_.compare_pieces, shape_for(pieces * kWarp), stream, request.got, request.format,
                   request.expected, std::uint64_t{places.blocks}, std::uint64_t{rule.block_elements},
                   std::uint64_t{places.pieces_a_block}, std::uint64_t{places.piece}, rule.relative, places.of_pieces));
  if (places.pieces_a_block > 1) {
    ASSAY_TRY(launch(functions_.compare_blocks, shape_for(places.blocks * kWarp), stream, places.of_pieces,
                     std::uint64_t{places.blocks}, std::uint64_t{places.pieces_a_block}, places.of_blocks));
  }
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(1024, divide_up(places.blocks, kWarp) * kWarp));
  return launch(functions_.compare_total, {.block = {threads, 1, 1}}, stream, places.of_blocks,
                std::uint64_t{places.blocks}, rule, places.totals);
}

base::Result<void> TrustedKernels::find_wrong(const CompareRequest& request, const ComparePlaces& places,
                                              Comparison& comparison, const Stream& stream) {
  const DevicePointer found_at = scratch_.address() + kResultBytes / 2;
  ASSAY_TRY(set_bytes(found_at, 0, sizeof(std::uint64_t), stream));
  ASSAY_TRY(set_bytes(found_at + sizeof(std::uint64_t), 0xff, sizeof(std::uint64_t), stream));
  ASSAY_TRY(launch(functions_.compare_find, shape_for(request.elements), stream, request.got, request.format,
                   request.expected, std::uint64_t{request.elements}, request.rule, places.of_blocks, places.totals,
                   found_at));
  std::array<std::uint64_t, 2> found{};
  ASSAY_TRY(fetch(std::span<std::uint64_t>(found), found_at, stream));
  comparison.wrong = found[0];
  if (found[0] != 0) {
    comparison.first_wrong = found[1];
  }
  return {};
}

}  // namespace assay::device::cuda
