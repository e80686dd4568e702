#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/device/cuda/device_comparison.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/device/cuda/element_format.hpp>
#include <assay/device/cuda/fill_pattern.hpp>
#include <assay/device/cuda/pinned_memory.hpp>

namespace assay::device::cuda {

struct ByteRange {
  DevicePointer address = 0;
  std::size_t bytes = 0;
};

struct FilledRange {
  ByteRange range;
  FillPattern pattern;
};

/// Two places of as many bytes.
struct RangePair {
  DevicePointer first = 0;
  DevicePointer second = 0;
  std::size_t bytes = 0;
};

/// An output beside its expected values, both row-major in device memory.
struct CompareRequest {
  DevicePointer got = 0;  ///< Aligned to its elements.
  ElementFormat format = ElementFormat::float32;
  DevicePointer expected = 0;  ///< A double an element.
  std::size_t elements = 0;
  DeviceRule rule;
};

struct Comparison {
  bool surely_right = false;  ///< The CPU's comparison would find nothing. Otherwise it has to be asked.
  CompareTotals totals;
  /// Counted only if it is not surely right: elements that are wrong by themselves, and the first of them.
  std::size_t wrong = 0;
  std::optional<std::size_t> first_wrong;
};

/// The judge's own kernels on its own memory: so that no data crosses the bus for a check. Results come with one copy of
/// a few bytes, for which the calls wait; fills, `flush_l2` and what is called so are enqueued only. For one thread, in the context that
/// they were loaded for, which outlives them. A process that runs candidates has no business with them.
class TrustedKernels {
 public:
  [[nodiscard]] static base::Result<TrustedKernels> load(const Context& context);

  /// Fills bytes, of any alignment.
  [[nodiscard]] base::Result<void> fill(const FilledRange& range, const Stream& stream);
  [[nodiscard]] base::Result<void> fill_all(std::span<const FilledRange> ranges, const Stream& stream);
  /// Tells of each range the first offset that no longer holds its pattern.
  [[nodiscard]] base::Result<std::vector<std::optional<std::size_t>>> check_fill(std::span<const FilledRange> ranges,
                                                                                 const Stream& stream);
  /// Computes the digest of each range: the number that verify::content_digest has for the same bytes.
  [[nodiscard]] base::Result<std::vector<std::uint64_t>> digest(std::span<const ByteRange> ranges,
                                                                const Stream& stream);

  /// The same two, left in device memory as one word of 8 bytes a range: the first offset or kHolds, and what `digest_of`
  /// makes a digest of.
  [[nodiscard]] base::Result<void> enqueue_check_fill(std::span<const FilledRange> ranges, DevicePointer words,
                                                      const Stream& stream);
  [[nodiscard]] base::Result<void> enqueue_digest(std::span<const ByteRange> ranges, DevicePointer words,
                                                  const Stream& stream);
  /// Likewise, of each pair the first offset at which its two places differ, or kHolds.
  [[nodiscard]] base::Result<void> enqueue_first_difference(std::span<const RangePair> pairs, DevicePointer words,
                                                            const Stream& stream);
  /// Copies whole words of 4 bytes to pinned memory, where the device is the judge's: a few bytes sooner than its engines
  /// for copies would.
  [[nodiscard]] base::Result<void> enqueue_bring(std::span<std::byte> to, DevicePointer from,
                                                 const Stream& stream) const;
  static constexpr std::uint64_t kHolds = ~std::uint64_t{0};
  [[nodiscard]] static std::uint64_t digest_of(std::uint64_t word, std::size_t bytes);

  /// Bytes of a buffer that `flush_l2` reads: three times the cache, so that nothing else is left in it.
  [[nodiscard]] std::size_t flush_bytes() const { return flush_bytes_; }
  /// Reads all of the buffer, at least flush_bytes() of them, aligned to 16 bytes. It writes nothing, so that what is
  /// timed next does not pay for writing back dirty lines of ours.
  [[nodiscard]] base::Result<void> flush_l2(const ByteRange& buffer, const Stream& stream);

  /// Compares an output with its expected values. The rule's block_elements divide the elements.
  [[nodiscard]] base::Result<Comparison> compare(const CompareRequest& request, const Stream& stream);
  /// Compares several, of which it waits for all at once.
  [[nodiscard]] base::Result<std::vector<Comparison>> compare_all(std::span<const CompareRequest> requests,
                                                                  const Stream& stream);
  /// The same without waiting: what `compared` reads is copied to `results`, pinned memory of kTotalsBytes a request.
  [[nodiscard]] base::Result<void> enqueue_compare_all(std::span<const CompareRequest> requests,
                                                       std::span<std::byte> results, const Stream& stream);
  /// Of what is not surely right it does not count what is wrong: compare_all does.
  [[nodiscard]] static std::vector<Comparison> compared(std::span<const CompareRequest> requests,
                                                        std::span<const std::byte> results);
  static constexpr std::size_t kTotalsBytes = 256;

 private:
  struct Functions {
    abi::FunctionHandle fill = nullptr;
    abi::FunctionHandle check_fill = nullptr;
    abi::FunctionHandle digest = nullptr;
    abi::FunctionHandle first_difference = nullptr;
    abi::FunctionHandle copy_words = nullptr;
    abi::FunctionHandle read = nullptr;
    abi::FunctionHandle compare_pieces = nullptr;
    abi::FunctionHandle compare_blocks = nullptr;
    abi::FunctionHandle compare_total = nullptr;
    abi::FunctionHandle compare_find = nullptr;
  };

  TrustedKernels(const Context& context, Module module) : context_(&context), module_(std::move(module)) {}
  [[nodiscard]] LaunchShape shape_for(std::size_t threads) const;
  /// Calls `launch_batch(shape, batch, number of its first range)` for all that is not empty.
  template <class Range, class Launch>
  [[nodiscard]] base::Result<void> in_batches(std::span<const Range> ranges, std::size_t bytes_a_thread,
                                              const Launch& launch_batch) const;
  /// Copies results, at most kResultBytes of them, and waits for them.
  template <class T>
  [[nodiscard]] base::Result<void> fetch(std::span<T> to, DevicePointer from, const Stream& stream) const;
  [[nodiscard]] base::Result<void> need_scratch(std::size_t bytes, const Stream& stream);
  /// Where in the scratch memory the parts of a comparison lie.
  struct ComparePlaces {
    std::size_t blocks = 0;
    std::size_t pieces_a_block = 0;
    std::size_t piece = 0;  ///< Elements.
    DevicePointer totals = 0;
    DevicePointer of_pieces = 0;
    DevicePointer of_blocks = 0;
  };
  /// Lays out a scratch memory for so many requests, and makes it large enough.
  [[nodiscard]] base::Result<std::vector<ComparePlaces>> place_comparisons(std::span<const CompareRequest> requests,
                                                                           const Stream& stream);
  [[nodiscard]] base::Result<void> enqueue_compare(const CompareRequest& request, const ComparePlaces& places,
                                                   const Stream& stream) const;
  [[nodiscard]] base::Result<void> find_wrong(const CompareRequest& request, const ComparePlaces& places,
                                              Comparison& comparison, const Stream& stream);

  const Context* context_;
  Module module_;
  Functions functions_;
  Memory scratch_;
  PinnedMemory results_;  ///< Of kResultBytes.
  unsigned multiprocessors_ = 0;
  std::size_t flush_bytes_ = 0;
};

}  // namespace assay::device::cuda
