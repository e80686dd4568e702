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
        layout_(&block.inputs().layout),
        memory_(&memory),
        address_(address),
        snapshot_(kept.outputs.address()),
        kept_(&kept),
        preparation_(preparation),
        guard_(*layout_, address, preparation.seed, preparation.call),
        kept_guard_(*layout_, snapshot_, preparation.seed, preparation.call) {}

  base::Result<void> prepare() const {
    const std::size_t words = kept_guard_.word_count() + 2 * layout_->outputs.size();
    if (kept_->words.size() < words * sizeof(std::uint64_t)) {
      ASSAY_TRY(block_->arrive());  // What runs now may still write to the old ones.
      ASSAY_TRY_ASSIGN(kept_->words, cuda::PinnedMemory::create(words * sizeof(std::uint64_t)));
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

  base::Result<std::vector<task::Finding>> check() override {
    ASSAY_TRY(need_verdict());
    if (verdict_->surely_right) {
      return std::vector<task::Finding>();
    }
    ASSAY_TRY(fetch());
    const auto guard =
        verify::OutputGuard::of_prepared(*layout_, memory_->bytes(), preparation_.seed, preparation_.call);
    return host_->findings(memory_->bytes(), guard);
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
    std::vector<cuda::ByteRange> ranges = tensors_at(snapshot_);
    const std::vector<cuda::ByteRange> now = tensors_at(address_);
    ranges.insert(ranges.end(), now.begin(), now.end());
    ASSAY_TRY_ASSIGN(const DevicePointer words, block_->words_for(ranges.size()));
    return block_->clock().time(Work::keep, block_->stream(), [&]() -> base::Result<void> {
      ASSAY_TRY(block_->kernels().enqueue_digest(ranges, words, block_->stream()));
      return bring(words, kept_guard_.word_count(), ranges.size());
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
    const std::size_t count = layout_->outputs.size();
    const std::vector<std::uint64_t> digests = words(kept_guard_.word_count(), 2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      if (digests[i] != digests[count + i]) {
        ASSAY_TRY_ASSIGN(const Change change, find_change(layout_->outputs[i]));
        return change;
      }
    }
    return std::nullopt;
  }

 private:
  // Enqueues a copy of words from the device to those kept, from `first` on.
  [[nodiscard]] base::Result<void> bring(DevicePointer from, std::size_t first, std::size_t count) const {
    return cuda::copy_from_device(
        kept_->words.bytes().subspan(first * sizeof(std::uint64_t), count * sizeof(std::uint64_t)), from,
        block_->stream());
  }

  [[nodiscard]] std::vector<std::uint64_t> words(std::size_t first, std::size_t count) const {
    std::vector<std::uint64_t> all(count);
    std::memcpy(all.data(), kept_->words.bytes().data() + first * sizeof(std::uint64_t), count * sizeof(std::uint64_t));
    return all;
  }

  [[nodiscard]] std::vector<cuda::ByteRange> tensors_at(DevicePointer base) const {
    std::vector<cuda::ByteRange> ranges;
    for (const Place& place : layout_->outputs) {
      ranges.push_back({base + place.offset, place.bytes});
    }
    return ranges;
  }

  base::Result<void> need_verdict() {
    if (!verdict_) {
      ASSAY_TRY_ASSIGN(verdict_, block_->verdict_of(snapshot_));
    }
    return {};
  }

  // Makes the image what the call left.
  base::Result<void> fetch() const {
    ASSAY_TRY(cuda::copy_from_device(memory_->bytes().first(layout_->outputs_size), snapshot_, block_->stream()));
    return block_->stream().synchronize();
  }

  // An output that goes on changing may be as it was again: it has changed all the same.
  base::Result<Change> find_change(const Place& place) const {
    std::vector<std::byte> before(place.bytes);
    std::vector<std::byte> after(place.bytes);
    ASSAY_TRY(cuda::copy_from_device(before, snapshot_ + place.offset, block_->stream()));
    ASSAY_TRY(cuda::copy_from_device(after, address_ + place.offset, block_->stream()));
    ASSAY_TRY(block_->stream().synchronize());
    const auto differing = std::mismatch(before.begin(), before.end(), after.begin()).first;
    const auto at = differing == before.end() ? 0 : static_cast<std::size_t>(differing - before.begin());
    return Change{&place, at / kWord * kWord / std::max<std::size_t>(1, tensor::byte_size(place.dtype, 1))};
  }

  DeviceBlock* block_;
  HostChecker* host_;
  const verify::Layout* layout_;
  device::CallMemory* memory_;
  DevicePointer address_;
  DevicePointer snapshot_;
  KeptCall* kept_;
  OutputPreparation preparation_;
  verify::DeviceOutputGuard guard_;
  verify::DeviceOutputGuard kept_guard_;  ///< Of the copy.
  bool looks_ = false;                    ///< The last look has begun.
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
