#include <assay/evaluate/device_outputs.hpp>

#include <algorithm>
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
                DevicePointer snapshot, const OutputPreparation& preparation)
      : block_(&block),
        host_(&host),
        layout_(&block.inputs().layout),
        memory_(&memory),
        address_(address),
        snapshot_(snapshot),
        preparation_(preparation),
        guard_(*layout_, address, preparation.seed, preparation.call),
        kept_guard_(*layout_, snapshot, preparation.seed, preparation.call) {}

  base::Result<void> prepare() const {
    ASSAY_TRY(block_->clock().time(Work::prepare, block_->stream(), [&] {
      return guard_.prepare(block_->kernels(), block_->stream(), preparation_.poisons);
    }));
    return block_->arrive();
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
      return kept_guard_.enqueue_check(block_->kernels(), words, block_->stream());
    };
    ASSAY_TRY(block_->clock().time(Work::keep, block_->stream(), keep));
    guard_words_.resize(kept_guard_.word_count());
    ASSAY_TRY(cuda::copy_from_device(std::as_writable_bytes(std::span(guard_words_)), words, block_->stream()));
    return block_->arrive();
  }

  base::Result<std::optional<task::Finding>> check_guard() override { return kept_guard_.found(guard_words_); }

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

  base::Result<std::optional<Change>> changed() override {
    if (!preparation_.remembers) {
      return std::nullopt;
    }
    std::vector<cuda::ByteRange> ranges = tensors_at(snapshot_);
    const std::size_t count = ranges.size();
    const std::vector<cuda::ByteRange> now = tensors_at(address_);
    ranges.insert(ranges.end(), now.begin(), now.end());
    ASSAY_TRY_ASSIGN(const auto digests, block_->kernels().digest(ranges, block_->stream()));
    for (std::size_t i = 0; i < count; ++i) {
      if (digests[i] != digests[count + i]) {
        ASSAY_TRY_ASSIGN(const Change change, find_change(layout_->outputs[i]));
        return change;
      }
    }
    return std::nullopt;
  }

 private:
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
  OutputPreparation preparation_;
  verify::DeviceOutputGuard guard_;
  verify::DeviceOutputGuard kept_guard_;  ///< Of the copy.
  std::vector<std::uint64_t> guard_words_;
  std::optional<operators::cuda::DeviceVerdict> verdict_;
};

}  // namespace
}  // namespace device_outputs

base::Result<std::unique_ptr<CallOutputs>> prepare_device_outputs(DeviceBlock& block, HostChecker& host,
                                                                  device::CallMemory& memory,
                                                                  device::cuda::DevicePointer snapshot,
                                                                  const OutputPreparation& preparation) {
  ASSAY_TRY_ASSIGN(const device::cuda::DevicePointer address, address_on_device(memory));
  auto made = std::make_unique<device_outputs::DeviceOutputs>(block, host, memory, address, snapshot, preparation);
  ASSAY_TRY(made->prepare());
  return made;
}

}  // namespace assay::evaluate
