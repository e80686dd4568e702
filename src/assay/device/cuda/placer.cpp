#include <assay/device/cuda/placer.hpp>

#include <algorithm>
#include <cstring>

#include <assay/device/cuda/device_code.hpp>
#include <assay/device/cuda/placed_piece.hpp>

namespace assay::device::cuda {

namespace code {
DeviceCode placement_kernels();  // Written by the build.
}

namespace {

constexpr unsigned kThreadsAPlacement = 256;
constexpr unsigned kWarpsAPlacement = kThreadsAPlacement / 32;
constexpr unsigned kPlacementsAMultiprocessor = 8;
constexpr std::size_t kLeastStaged = std::size_t{4} << 20U;
constexpr std::size_t kStagedAlignment = 64;
// So much a kernel brings over the bus sooner than the device's engines for copies, which would have to be waited for.
constexpr std::size_t kMostFetched = std::size_t{256} << 10U;
constexpr std::size_t kFetchedWord = 16;
static_assert(kStagedAlignment % kFetchedWord == 0);

static_assert(static_cast<int>(CopyPlan::Kind::copy) == 0 && static_cast<int>(CopyPlan::Kind::flip) == 1 &&
              static_cast<int>(CopyPlan::Kind::zero) == 2 && static_cast<int>(CopyPlan::Kind::scale_float32) == 3 &&
              static_cast<int>(CopyPlan::Kind::scale_bfloat16) == 4);  // As placement_kernels.cu has them.

std::size_t aligned(std::size_t bytes) { return (bytes + kStagedAlignment - 1) / kStagedAlignment * kStagedAlignment; }

// Bytes of the pool that one byte of the destination is made of.
std::uint32_t bytes_a_byte(CopyPlan::Kind kind) { return kind == CopyPlan::Kind::scale_bfloat16 ? 2 : 1; }

std::size_t count_of(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit; }
std::size_t count_cut(std::size_t bytes) { return count_of(bytes, kPlacedBytes); }

// Writes a piece, cut into what a warp does at once. A mask begins anew where each cut does.
PlacedPiece* write_cut(PlacedPiece whole, std::uint32_t pool_bytes_a_byte, PlacedPiece* to) {
  const std::uint32_t longest = whole.mask_bytes == 0
                                    ? kPlacedBytes
                                    : std::max<std::uint32_t>(1, kPlacedBytes / whole.mask_bytes) * whole.mask_bytes;
  std::uint32_t left = whole.bytes;
  while (left != 0) {
    whole.bytes = std::min(left, longest);
    *to++ = whole;
    whole.to += whole.bytes;
    whole.from += std::uint64_t{whole.bytes} * pool_bytes_a_byte;
    left -= whole.bytes;
  }
  return to;
}

// Where the parts of a staged task begin, one after the other: pieces, patches, masks, literals, parts of the image.
struct StagedLayout {
  std::size_t most_pieces = 0;
  std::size_t patches_at = 0;
  std::size_t masks_at = 0;
  std::size_t literals_at = 0;
  std::size_t parts_at = 0;
  std::size_t end = 0;
};

StagedLayout layout_of(const Placer::Task& task) {
  StagedLayout layout;
  for (const CopyPlan::Piece& piece : task.plan.pieces()) {
    layout.most_pieces += piece.mask_bytes == 0 ? count_cut(piece.bytes) : 2 * count_cut(piece.bytes);
  }
  std::size_t parts_bytes = 0;
  for (const std::span<const std::byte> part : task.parts) {
    layout.most_pieces += count_cut(part.size());
    parts_bytes += aligned(part.size());
  }
  layout.patches_at = aligned(layout.most_pieces * sizeof(PlacedPiece));
  layout.masks_at = aligned(layout.patches_at + task.plan.patches().size() * sizeof(PlacedPatch));
  layout.literals_at = aligned(layout.masks_at + task.plan.masks().size());
  layout.parts_at = aligned(layout.literals_at + task.plan.literals().size());
  layout.end = layout.parts_at + parts_bytes;
  return layout;
}

}  // namespace

base::Result<void> Placer::load() {
  if (module_) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const DeviceFacts facts, describe_device(context_->ordinal()));
  multiprocessors_ = static_cast<unsigned>(std::max(1, facts.multiprocessors));
  ASSAY_TRY_ASSIGN(Module module, load_device_code("placement_kernels", code::placement_kernels()));
  ASSAY_TRY_ASSIGN(place_, module.function("assay_place"));
  ASSAY_TRY_ASSIGN(patch_, module.function("assay_patch"));
  ASSAY_TRY_ASSIGN(fetch_, module.function("assay_fetch"));
  module_ = std::move(module);
  return {};
}

base::Result<void> Placer::make_resident(const Pool& pool, const Stream& stream) {
  if (pools_.contains(pool.number())) {
    return {};
  }
  // A word more: the kernel reads whole ones.
  ASSAY_TRY_ASSIGN(Memory memory, Memory::create(*context_, pool.bytes().size() + 2 * sizeof(std::uint32_t)));
  ASSAY_TRY(copy_to_device(memory.address(), pool.bytes(), stream));
  ASSAY_TRY(stream.synchronize());
  pools_.emplace(pool.number(), std::move(memory));
  return {};
}

base::Result<void> Placer::make_room(Staged& staged, std::size_t bytes) const {
  if (staged.done_) {
    ASSAY_TRY(staged.done_->synchronize());
  } else {
    ASSAY_TRY_ASSIGN(staged.done_, Event::create());
  }
  if (bytes <= staged.host_.size()) {
    return {};
  }
  const std::size_t size = std::max({kLeastStaged, bytes, 2 * staged.host_.size()});
  staged.host_ = PinnedMemory();
  ASSAY_TRY_ASSIGN(staged.host_, PinnedMemory::create(size));
  staged.arrived_ = Memory();
  ASSAY_TRY_ASSIGN(staged.arrived_, Memory::create(*context_, size));
  return {};
}

base::Result<void> Placer::make_ready(const Task& task, Staged& staged, const Stream& stream) {
  ASSAY_TRY(load());
  const Pool* latest = nullptr;
  for (const CopyPlan::Piece& piece : task.plan.pieces()) {
    if (piece.pool != nullptr && piece.pool != latest) {
      latest = piece.pool;
      ASSAY_TRY(make_resident(*latest, stream));
    }
  }
  return make_room(staged, layout_of(task).end);
}

bool Placer::stage(const Task& task, Staged& staged) const {
  const StagedLayout layout = layout_of(task);
  if (!module_ || layout.end > staged.host_.size()) {
    return false;
  }
  std::byte* const host = staged.host_.bytes().data();
  const DevicePointer arrived = staged.arrived_.address();
  const auto place_of = [&](const std::byte* to) {
    return task.address + static_cast<std::size_t>(to - task.image.data());
  };

  auto* const first = reinterpret_cast<PlacedPiece*>(host);
  PlacedPiece* next = first;
  std::size_t at = layout.parts_at;
  for (const std::span<const std::byte> part : task.parts) {
    std::memcpy(host + at, part.data(), part.size());
    next = write_cut(
        {.to = place_of(part.data()), .from = arrived + at, .bytes = static_cast<std::uint32_t>(part.size())}, 1, next);
    at += aligned(part.size());
  }
  const Pool* latest = nullptr;
  DevicePointer pool = 0;
  for (const CopyPlan::Piece& piece : task.plan.pieces()) {
    ASSAY_CHECK(piece.to >= task.image.data() && piece.to + piece.bytes <= task.image.data() + task.image.size());
    if (piece.pool != nullptr && piece.pool != latest) {
      const auto found = pools_.find(piece.pool->number());
      if (found == pools_.end()) {
        return false;
      }
      latest = piece.pool;
      pool = found->second.address();
    }
    next = write_cut({.to = place_of(piece.to),
                      .from = piece.pool == nullptr ? 0 : pool + piece.at,
                      .bytes = piece.bytes,
                      .kind = static_cast<std::uint16_t>(piece.kind),
                      .mask_bytes = piece.mask_bytes,
                      .mask = piece.mask,
                      .factor = piece.factor},
                     bytes_a_byte(piece.kind), next);
  }
  staged.pieces_ = static_cast<std::size_t>(next - first);
  ASSAY_CHECK(staged.pieces_ <= layout.most_pieces);
  auto* const patches = reinterpret_cast<PlacedPatch*>(host + layout.patches_at);
  for (std::size_t i = 0; i < task.plan.patches().size(); ++i) {
    const CopyPlan::Patch& patch = task.plan.patches()[i];
    patches[i] = {place_of(patch.to), arrived + layout.literals_at + patch.at, patch.bytes};
  }
  std::copy(task.plan.masks().begin(), task.plan.masks().end(), host + layout.masks_at);
  std::copy(task.plan.literals().begin(), task.plan.literals().end(), host + layout.literals_at);
  ++staged.ticket_;
  staged.patches_ = task.plan.patches().size();
  staged.patches_at_ = layout.patches_at;
  staged.masks_at_ = layout.masks_at;
  staged.bytes_ = at;
  return true;
}

base::Result<void> Placer::enqueue(const Staged& staged, const Stream& stream) const {
  const DevicePointer arrived = staged.arrived_.address();
  const std::span<const std::byte> written = staged.host_.bytes().first(staged.bytes_);
  if (staged.bytes_ > kMostFetched) {
    ASSAY_TRY(copy_to_device(arrived, written, stream));
  } else if (staged.bytes_ != 0) {
    const std::size_t words = count_of(staged.bytes_, kFetchedWord);
    ASSAY_TRY(launch(fetch_,
                     {.grid = {static_cast<unsigned>(count_of(words, kThreadsAPlacement)), 1, 1},
                      .block = {kThreadsAPlacement, 1, 1}},
                     stream, PinnedMemory::address_of(written), arrived, std::uint64_t{words}));
  }
  if (staged.pieces_ != 0) {
    const std::uint64_t blocks = std::min<std::uint64_t>((staged.pieces_ + kWarpsAPlacement - 1) / kWarpsAPlacement,
                                                         std::uint64_t{multiprocessors_} * kPlacementsAMultiprocessor);
    ASSAY_TRY(launch(place_, {.grid = {static_cast<unsigned>(blocks), 1, 1}, .block = {kThreadsAPlacement, 1, 1}},
                     stream, arrived, std::uint64_t{staged.pieces_}, DevicePointer{arrived + staged.masks_at_}));
  }
  if (staged.patches_ != 0) {
    ASSAY_TRY(launch(patch_, {.block = {32, 1, 1}}, stream, DevicePointer{arrived + staged.patches_at_},
                     std::uint64_t{staged.patches_}));
  }
  return staged.done_->record(stream);
}

}  // namespace assay::device::cuda
