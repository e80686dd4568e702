#include <assay/device/cuda/trusted_kernels.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <limits>

#include <assay/base/content_strands.hpp>
#include <assay/device/cuda/device_code.hpp>

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
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

static_assert(sizeof(CompareTotals) <= kResultBytes);

base::Result<void> set_bytes(DevicePointer to, unsigned char value, std::size_t bytes, const Stream& stream) {
  ASSAY_TRY_ASSIGN(const Driver* const driver, open_driver());
  return check(driver->cuMemsetD8Async(to, value, bytes, stream.handle()), "cuMemsetD8Async");
}

/// Copies results and waits for them.
template <class T>
base::Result<void> fetch(std::span<T> to, DevicePointer from, const Stream& stream) {
  ASSAY_TRY(copy_from_device(std::as_writable_bytes(to), from, stream));
  return stream.synchronize();
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
  return kernels;
}

LaunchShape TrustedKernels::shape_for(std::size_t threads) const {
  const std::size_t most = std::size_t{multiprocessors_} * kBlocksAMultiprocessor;
  const std::size_t blocks = std::clamp<std::size_t>(divide_up(threads, kThreads), 1, most);
  return {.grid = {static_cast<unsigned>(blocks), 1, 1}, .block = {kThreads, 1, 1}};
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
  const auto& [address, bytes] = range.range;
  if (bytes == 0) {
    return {};
  }
  return launch(functions_.fill, shape_for(divide_up(bytes, 16)), stream, address, std::uint64_t{bytes}, range.pattern);
}

base::Result<std::vector<std::optional<std::size_t>>> TrustedKernels::check_fill(std::span<const FilledRange> ranges,
                                                                                 const Stream& stream) {
  std::vector<std::optional<std::size_t>> differing;
  std::vector<std::uint64_t> first(std::min(ranges.size(), kRangesAtOnce));
  while (differing.size() < ranges.size()) {
    const std::size_t now = std::min(ranges.size() - differing.size(), kRangesAtOnce);
    ASSAY_TRY(set_bytes(scratch_.address(), 0xff, now * sizeof(std::uint64_t), stream));
    for (std::size_t i = 0; i < now; ++i) {
      const FilledRange& range = ranges[differing.size() + i];
      if (range.range.bytes == 0) {
        continue;
      }
      ASSAY_TRY(launch(functions_.check_fill, shape_for(divide_up(range.range.bytes, 16)), stream, range.range.address,
                       std::uint64_t{range.range.bytes}, range.pattern,
                       DevicePointer{scratch_.address() + i * sizeof(std::uint64_t)}));
    }
    ASSAY_TRY(fetch(std::span(first).first(now), scratch_.address(), stream));
    for (std::size_t i = 0; i < now; ++i) {
      differing.push_back(first[i] == kNone ? std::nullopt : std::optional<std::size_t>(first[i]));
    }
  }
  return differing;
}

base::Result<std::vector<std::uint64_t>> TrustedKernels::digest(std::span<const ByteRange> ranges,
                                                                const Stream& stream) {
  using Strands = base::ContentStrands;
  std::vector<std::uint64_t> digests;
  std::vector<std::uint64_t> sums(std::min(ranges.size(), kRangesAtOnce));
  while (digests.size() < ranges.size()) {
    const std::size_t now = std::min(ranges.size() - digests.size(), kRangesAtOnce);
    const std::span<const ByteRange> these = ranges.subspan(digests.size(), now);
    ASSAY_TRY(set_bytes(scratch_.address(), 0, now * sizeof(std::uint64_t), stream));
    for (std::size_t i = 0; i < now; ++i) {
      const auto& [address, bytes] = these[i];
      if (bytes == 0) {
        continue;
      }
      ASSAY_TRY(launch(functions_.digest, shape_for(divide_up(bytes, Strands::kPieceBytes) * kWarp), stream, address,
                       std::uint64_t{bytes}, DevicePointer{scratch_.address() + i * sizeof(std::uint64_t)}));
    }
    ASSAY_TRY(fetch(std::span(sums).first(now), scratch_.address(), stream));
    for (std::size_t i = 0; i < now; ++i) {
      digests.push_back(Strands::total(sums[i], these[i].bytes));
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
  Comparison comparison;
  const DeviceRule& rule = request.rule;
  const std::size_t elements = request.elements;
  if (elements == 0) {
    comparison.surely_right = true;
    return comparison;
  }
  if (rule.block_elements == 0 || elements % rule.block_elements != 0) {
    return base::internal_error("cuda.compare_blocks", fmt::format("{} elements are no whole number of blocks of {}",
                                                                   elements, rule.block_elements));
  }
  const std::size_t blocks = elements / rule.block_elements;
  const std::size_t piece = std::max(kLeastPiece, divide_up(divide_up(elements, kMostPieces), kWarp) * kWarp);
  const std::size_t pieces_a_block = divide_up(rule.block_elements, piece);
  const std::size_t pieces = blocks * pieces_a_block;
  ASSAY_TRY(need_scratch(kResultBytes + (pieces + blocks) * sizeof(CompareSums), stream));
  const DevicePointer totals = scratch_.address();
  const DevicePointer of_pieces = totals + kResultBytes;
  DevicePointer of_blocks = of_pieces;
  ASSAY_TRY(launch(functions_.compare_pieces, shape_for(pieces * kWarp), stream, request.got, request.format,
                   request.expected, std::uint64_t{blocks}, std::uint64_t{rule.block_elements},
                   std::uint64_t{pieces_a_block}, std::uint64_t{piece}, rule.relative, of_pieces));
  if (pieces_a_block > 1) {
    of_blocks = of_pieces + pieces * sizeof(CompareSums);
    ASSAY_TRY(launch(functions_.compare_blocks, shape_for(blocks * kWarp), stream, of_pieces, std::uint64_t{blocks},
                     std::uint64_t{pieces_a_block}, of_blocks));
  }
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(1024, divide_up(blocks, kWarp) * kWarp));
  ASSAY_TRY(launch(functions_.compare_total, {.block = {threads, 1, 1}}, stream, of_blocks, std::uint64_t{blocks}, rule,
                   totals));
  ASSAY_TRY(fetch(std::span(&comparison.totals, 1), totals, stream));
  comparison.surely_right = surely_right(comparison.totals, rule);
  if (!comparison.surely_right) {
    ASSAY_TRY(find_wrong(request, of_blocks, comparison, stream));
  }
  return comparison;
}

base::Result<void> TrustedKernels::find_wrong(const CompareRequest& request, DevicePointer of_blocks,
                                              Comparison& comparison, const Stream& stream) {
  const DevicePointer totals = scratch_.address();
  const DevicePointer found_at = totals + kResultBytes / 2;
  ASSAY_TRY(set_bytes(found_at, 0, sizeof(std::uint64_t), stream));
  ASSAY_TRY(set_bytes(found_at + sizeof(std::uint64_t), 0xff, sizeof(std::uint64_t), stream));
  ASSAY_TRY(launch(functions_.compare_find, shape_for(request.elements), stream, request.got, request.format,
                   request.expected, std::uint64_t{request.elements}, request.rule, of_blocks, totals, found_at));
  std::array<std::uint64_t, 2> found{};
  ASSAY_TRY(fetch(std::span<std::uint64_t>(found), found_at, stream));
  comparison.wrong = found[0];
  if (found[0] != 0) {
    comparison.first_wrong = found[1];
  }
  return {};
}

}  // namespace assay::device::cuda
