#include <assay/evaluate/device_outputs.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <assay/verify/device_output_guard.hpp>

namespace assay::evaluate {

namespace device_outputs {
namespace {

namespace cuda = device::cuda;
using cuda::DevicePointer;
using verify::Place;
using Change = verify::SampledContent::Change;
using Work = GpuClock::Work;

constexpr std::size_t kWord = 4;  // In units of which a change is named, as SampledContent does.

class DeviceOutputs final : public CallOutputs {
 public:
  DeviceOutputs(DeviceBlock& block, HostChecker& host, device::CallMemory& memory, DevicePointer address,
                KeptCall& kept, const OutputPreparation& preparation)
      : block_(&block),
        host_(&host),
        inputs_(block.inputs()),
        layout_(&inputs_.layout),
        memory_(&memory),
        address_(address),
        snapshot_(kept.outputs.address()),
        kept_(&kept),
        preparation_(preparation),
        guard_(*layout_, address, preparation.seed, preparation.call),
        kept_guard_(*layout_, snapshot_, preparation.seed, preparation.call) {}

  base::Result<void> prepare() const {
    const std::size_t bytes = result_offset() + result_bytes();
    if (kept_->words.size() < bytes) {
      ASSAY_TRY(block_->arrive());  // What runs now may still write to the old ones.
      ASSAY_TRY_ASSIGN(kept_->words, cuda::PinnedMemory::create(bytes));
    }
    return block_->clock().time(Work::prepare, block_->stream(), [&] {
      return guard_.prepare(block_->kernels(), block_->stream(), preparation_.poisons);
    });
  }

  // A copy on the device: outputs are judged as they were at the return, whatever becomes of them. The guard bands are
  // looked at in the copy too.
  base::Result<void> returned() override {
    ASSAY_TRY_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
    ASSAY_TRY_ASSIGN(const DevicePointer words, block_->words_for(kept_guard_.word_count()));
    const auto keep = [&]() -> base::Result<void> {
      ASSAY_TRY(cuda::check(
          driver->cuMemcpyDtoDAsync_v2(snapshot_, address_, layout_->outputs_size, block_->stream().handle()),
          "cuMemcpyDtoDAsync"));
      ASSAY_TRY(kept_guard_.enqueue_check(block_->kernels(), words, block_->stream()));
      return bring(words, 0, kept_guard_.word_count());
    };
    return block_->clock().time(Work::keep, block_->stream(), keep);
  }

  base::Result<std::optional<task::Finding>> check_guard() override {
    ASSAY_TRY(block_->arrive());
    return kept_guard_.found(words(0, kept_guard_.word_count()));
  }

  base::Result<void> begin_check() override {
    checks_ = true;
    return block_->enqueue_verdict(snapshot_, check_result());
  }

  base::Result<bool> is_in_doubt() override {
    ASSAY_TRY(need_verdict());
    return !verdict_->surely_right;
  }

  base::Result<std::vector<task::Finding>> check() override {
    ASSAY_TRY(need_verdict());
    if (verdict_->surely_right) {
      return std::vector<task::Finding>();
    }
    ASSAY_TRY(fetch());
    const auto guard =
        verify::OutputGuard::of_prepared(*layout_, memory_->bytes(), preparation_.seed, preparation_.call);
    if (&block_->inputs().layout == layout_) {
      return host_->findings(memory_->bytes(), guard);
    }
    // The next block has begun.
    host_->adopt(inputs_);
    base::Result<std::vector<task::Finding>> found = host_->findings(memory_->bytes(), guard);
    host_->adopt(block_->inputs());
    return found;
  }

  base::Result<std::optional<tensor::LargestErrors>> largest_errors() override {
    ASSAY_TRY(need_verdict());
    return verdict_->errors ? verdict_->errors : block_->errors_of(snapshot_);
  }

  base::Result<std::uint64_t> digest() override {
    const std::vector<cuda::ByteRange> ranges = tensors_at(snapshot_);
    ASSAY_TRY_ASSIGN(const auto digests, block_->kernels().digest(ranges, block_->stream()));
    return join_digests(digests);
  }

  base::Result<void> begin_last_look() override {
    looks_ = true;
    if (!preparation_.remembers) {
      return {};
    }
    std::vector<cuda::RangePair> pairs;
    for (const Place& place : layout_->outputs) {
      pairs.push_back({snapshot_ + place.offset, address_ + place.offset, place.bytes});
    }
    ASSAY_TRY_ASSIGN(const DevicePointer words, block_->words_for(pairs.size()));
    return block_->clock().time(Work::keep, block_->stream(), [&]() -> base::Result<void> {
      ASSAY_TRY(block_->kernels().enqueue_first_difference(pairs, words, block_->stream()));
      return bring(words, kept_guard_.word_count(), pairs.size());
    });
  }

  base::Result<std::optional<Change>> changed() override {
    if (!looks_) {
      ASSAY_TRY(begin_last_look());
    }
    if (!preparation_.remembers) {
      return std::nullopt;
    }
    ASSAY_TRY(block_->arrive());
    const std::vector<std::uint64_t> differences = words(kept_guard_.word_count(), layout_->outputs.size());
    for (std::size_t i = 0; i < differences.size(); ++i) {
      if (differences[i] != cuda::TrustedKernels::kHolds) {
        const Place& place = layout_->outputs[i];
        return Change{&place, static_cast<std::size_t>(differences[i]) / kWord * kWord /
                                  std::max<std::size_t>(1, tensor::byte_size(place.dtype, 1))};
      }
    }
    return std::nullopt;
  }

 private:
  // Enqueues a copy of words from the device to those kept, from `first` on.
  [[nodiscard]] base::Result<void> bring(DevicePointer from, std::size_t first, std::size_t count) const {
    return block_->kernels().enqueue_bring(
        kept_->words.bytes().subspan(first * sizeof(std::uint64_t), count * sizeof(std::uint64_t)), from,
        block_->stream());
  }

  [[nodiscard]] std::vector<std::uint64_t> words(std::size_t first, std::size_t count) const {
    std::vector<std::uint64_t> all(count);
    std::memcpy(all.data(), kept_->words.bytes().data() + first * sizeof(std::uint64_t), count * sizeof(std::uint64_t));
    return all;
  }

  [[nodiscard]] std::size_t result_offset() const {
    return (kept_guard_.word_count() + layout_->outputs.size()) * sizeof(std::uint64_t);
  }
  [[nodiscard]] std::size_t result_bytes() const {
    return std::max<std::size_t>(1, layout_->outputs.size()) * operators::cuda::DeviceCheck::kResultBytes;
  }
  [[nodiscard]] std::span<std::byte> check_result() const {
    return kept_->words.bytes().subspan(result_offset(), result_bytes());
  }

  [[nodiscard]] std::vector<cuda::ByteRange> tensors_at(DevicePointer base) const {
    std::vector<cuda::ByteRange> ranges;
    for (const Place& place : layout_->outputs) {
      ranges.push_back({base + place.offset, place.bytes});
    }
    return ranges;
  }

  base::Result<void> need_verdict() {
    if (verdict_) {
      return {};
    }
    if (!checks_) {
      ASSAY_TRY(begin_check());
    }
    ASSAY_TRY(block_->arrive());
    verdict_ = block_->read_verdict(*layout_, snapshot_, check_result());
    return {};
  }

  // Makes the image what the call left.
  base::Result<void> fetch() const {
    ASSAY_TRY(cuda::copy_from_device(memory_->bytes().first(layout_->outputs_size), snapshot_, block_->stream()));
    return block_->stream().synchronize();
  }

  DeviceBlock* block_;
  HostChecker* host_;
  BlockInputs inputs_;  ///< Of this call's block.
  const verify::Layout* layout_;
  device::CallMemory* memory_;
  DevicePointer address_;
  DevicePointer snapshot_;
  KeptCall* kept_;
  OutputPreparation preparation_;
  verify::DeviceOutputGuard guard_;
  verify::DeviceOutputGuard kept_guard_;  ///< Of the copy.
  bool checks_ = false;                   ///< The check has begun,
  bool looks_ = false;                    ///< the last look has.
  std::optional<operators::cuda::DeviceVerdict> verdict_;
};

}  // namespace
}  // namespace device_outputs

base::Result<std::unique_ptr<CallOutputs>> prepare_device_outputs(DeviceBlock& block, HostChecker& host,
                                                                  device::CallMemory& memory, KeptCall& kept,
                                                                  const OutputPreparation& preparation) {
  ASSAY_TRY_ASSIGN(const device::cuda::DevicePointer address, address_on_device(memory));
  auto made = std::make_unique<device_outputs::DeviceOutputs>(block, host, memory, address, kept, preparation);
  ASSAY_TRY(made->prepare());
  return made;
}

}  // namespace assay::evaluate
