#include <assay/device/cuda/memory.hpp>

#include <algorithm>
#include <utility>

namespace assay::device::cuda {

namespace {

constexpr std::size_t kPlacedBlock = std::size_t{1} << 16U;
// More than that is quicker copied from where it lies than gathered first.
constexpr std::size_t kMostGathered = std::size_t{2} << 20U;

using Part = std::span<const std::byte>;

bool by_place(const Part& x, const Part& y) { return x.data() < y.data(); }

// In order; parts that overlap or touch become one.
std::vector<Part> merge(std::vector<Part> parts) {
  std::sort(parts.begin(), parts.end(), by_place);
  std::vector<Part> merged;
  for (const Part& part : parts) {
    if (!merged.empty() && part.data() <= merged.back().data() + merged.back().size()) {
      const std::byte* const end = std::max(merged.back().data() + merged.back().size(), part.data() + part.size());
      merged.back() = {merged.back().data(), end};
    } else {
      merged.push_back(part);
    }
  }
  return merged;
}

}  // namespace

std::vector<Part> subtract(std::vector<Part> from, std::vector<std::span<std::byte>> without) {
  std::sort(from.begin(), from.end(), by_place);
  std::sort(without.begin(), without.end(), [](const auto& x, const auto& y) { return x.data() < y.data(); });
  std::vector<Part> left;
  for (const Part& part : from) {
    const std::byte* at = part.data();
    const std::byte* const end = part.data() + part.size();
    for (const std::span<std::byte> hole : without) {
      if (hole.data() + hole.size() <= at || hole.data() >= end) {
        continue;
      }
      if (hole.data() > at) {
        left.emplace_back(at, hole.data());
      }
      at = hole.data() + hole.size();
      if (at >= end) {
        break;
      }
    }
    if (at < end) {
      left.emplace_back(at, end);
    }
  }
  return left;
}

base::Result<std::unique_ptr<ImagedMemory>> ImagedMemory::create(const Context& context, Placer& placer,
                                                                 std::size_t size) {
  std::unique_ptr<ImagedMemory> made(new ImagedMemory(context, placer));
  ASSAY_TRY_ASSIGN(const Driver* driver, open_driver());
  ASSAY_TRY_ASSIGN(made->images_[0], os::SharedMemory::create("image", size, os::PeerAccess::read_only));
  ASSAY_TRY_ASSIGN(made->images_[1], os::SharedMemory::create("image", size, os::PeerAccess::read_only,
                                                              os::SharedMemory::Pages::when_touched));
  ASSAY_TRY_ASSIGN(made->memory_, Memory::create(context, size));
  ASSAY_TRY_ASSIGN(made->descriptor_, made->memory_.export_descriptor());
  ASSAY_TRY_ASSIGN(made->stream_, Stream::create());
  // Zeros like the image's, or parts of it that nobody touches would differ.
  ASSAY_TRY(check(driver->cuMemsetD8Async(made->address(), 0, size, made->stream_.handle()), "cuMemsetD8Async"));
  ASSAY_TRY(made->stream_.synchronize());
  // Pinned pages are copied several times as fast. Memory that has pages only where it is touched must stay so.
  if (size <= os::kLargestPresent) {
    ASSAY_TRY(check(driver->cuMemHostRegister_v2(made->images_[0].bytes().data(), size, 0), "cuMemHostRegister"));
    made->registered_ = true;
  }
  return made;
}

ImagedMemory::~ImagedMemory() {
  const auto driver = open_driver();
  if (registered_ && driver) {
    (*driver)->cuMemHostUnregister(images_[0].bytes().data());
  }
}

bool ImagedMemory::turn() {
  turn_plan();
  return true;
}

std::vector<Part> ImagedMemory::present(std::size_t size) const {
  std::vector<Part> parts =
      size != 0 && size == published_size_ && front() == published_image_ ? published_ : image().present(size);
  for (std::size_t block = 0; block < placed_.size() && block * kPlacedBlock < size; ++block) {
    if (placed_[block]) {
      const std::size_t begin = block * kPlacedBlock;
      parts.push_back(bytes().subspan(begin, std::min(kPlacedBlock, size - begin)));
    }
  }
  return placed_.empty() ? parts : merge(std::move(parts));
}

void ImagedMemory::note_placed() {
  placed_.resize((bytes().size() + kPlacedBlock - 1) / kPlacedBlock);
  const std::byte* const begin = bytes().data();
  const auto note = [&](const std::byte* to, std::size_t size) {
    const auto first = static_cast<std::size_t>(to - begin);
    for (std::size_t block = first / kPlacedBlock; block <= (first + size - 1) / kPlacedBlock; ++block) {
      placed_[block] = true;
    }
  };
  for (const CopyPlan::Piece& piece : plan().pieces()) {
    note(piece.to, piece.bytes);
  }
  for (const CopyPlan::Patch& patch : plan().patches()) {
    note(patch.to, patch.bytes);
  }
}

ImagedMemory::Parts ImagedMemory::parts_of(std::size_t image, std::size_t size) const {
  Parts parts{.present = images_[image].present(size), .large = {}, .gathered = {}};
  for (const Part& part : subtract(parts.present, plan_of(image).left())) {
    (!plan_of(image).empty() && part.size() <= kMostGathered ? parts.gathered : parts.large).push_back(part);
  }
  return parts;
}

Placer::Task ImagedMemory::task_of(std::size_t image, const Parts& parts) const {
  return {plan_of(image), images_[image].bytes(), address(), parts.gathered};
}

void ImagedMemory::stage_other(std::size_t size) {
  const std::size_t other = 1 - front();
  Staging& staging = staging_[other];
  staging = {};
  if (plan_of(other).empty()) {
    return;
  }
  staging.parts = parts_of(other, size);
  staging.size = size;
  Placer::Staged& staged = placer_->place(other);
  staging.ticket = placer_->stage(task_of(other, staging.parts), staged) ? staged.ticket() : 0;
}

base::Result<void> ImagedMemory::enqueue_publish(std::size_t size, const Stream& stream) {
  ASSAY_TRY(context_->make_current());
  const std::size_t image = front();
  Placer::Staged& staged = placer_->place(image);
  Staging staging = std::exchange(staging_[image], {});
  const bool planned = !plan().empty();
  const bool is_staged = planned && staging.ticket != 0 && staging.ticket == staged.ticket() && staging.size == size;
  if (!is_staged) {
    staging.parts = parts_of(image, size);
  }
  for (const Part& part : staging.parts.large) {
    ASSAY_TRY(copy_to_device(address() + static_cast<std::size_t>(part.data() - bytes().data()), part, stream));
  }
  published_size_ = 0;
  if (!planned) {
    return {};
  }
  note_placed();
  if (!is_staged) {
    const Placer::Task task = task_of(image, staging.parts);
    ASSAY_TRY(placer_->make_ready(task, staged, stream));
    ASSAY_CHECK(placer_->stage(task, staged));
  }
  published_ = std::move(staging.parts.present);
  published_size_ = size;
  published_image_ = image;
  return placer_->enqueue(staged, stream);
}

base::Result<void> ImagedMemory::publish(std::size_t size) {
  ASSAY_TRY(enqueue_publish(size, stream_));
  return stream_.synchronize();
}

base::Result<void> ImagedMemory::fetch(std::size_t size) {
  ASSAY_TRY(context_->make_current());
  for (const Part& part : present(size)) {
    const auto offset = static_cast<std::size_t>(part.data() - bytes().data());
    ASSAY_TRY(copy_from_device(bytes().subspan(offset, part.size()), address() + offset, stream_));
  }
  return stream_.synchronize();
}

}  // namespace assay::device::cuda
