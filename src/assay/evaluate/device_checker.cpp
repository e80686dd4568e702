#include <assay/evaluate/device_checker.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/evaluate/host_checker.hpp>
#include <assay/operators/cuda/device_check.hpp>
#include <assay/operators/cuda/device_reference.hpp>
#include <assay/verify/device_output_guard.hpp>
#include <assay/verify/output_check.hpp>

namespace assay::evaluate {

namespace {

namespace cuda = device::cuda;
using cuda::DevicePointer;
using operators::cuda::DeviceTensor;
using verify::Place;
using Change = verify::SampledContent::Change;

constexpr std::size_t kArrayAlignment = 256;
constexpr std::size_t kWord = 4;  // In units of which a change is named, as SampledContent does.

/// Memory of the judge alone, at most as large as it ever had to be.
base::Result<void> grow(const cuda::Context& context, const cuda::Stream& stream, cuda::Memory& memory,
                        std::size_t bytes) {
  if (memory.size() < std::max<std::size_t>(bytes, 1)) {
    ASSAY_TRY(stream.synchronize());  // What runs now may still use the old one.
    memory = cuda::Memory();
    ASSAY_TRY_ASSIGN(memory, cuda::Memory::create(context, std::max<std::size_t>(bytes, 1)));
  }
  return {};
}

std::uint64_t join(std::span<const std::uint64_t> digests) {
  std::uint64_t all = 0;
  for (const std::uint64_t digest : digests) {
    all = base::mix(all, digest);
  }
  return all;
}

class DeviceChecker final : public CallChecker {
 public:
  static base::Result<std::unique_ptr<CallChecker>> make(int ordinal, const operators::Operator& op) {
    ASSAY_TRY_ASSIGN(cuda::Context context, cuda::Context::retain(ordinal));
    ASSAY_TRY_ASSIGN(auto reference, operators::cuda::make_device_reference(op.definition_name()));
    ASSAY_TRY_ASSIGN(auto check, operators::cuda::make_device_check(op));
    if (reference == nullptr || check == nullptr) {
      return nullptr;
    }
    std::unique_ptr<DeviceChecker> made(new DeviceChecker(std::move(context), op));
    ASSAY_TRY_ASSIGN(made->kernels_, cuda::TrustedKernels::load(made->context_));
    ASSAY_TRY_ASSIGN(made->stream_, cuda::Stream::create());
    made->reference_ = std::move(reference);
    made->check_ = std::move(check);
    return made;
  }

  [[nodiscard]] std::string_view name() const override { return "gpu, cpu on doubt"; }

  base::Result<void> begin(const BlockInputs& inputs, const BlockQuestions& questions) override {
    host_.adopt(inputs);
    snapshots_used_ = 0;
    before_.reset();
    has_expected_ = false;
    const std::size_t size = inputs.layout.inputs_size;
    ASSAY_TRY(inputs.memory.publish(size));
    if (questions.inputs) {
      // Where it is cheap, of what they shall be; else of what has arrived, and where a plan made them on the device.
      present_ = inputs.memory.present(size);
      const bool cheap = size <= kCheapDigest && inputs.memory.plan().empty();
      ASSAY_TRY_ASSIGN(before_, cheap ? base::Result<std::uint64_t>(digest_of_parts(present_)) : digest_of_inputs());
    }
    if (questions.outputs) {
      ASSAY_TRY(compute_expected());
    }
    return stream_.synchronize();
  }

  base::Result<bool> inputs_changed() override {
    if (!before_) {
      return false;
    }
    ASSAY_TRY_ASSIGN(const std::uint64_t now, digest_of_inputs());
    return now != *before_;
  }

  base::Result<std::unique_ptr<CallOutputs>> prepare(device::CallMemory& outputs,
                                                     const OutputPreparation& preparation) override;

  [[nodiscard]] std::int64_t doubts() const override { return doubts_; }

  // What DeviceOutputs asks for.

  [[nodiscard]] const BlockInputs& inputs() const { return host_.inputs(); }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] cuda::TrustedKernels& kernels() { return *kernels_; }
  [[nodiscard]] HostChecker& host() { return host_; }

  /// Whether outputs that lie here are surely right.
  base::Result<bool> surely_right(DevicePointer outputs) {
    ASSAY_CHECK(has_expected_);
    std::vector<DeviceTensor> tensors;
    for (const Place& place : inputs().layout.outputs) {
      tensors.push_back({outputs + place.offset, place.dtype, place.shape});
    }
    ASSAY_TRY_ASSIGN(const auto verdict,
                     check_->check({inputs().axes, arguments_, tensors, expected_, scratch_}, *kernels_, stream_));
    doubts_ += verdict.surely_right ? 0 : 1;
    return verdict.surely_right;
  }

  /// Brings the expected values of the outputs.
  base::Result<const std::vector<operators::ExpectedValues>*> fetch_expected() {
    ASSAY_CHECK(has_expected_);
    const std::size_t outputs = inputs().layout.outputs.size();
    ASSAY_CHECK(outputs <= expected_.size());
    fetched_.resize(outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
      fetched_[i].resize(elements_[i]);
      if (elements_[i] != 0) {
        ASSAY_TRY(cuda::copy_from_device(std::as_writable_bytes(std::span(fetched_[i])), expected_[i], stream_));
      }
    }
    ASSAY_TRY(stream_.synchronize());
    return &fetched_;
  }

 private:
  DeviceChecker(cuda::Context context, const operators::Operator& op) : context_(std::move(context)), host_(op) {}

  base::Result<DevicePointer> address_of(const device::CallMemory& memory) const {
    const std::optional<std::uint64_t> address = memory.device_address();
    if (!address) {
      return base::internal_error("judge.device_memory", "the memory of a call on a GPU does not lie there");
    }
    return *address;
  }

  base::Result<std::uint64_t> digest_of_inputs() {
    ASSAY_TRY_ASSIGN(const DevicePointer address, address_of(inputs().memory));
    std::vector<cuda::ByteRange> ranges;
    for (const std::span<const std::byte> part : present_) {
      const auto offset = static_cast<std::size_t>(part.data() - inputs().memory.bytes().data());
      ranges.push_back({address + offset, part.size()});
    }
    ASSAY_TRY_ASSIGN(const std::vector<std::uint64_t> digests, kernels_->digest(ranges, stream_));
    return join(digests);
  }

  // Before the calls: what a worker might do to the inputs comes too late for what is expected of it.
  base::Result<void> compute_expected() {
    ASSAY_TRY_ASSIGN(const DevicePointer address, address_of(inputs().memory));
    const verify::Layout& layout = inputs().layout;
    arguments_.clear();
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      if (const std::optional<Place>& place = layout.inputs[i]) {
        arguments_.emplace_back(DeviceTensor{address + place->offset, place->dtype, place->shape});
      } else {
        arguments_.emplace_back(std::get<operators::Scalar>(inputs().arguments[i]));
      }
    }
    ASSAY_TRY_ASSIGN(elements_, reference_->expected_elements(inputs().axes));
    ASSAY_TRY_ASSIGN(const std::size_t reference_scratch, reference_->scratch_bytes(inputs().axes));
    ASSAY_TRY_ASSIGN(const std::size_t check_scratch, check_->scratch_bytes(inputs().axes));
    std::vector<std::size_t> offsets;
    std::size_t end = 0;
    for (const std::size_t count : elements_) {
      offsets.push_back(end);
      end += (count * sizeof(double) + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
    }
    ASSAY_TRY(grow(context_, stream_, arena_, end + std::max(reference_scratch, check_scratch)));
    expected_.clear();
    for (const std::size_t offset : offsets) {
      expected_.push_back(arena_.address() + offset);
    }
    scratch_ = arena_.address() + end;
    ASSAY_TRY(reference_->enqueue(inputs().axes, arguments_, expected_, scratch_, stream_));
    has_expected_ = true;
    return {};
  }

  cuda::Context context_;  // Outlives all that was made in it: first.
  cuda::Stream stream_;
  std::optional<cuda::TrustedKernels> kernels_;
  std::unique_ptr<operators::cuda::DeviceReference> reference_;
  std::unique_ptr<operators::cuda::DeviceCheck> check_;
  HostChecker host_;

  cuda::Memory arena_;                   ///< Expected values, then scratch.
  std::vector<cuda::Memory> snapshots_;  ///< Outputs as calls left them: one a call of a block.
  std::size_t snapshots_used_ = 0;

  std::vector<std::span<const std::byte>> present_;
  std::optional<std::uint64_t> before_;  ///< Digest of the inputs.
  bool has_expected_ = false;
  std::vector<operators::cuda::DeviceArgument> arguments_;
  std::vector<std::size_t> elements_;
  std::vector<DevicePointer> expected_;
  DevicePointer scratch_ = 0;
  std::vector<operators::ExpectedValues> fetched_;
  std::int64_t doubts_ = 0;
};

class DeviceOutputs final : public CallOutputs {
 public:
  DeviceOutputs(DeviceChecker& checker, device::CallMemory& memory, DevicePointer address, DevicePointer snapshot,
                const OutputPreparation& preparation)
      : checker_(&checker),
        layout_(&checker.inputs().layout),
        memory_(&memory),
        address_(address),
        snapshot_(snapshot),
        preparation_(preparation),
        guard_(*layout_, address, preparation.seed, preparation.call) {}

  base::Result<void> prepare() const {
    ASSAY_TRY(guard_.prepare(checker_->kernels(), checker_->stream(), preparation_.poisons));
    return checker_->stream().synchronize();
  }

  // A copy on the device: outputs are judged as they were at the return, whatever becomes of them.
  base::Result<void> returned() override {
    ASSAY_TRY_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
    ASSAY_TRY(cuda::check(
        driver->cuMemcpyDtoDAsync_v2(snapshot_, address_, layout_->outputs_size, checker_->stream().handle()),
        "cuMemcpyDtoDAsync"));
    return checker_->stream().synchronize();
  }

  base::Result<std::optional<task::Finding>> check_guard() override {
    return guard_.check(checker_->kernels(), checker_->stream());
  }

  base::Result<std::vector<task::Finding>> check() override {
    ASSAY_TRY_ASSIGN(const bool right, checker_->surely_right(snapshot_));
    if (right) {
      return std::vector<task::Finding>();
    }
    ASSAY_TRY(fetch());
    const auto guard =
        verify::OutputGuard::of_prepared(*layout_, memory_->bytes(), preparation_.seed, preparation_.call);
    return checker_->host().findings(memory_->bytes(), guard);
  }

  base::Result<std::optional<tensor::LargestErrors>> largest_errors() override {
    if (std::none_of(layout_->outputs.begin(), layout_->outputs.end(),
                     [](const Place& place) { return tensor::is_floating(place.dtype); })) {
      return std::nullopt;
    }
    ASSAY_TRY_ASSIGN(const auto* expected, checker_->fetch_expected());
    ASSAY_TRY(fetch());
    return verify::largest_errors(*layout_, memory_->bytes(), *expected);
  }

  base::Result<std::uint64_t> digest() override {
    const std::vector<cuda::ByteRange> ranges = tensors_at(snapshot_);
    ASSAY_TRY_ASSIGN(const auto digests, checker_->kernels().digest(ranges, checker_->stream()));
    return join(digests);
  }

  base::Result<std::optional<Change>> changed() override {
    if (!preparation_.remembers) {
      return std::nullopt;
    }
    std::vector<cuda::ByteRange> ranges = tensors_at(snapshot_);
    const std::size_t count = ranges.size();
    const std::vector<cuda::ByteRange> now = tensors_at(address_);
    ranges.insert(ranges.end(), now.begin(), now.end());
    ASSAY_TRY_ASSIGN(const auto digests, checker_->kernels().digest(ranges, checker_->stream()));
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

  // Makes the image what the call left.
  base::Result<void> fetch() const {
    ASSAY_TRY(cuda::copy_from_device(memory_->bytes().first(layout_->outputs_size), snapshot_, checker_->stream()));
    return checker_->stream().synchronize();
  }

  // An output that goes on changing may be as it was again: it has changed all the same.
  base::Result<Change> find_change(const Place& place) const {
    std::vector<std::byte> before(place.bytes);
    std::vector<std::byte> after(place.bytes);
    ASSAY_TRY(cuda::copy_from_device(before, snapshot_ + place.offset, checker_->stream()));
    ASSAY_TRY(cuda::copy_from_device(after, address_ + place.offset, checker_->stream()));
    ASSAY_TRY(checker_->stream().synchronize());
    const auto differing = std::mismatch(before.begin(), before.end(), after.begin()).first;
    const auto at = differing == before.end() ? 0 : static_cast<std::size_t>(differing - before.begin());
    return Change{&place, at / kWord * kWord / std::max<std::size_t>(1, tensor::byte_size(place.dtype, 1))};
  }

  DeviceChecker* checker_;
  const verify::Layout* layout_;
  device::CallMemory* memory_;
  DevicePointer address_;
  DevicePointer snapshot_;
  OutputPreparation preparation_;
  verify::DeviceOutputGuard guard_;
};

base::Result<std::unique_ptr<CallOutputs>> DeviceChecker::prepare(device::CallMemory& outputs,
                                                                  const OutputPreparation& preparation) {
  ASSAY_TRY_ASSIGN(const DevicePointer address, address_of(outputs));
  if (snapshots_used_ == snapshots_.size()) {
    snapshots_.emplace_back();
  }
  cuda::Memory& snapshot = snapshots_[snapshots_used_++];
  ASSAY_TRY(grow(context_, stream_, snapshot, inputs().layout.outputs_size));
  auto made = std::make_unique<DeviceOutputs>(*this, outputs, address, snapshot.address(), preparation);
  ASSAY_TRY(made->prepare());
  return made;
}

}  // namespace

base::Result<std::unique_ptr<CallChecker>> make_device_checker(const device::Device& device,
                                                               const operators::Operator& op) {
  const std::optional<int> ordinal = device.cuda_ordinal();
  if (!ordinal) {
    return nullptr;
  }
  auto made = DeviceChecker::make(*ordinal, op);
  if (!made && made.error().code == "cuda.no_device_code") {
    return nullptr;
  }
  return made;
}

}  // namespace assay::evaluate
