#include <assay/evaluate/device_checker.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <assay/device/cuda/memory.hpp>
#include <assay/device/cuda/trusted_kernels.hpp>
#include <assay/evaluate/gpu_clock.hpp>
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
using Work = GpuClock::Work;

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
    ASSAY_TRY(made->measure_sweep());
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
    digest_is_coming_ = false;
    const std::size_t size = inputs.layout.inputs_size;
    ASSAY_TRY_ASSIGN(cuda::ImagedMemory* const memory, imaged(inputs.memory));
    ASSAY_TRY(clock_.time(Work::inputs, stream_, [&] { return memory->enqueue_publish(size, stream_); }));
    if (questions.inputs) {
      // Where it is cheap, of what they shall be; else of what has arrived, and where a plan made them on the device.
      present_ = inputs.memory.present(size);
      const bool cheap = size <= kCheapDigest && inputs.memory.plan().empty();
      if (cheap) {
        before_ = digest_of_parts(present_);
      } else {
        ASSAY_TRY(enqueue_digest(0));
        digest_is_coming_ = true;
      }
    }
    if (questions.outputs) {
      ASSAY_TRY(clock_.time(Work::reference, stream_, [&] { return compute_expected(); }));
    }
    return {};  // Enqueued; `arrive` waits.
  }

  /// Waits for all that was enqueued: before a call, so that it sees its inputs and the device is its own.
  base::Result<void> arrive() {
    if (digest_is_coming_) {
      ASSAY_TRY_ASSIGN(before_, fetch_digest(0));
      digest_is_coming_ = false;
    } else {
      ASSAY_TRY(stream_.synchronize());
    }
    return clock_.collect();
  }

  base::Result<bool> inputs_changed() override {
    if (digest_is_coming_) {
      ASSAY_TRY(arrive());
    }
    if (!before_) {
      return false;
    }
    ASSAY_TRY(enqueue_digest(present_.size()));
    ASSAY_TRY_ASSIGN(const std::uint64_t now, fetch_digest(present_.size()));
    ASSAY_TRY(clock_.collect());
    return now != *before_;
  }

  base::Result<std::unique_ptr<CallOutputs>> prepare(device::CallMemory& outputs,
                                                     const OutputPreparation& preparation) override;

  [[nodiscard]] std::int64_t doubts() const override { return doubts_; }
  [[nodiscard]] task::Named<double> device_seconds() const override { return clock_.seconds(); }

  [[nodiscard]] double sweep_seconds() const override { return sweep_seconds_; }

  // What DeviceOutputs asks for.

  [[nodiscard]] const BlockInputs& inputs() const { return host_.inputs(); }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] cuda::TrustedKernels& kernels() { return *kernels_; }
  [[nodiscard]] GpuClock& clock() { return clock_; }
  /// Room for so many words of results.
  base::Result<DevicePointer> words_for(std::size_t count) {
    ASSAY_TRY(grow(context_, stream_, words_, count * sizeof(std::uint64_t)));
    return words_.address();
  }
  [[nodiscard]] HostChecker& host() { return host_; }

  /// What the device says of outputs that lie here.
  base::Result<operators::cuda::DeviceVerdict> verdict_of(DevicePointer outputs) {
    ASSAY_CHECK(has_expected_);
    std::vector<DeviceTensor> tensors;
    for (const Place& place : inputs().layout.outputs) {
      tensors.push_back({outputs + place.offset, place.dtype, place.shape});
    }
    operators::cuda::DeviceVerdict verdict;
    const auto check = [&]() -> base::Result<void> {
      ASSAY_TRY_ASSIGN(verdict,
                       check_->check({inputs().axes, arguments_, tensors, expected_, scratch_}, *kernels_, stream_));
      return {};
    };
    ASSAY_TRY(clock_.time(Work::compare, stream_, check));
    doubts_ += verdict.surely_right ? 0 : 1;
    return verdict;
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
  // Of as many bytes as a worker's; the second, when the clocks have begun to rise.
  base::Result<void> measure_sweep() {
    ASSAY_TRY_ASSIGN(const cuda::Memory buffer, cuda::Memory::create(context_, kernels_->flush_bytes()));
    ASSAY_TRY_ASSIGN(const cuda::Event before, cuda::Event::create());
    ASSAY_TRY_ASSIGN(const cuda::Event after, cuda::Event::create());
    for (int sweep = 0; sweep < 2; ++sweep) {
      ASSAY_TRY(before.record(stream_));
      ASSAY_TRY(kernels_->flush_l2({buffer.address(), buffer.size()}, stream_));
      ASSAY_TRY(after.record(stream_));
      ASSAY_TRY(stream_.synchronize());
    }
    ASSAY_TRY_ASSIGN(const std::int64_t took, cuda::elapsed_ns(before, after));
    sweep_seconds_ = static_cast<double>(took) * 1e-9;
    return {};
  }

  DeviceChecker(cuda::Context context, const operators::Operator& op) : context_(std::move(context)), host_(op) {}

  base::Result<DevicePointer> address_of(const device::CallMemory& memory) const {
    const std::optional<std::uint64_t> address = memory.device_address();
    if (!address) {
      return base::internal_error("judge.device_memory", "the memory of a call on a GPU does not lie there");
    }
    return *address;
  }

  static base::Result<cuda::ImagedMemory*> imaged(device::CallMemory& memory) {
    auto* const found = dynamic_cast<cuda::ImagedMemory*>(&memory);
    if (found == nullptr) {
      return base::internal_error("judge.device_memory", "the memory of a call on a GPU does not lie there");
    }
    return found;
  }

  // Of the inputs as they are by then, to the words from `first` on; two such digests are kept apart.
  base::Result<void> enqueue_digest(std::size_t first) {
    ASSAY_TRY_ASSIGN(const DevicePointer address, address_of(inputs().memory));
    std::vector<cuda::ByteRange> ranges;
    for (const std::span<const std::byte> part : present_) {
      const auto offset = static_cast<std::size_t>(part.data() - inputs().memory.bytes().data());
      ranges.push_back({address + offset, part.size()});
    }
    ASSAY_TRY(grow(context_, stream_, input_words_, 2 * ranges.size() * sizeof(std::uint64_t)));
    return clock_.time(Work::digest, stream_, [&] {
      return kernels_->enqueue_digest(ranges, input_words_.address() + first * sizeof(std::uint64_t), stream_);
    });
  }

  // Waits for it.
  base::Result<std::uint64_t> fetch_digest(std::size_t first) {
    std::vector<std::uint64_t> words(present_.size());
    ASSAY_TRY(cuda::copy_from_device(std::as_writable_bytes(std::span(words)),
                                     input_words_.address() + first * sizeof(std::uint64_t), stream_));
    ASSAY_TRY(stream_.synchronize());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = cuda::TrustedKernels::digest_of(words[i], present_[i].size());
    }
    return join(words);
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

  GpuClock clock_;
  double sweep_seconds_ = 0;
  cuda::Memory arena_;                   ///< Expected values, then scratch.
  cuda::Memory input_words_;             ///< Digests of the inputs before and after the calls.
  cuda::Memory words_;                   ///< What a look at outputs leaves.
  std::vector<cuda::Memory> snapshots_;  ///< Outputs as calls left them: one a call of a block.
  std::size_t snapshots_used_ = 0;

  std::vector<std::span<const std::byte>> present_;
  std::optional<std::uint64_t> before_;  ///< Digest of the inputs.
  bool digest_is_coming_ = false;        ///< `before_` is enqueued.
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
        guard_(*layout_, address, preparation.seed, preparation.call),
        kept_guard_(*layout_, snapshot, preparation.seed, preparation.call) {}

  base::Result<void> prepare() const {
    ASSAY_TRY(checker_->clock().time(Work::prepare, checker_->stream(), [&] {
      return guard_.prepare(checker_->kernels(), checker_->stream(), preparation_.poisons);
    }));
    return checker_->arrive();
  }

  // A copy on the device: outputs are judged as they were at the return, whatever becomes of them. The guard bands are
  // looked at in the copy too.
  base::Result<void> returned() override {
    ASSAY_TRY_ASSIGN(const cuda::Driver* driver, cuda::open_driver());
    ASSAY_TRY_ASSIGN(const DevicePointer words, checker_->words_for(kept_guard_.word_count()));
    const auto keep = [&]() -> base::Result<void> {
      ASSAY_TRY(cuda::check(
          driver->cuMemcpyDtoDAsync_v2(snapshot_, address_, layout_->outputs_size, checker_->stream().handle()),
          "cuMemcpyDtoDAsync"));
      return kept_guard_.enqueue_check(checker_->kernels(), words, checker_->stream());
    };
    ASSAY_TRY(checker_->clock().time(Work::keep, checker_->stream(), keep));
    guard_words_.resize(kept_guard_.word_count());
    ASSAY_TRY(cuda::copy_from_device(std::as_writable_bytes(std::span(guard_words_)), words, checker_->stream()));
    return checker_->arrive();
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
    return checker_->host().findings(memory_->bytes(), guard);
  }

  base::Result<std::optional<tensor::LargestErrors>> largest_errors() override {
    if (std::none_of(layout_->outputs.begin(), layout_->outputs.end(),
                     [](const Place& place) { return tensor::is_floating(place.dtype); })) {
      return std::nullopt;
    }
    ASSAY_TRY(need_verdict());
    if (verdict_->errors) {
      return verdict_->errors;
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

  base::Result<void> need_verdict() {
    if (!verdict_) {
      ASSAY_TRY_ASSIGN(verdict_, checker_->verdict_of(snapshot_));
    }
    return {};
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
  verify::DeviceOutputGuard kept_guard_;  ///< Of the copy.
  std::vector<std::uint64_t> guard_words_;
  std::optional<operators::cuda::DeviceVerdict> verdict_;
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
