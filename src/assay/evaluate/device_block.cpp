#include <assay/evaluate/device_block.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <assay/device/cuda/memory.hpp>

namespace assay::evaluate {

namespace {

namespace cuda = device::cuda;
using cuda::DevicePointer;
using operators::cuda::DeviceTensor;
using verify::Place;
using Work = GpuClock::Work;

constexpr std::size_t kArrayAlignment = 256;
constexpr std::size_t kLeastLook = std::size_t{64} << 10U;  // So that it hardly ever grows.

base::Result<cuda::ImagedMemory*> imaged(device::CallMemory& memory) {
  auto* const found = dynamic_cast<cuda::ImagedMemory*>(&memory);
  if (found == nullptr) {
    return base::internal_error("judge.device_memory", "the memory of a call on a GPU does not lie there");
  }
  return found;
}

std::vector<DeviceTensor> tensors_at(const verify::Layout& layout, DevicePointer outputs) {
  std::vector<DeviceTensor> tensors;
  for (const Place& place : layout.outputs) {
    tensors.push_back({outputs + place.offset, place.dtype, place.shape});
  }
  return tensors;
}

}  // namespace

base::Result<DevicePointer> address_on_device(const device::CallMemory& memory) {
  const std::optional<std::uint64_t> address = memory.device_address();
  if (!address) {
    return base::internal_error("judge.device_memory", "the memory of a call on a GPU does not lie there");
  }
  return *address;
}

std::uint64_t join_digests(std::span<const std::uint64_t> digests) {
  std::uint64_t all = 0;
  for (const std::uint64_t digest : digests) {
    all = base::mix(all, digest);
  }
  return all;
}

base::Result<std::unique_ptr<DeviceBlock>> DeviceBlock::make(int ordinal, const operators::Operator& op) {
  ASSAY_TRY_ASSIGN(cuda::Context context, cuda::Context::retain(ordinal));
  ASSAY_TRY_ASSIGN(auto reference, operators::cuda::make_device_reference(op.definition_name()));
  ASSAY_TRY_ASSIGN(auto check, operators::cuda::make_device_check(op));
  if (reference == nullptr || check == nullptr) {
    return nullptr;
  }
  std::unique_ptr<DeviceBlock> made(new DeviceBlock(std::move(context)));
  ASSAY_TRY_ASSIGN(made->kernels_, cuda::TrustedKernels::load(made->context_));
  ASSAY_TRY_ASSIGN(made->stream_, cuda::Stream::create());
  ASSAY_TRY(made->measure_sweep());
  made->reference_ = std::move(reference);
  made->check_ = std::move(check);
  return made;
}

const BlockInputs& DeviceBlock::inputs() const {
  ASSAY_CHECK(inputs_.has_value());
  return *inputs_;
}

base::Result<void> DeviceBlock::enqueue(const BlockInputs& inputs, const BlockQuestions& questions) {
  inputs_.emplace(inputs);
  has_expected_ = false;
  now_ = 1 - now_;
  InputsLook& look = looks_[now_];
  look.before.reset();
  look.is_coming = look.has_begun = false;
  const std::size_t size = inputs.layout.inputs_size;
  ASSAY_TRY_ASSIGN(cuda::ImagedMemory* const memory, imaged(inputs.memory));
  ASSAY_TRY(clock_.time(Work::inputs, stream_, [&] { return memory->enqueue_publish(size, stream_); }));
  if (questions.inputs) {
    // Where it is cheap, of what they shall be; else of what has arrived, and where a plan made or left any of it on the
    // device, which the image does not tell.
    look.present = inputs.memory.present(size);
    const bool cheap = size <= kCheapDigest && !memory->ever_placed();
    if (cheap) {
      look.before = digest_of_parts(look.present);
    } else {
      ASSAY_TRY(enqueue_digest(look, 0));
      look.is_coming = true;
    }
  }
  if (questions.outputs) {
    ASSAY_TRY(clock_.time(Work::reference, stream_, [&] { return compute_expected(); }));
  }
  return {};
}

base::Result<void> DeviceBlock::arrive() {
  ASSAY_TRY(stream_.synchronize());
  if (InputsLook& look = looks_[now_]; look.is_coming) {
    look.before = look.digest_at(0);
    look.is_coming = false;
  }
  return clock_.collect();
}

base::Result<void> DeviceBlock::enqueue_inputs_look() {
  InputsLook& look = looks_[now_];
  if (look.before || look.is_coming) {
    ASSAY_TRY(enqueue_digest(look, look.present.size()));
    look.has_begun = true;
  }
  return {};
}

base::Result<bool> DeviceBlock::inputs_changed(WhichBlock which) {
  InputsLook& look = looks_[which == WhichBlock::now ? now_ : 1 - now_];
  if (which == WhichBlock::now && !look.has_begun) {
    ASSAY_TRY(enqueue_inputs_look());
  }
  if (!look.has_begun) {
    return false;
  }
  ASSAY_TRY(arrive());
  look.has_begun = false;
  return look.digest_at(look.present.size()) != *look.before;
}

base::Result<void> DeviceBlock::enqueue_verdict(DevicePointer outputs, std::span<std::byte> result) {
  ASSAY_CHECK(has_expected_);
  const std::vector<DeviceTensor> tensors = tensors_at(inputs().layout, outputs);
  return clock_.time(Work::compare, stream_, [&] {
    return check_->enqueue({inputs().axes, arguments_, tensors, expected_, scratch_}, *kernels_, stream_, result);
  });
}

operators::cuda::DeviceVerdict DeviceBlock::read_verdict(const verify::Layout& layout, DevicePointer outputs,
                                                         std::span<const std::byte> result) {
  operators::cuda::DeviceVerdict verdict = check_->read(tensors_at(layout, outputs), result);
  doubts_ += verdict.surely_right ? 0 : 1;
  return verdict;
}

base::Result<std::optional<tensor::LargestErrors>> DeviceBlock::errors_of(DevicePointer outputs) {
  ASSAY_CHECK(has_expected_);
  std::vector<cuda::CompareRequest> requests;
  for (std::size_t i = 0; i < inputs().layout.outputs.size(); ++i) {
    const Place& place = inputs().layout.outputs[i];
    const auto format = operators::cuda::element_format(place.dtype);
    if (tensor::is_floating(place.dtype) && format) {
      // By no rule: only what the elements add up to is asked for.
      requests.push_back({outputs + place.offset,
                          *format,
                          expected_[i],
                          elements_[i],
                          {.norm = std::numeric_limits<double>::infinity(), .block_elements = elements_[i]}});
    }
  }
  if (requests.empty()) {
    return std::nullopt;
  }
  ASSAY_TRY_ASSIGN(const std::vector<cuda::Comparison> compared, kernels_->compare_all(requests, stream_));
  tensor::LargestErrors largest;
  for (const cuda::Comparison& one : compared) {
    largest.add({one.totals.sums.largest_absolute, one.totals.sums.largest_relative});
  }
  return largest;
}

base::Result<void> DeviceBlock::grow(cuda::Memory& memory, std::size_t bytes) const {
  if (memory.size() < std::max<std::size_t>(bytes, 1)) {
    ASSAY_TRY(stream_.synchronize());  // What runs now may still use the old one.
    memory = cuda::Memory();
    ASSAY_TRY_ASSIGN(memory, cuda::Memory::create(context_, std::max<std::size_t>(bytes, 1)));
  }
  return {};
}

base::Result<DevicePointer> DeviceBlock::words_for(std::size_t count) {
  ASSAY_TRY(grow(words_, count * sizeof(std::uint64_t)));
  return words_.address();
}

// Of as many bytes as a worker's; the second, when the clocks have begun to rise.
base::Result<void> DeviceBlock::measure_sweep() {
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

// Of the inputs as they are by then, to the words from `first` on; two such digests are kept apart.
base::Result<void> DeviceBlock::enqueue_digest(InputsLook& look, std::size_t first) {
  ASSAY_TRY_ASSIGN(const DevicePointer address, address_on_device(inputs().memory));
  std::vector<cuda::ByteRange> ranges;
  for (const std::span<const std::byte> part : look.present) {
    const auto offset = static_cast<std::size_t>(part.data() - inputs().memory.bytes().data());
    ranges.push_back({address + offset, part.size()});
  }
  const std::size_t bytes = ranges.size() * sizeof(std::uint64_t);
  const std::size_t room = std::max(kLeastLook, 2 * bytes);
  ASSAY_TRY(grow(look.words, room));
  if (look.results.size() < room) {
    ASSAY_TRY(stream_.synchronize());
    ASSAY_TRY_ASSIGN(look.results, cuda::PinnedMemory::create(room));
  }
  const std::size_t at = first * sizeof(std::uint64_t);
  return clock_.time(Work::digest, stream_, [&]() -> base::Result<void> {
    ASSAY_TRY(kernels_->enqueue_digest(ranges, look.words.address() + at, stream_));
    return kernels_->enqueue_bring(look.results.bytes().subspan(at, bytes), look.words.address() + at, stream_);
  });
}

std::uint64_t DeviceBlock::InputsLook::digest_at(std::size_t first) const {
  std::vector<std::uint64_t> digests(present.size());
  std::memcpy(digests.data(), results.bytes().data() + first * sizeof(std::uint64_t),
              digests.size() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < digests.size(); ++i) {
    digests[i] = cuda::TrustedKernels::digest_of(digests[i], present[i].size());
  }
  return join_digests(digests);
}

base::Result<DeviceBlock::ExpectedPlaces> DeviceBlock::place_expected(const task::AxisValues& axes) const {
  ExpectedPlaces places;
  ASSAY_TRY_ASSIGN(places.elements, reference_->expected_elements(axes));
  ASSAY_TRY_ASSIGN(const std::size_t reference_scratch, reference_->scratch_bytes(axes));
  ASSAY_TRY_ASSIGN(const std::size_t check_scratch, check_->scratch_bytes(axes));
  for (const std::size_t count : places.elements) {
    places.offsets.push_back(places.scratch);
    places.scratch += (count * sizeof(double) + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
  }
  places.end = places.scratch + std::max(reference_scratch, check_scratch);
  return places;
}

base::Result<void> DeviceBlock::reserve(std::span<const BlockSize> blocks) {
  std::size_t most = 0;
  for (const BlockSize& block : blocks) {
    ASSAY_TRY_ASSIGN(const ExpectedPlaces places, place_expected(block.axes));
    most = std::max(most, places.end);
  }
  return grow(arena_, most);
}

// Before the calls: what a worker might do to the inputs comes too late for what is expected of it.
base::Result<void> DeviceBlock::compute_expected() {
  ASSAY_TRY_ASSIGN(const DevicePointer address, address_on_device(inputs().memory));
  const verify::Layout& layout = inputs().layout;
  arguments_.clear();
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    if (const std::optional<Place>& place = layout.inputs[i]) {
      arguments_.emplace_back(DeviceTensor{address + place->offset, place->dtype, place->shape});
    } else {
      arguments_.emplace_back(std::get<operators::Scalar>(inputs().arguments[i]));
    }
  }
  ASSAY_TRY_ASSIGN(ExpectedPlaces places, place_expected(inputs().axes));
  ASSAY_TRY(grow(arena_, places.end));
  elements_ = std::move(places.elements);
  expected_.clear();
  for (const std::size_t offset : places.offsets) {
    expected_.push_back(arena_.address() + offset);
  }
  scratch_ = arena_.address() + places.scratch;
  ASSAY_TRY(reference_->enqueue(inputs().axes, arguments_, expected_, scratch_, stream_));
  has_expected_ = true;
  return {};
}

}  // namespace assay::evaluate
