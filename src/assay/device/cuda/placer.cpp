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

static_assert(static_cast<int>(CopyPlan::Kind::copy) == 0 && static_cast<int>(CopyPlan::Kind::flip) == 1 &&
              static_cast<int>(CopyPlan::Kind::zero) == 2 && static_cast<int>(CopyPlan::Kind::scale_float32) == 3 &&
              static_cast<int>(CopyPlan::Kind::scale_bfloat16) == 4);  // As placement_kernels.cu has them.

std::size_t aligned(std::size_t bytes) { return (bytes + kStagedAlignment - 1) / kStagedAlignment * kStagedAlignment; }

// Bytes of the pool that one byte of the destination is made of.
std::uint32_t bytes_a_byte(CopyPlan::Kind kind) { return kind == CopyPlan::Kind::scale_bfloat16 ? 2 : 1; }

std::size_t count_cut(std::size_t bytes) { return (bytes + kPlacedBytes - 1) / kPlacedBytes; }

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
  ASSAY_TRY_ASSIGN(done_, Event::create());
  module_ = std::move(module);
  return {};
}

base::Result<DevicePointer> Placer::resident(const Pool& pool, const Stream& stream) {
  const auto found = pools_.find(pool.number());
  if (found != pools_.end()) {
    return found->second.address();
  }
  // A word more: the kernel reads whole ones.
  ASSAY_TRY_ASSIGN(Memory memory, Memory::create(*context_, pool.bytes().size() + 2 * sizeof(std::uint32_t)));
  ASSAY_TRY(copy_to_device(memory.address(), pool.bytes(), stream));
  ASSAY_TRY(stream.synchronize());
  return pools_.emplace(pool.number(), std::move(memory)).first->second.address();
}

base::Result<void> Placer::make_room(std::size_t bytes) {
  ASSAY_TRY(done_->synchronize());  // What was enqueued last still reads from both.
  if (bytes <= staged_.size()) {
    return {};
  }
  const std::size_t size = std::max({kLeastStaged, bytes, 2 * staged_.size()});
  staged_ = PinnedMemory();
  ASSAY_TRY_ASSIGN(staged_, PinnedMemory::create(size));
  arrived_ = Memory();
  ASSAY_TRY_ASSIGN(arrived_, Memory::create(*context_, size));
  return {};
}

base::Result<void> Placer::enqueue(const CopyPlan& plan, std::span<std::byte> image, DevicePointer address,
                                   std::span<const std::span<const std::byte>> parts, const Stream& stream) {
  ASSAY_TRY(load());
  const auto place_of = [&](const std::byte* to) { return address + static_cast<std::size_t>(to - image.data()); };
  // One after the other in the staged memory: pieces, patches, masks, literals, parts.
  std::size_t count = 0;
  const Pool* latest = nullptr;
  for (const CopyPlan::Piece& piece : plan.pieces()) {
    ASSAY_CHECK(piece.to >= image.data() && piece.to + piece.bytes <= image.data() + image.size());
    count += piece.mask_bytes == 0 ? count_cut(piece.bytes) : 2 * count_cut(piece.bytes);
    if (piece.pool != nullptr && piece.pool != latest) {
      latest = piece.pool;
      ASSAY_TRY(resident(*latest, stream));
    }
  }
  std::size_t parts_bytes = 0;
  for (const std::span<const std::byte> part : parts) {
    count += count_cut(part.size());
    parts_bytes += aligned(part.size());
  }
  const std::size_t patches_at = aligned(count * sizeof(PlacedPiece));
  const std::size_t masks_at = aligned(patches_at + plan.patches().size() * sizeof(PlacedPatch));
  const std::size_t literals_at = aligned(masks_at + plan.masks().size());
  const std::size_t parts_at = aligned(literals_at + plan.literals().size());
  ASSAY_TRY(make_room(parts_at + parts_bytes));
  std::byte* const staged = staged_.bytes().data();
  const DevicePointer arrived = arrived_.address();

  auto* const first = reinterpret_cast<PlacedPiece*>(staged);
  PlacedPiece* next = first;
  std::size_t at = parts_at;
  for (const std::span<const std::byte> part : parts) {
    std::memcpy(staged + at, part.data(), part.size());
    next = write_cut(
        {.to = place_of(part.data()), .from = arrived + at, .bytes = static_cast<std::uint32_t>(part.size())}, 1, next);
    at += aligned(part.size());
  }
  latest = nullptr;
  DevicePointer pool = 0;
  for (const CopyPlan::Piece& piece : plan.pieces()) {
    if (piece.pool != nullptr && piece.pool != latest) {
      latest = piece.pool;
      pool = pools_.at(latest->number()).address();
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
  ASSAY_CHECK(static_cast<std::size_t>(next - first) <= count);
  auto* const patches = reinterpret_cast<PlacedPatch*>(staged + patches_at);
  for (std::size_t i = 0; i < plan.patches().size(); ++i) {
    const CopyPlan::Patch& patch = plan.patches()[i];
    patches[i] = {place_of(patch.to), arrived + literals_at + patch.at, patch.bytes};
  }
  std::copy(plan.masks().begin(), plan.masks().end(), staged + masks_at);
  std::copy(plan.literals().begin(), plan.literals().end(), staged + literals_at);

  ASSAY_TRY(copy_to_device(arrived, staged_.bytes().first(at), stream));
  if (next != first) {
    const auto pieces = static_cast<std::uint64_t>(next - first);
    const std::uint64_t blocks = std::min<std::uint64_t>((pieces + kWarpsAPlacement - 1) / kWarpsAPlacement,
                                                         std::uint64_t{multiprocessors_} * kPlacementsAMultiprocessor);
    ASSAY_TRY(launch(place_, {.grid = {static_cast<unsigned>(blocks), 1, 1}, .block = {kThreadsAPlacement, 1, 1}},
                     stream, arrived, pieces, DevicePointer{arrived + masks_at}));
  }
  if (!plan.patches().empty()) {
    ASSAY_TRY(launch(patch_, {.block = {32, 1, 1}}, stream, DevicePointer{arrived + patches_at},
                     std::uint64_t{plan.patches().size()}));
  }
  return done_->record(stream);
}

}  // namespace assay::device::cuda
