#include <assay/os/shared_memory.hpp>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <assay/base/text.hpp>

namespace assay::os {
namespace {

// Since Linux 6.3; older kernels answer EINVAL, and then a file without the flag is executable, as before.
constexpr unsigned kNoexecSeal = 0x0008U;
constexpr unsigned kExec = 0x0010U;

enum class Executable : std::uint8_t { no, yes };

base::Result<Fd> create_memory_file(const std::string& name, Executable executable) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Fd fd(::memfd_create(name.c_str(), kFlags | (executable == Executable::yes ? kExec : kNoexecSeal)));
  if (!fd.valid() && errno == EINVAL) {
    fd = Fd(::memfd_create(name.c_str(), kFlags));
  }
  if (!fd.valid()) {
    return base::system_error("memory.create", "cannot create a memory file", errno);
  }
  return fd;
}

tl::unexpected<base::Error> no_memory(std::size_t size, int error) {
  return base::system_error(
      "memory.size",
      fmt::format("cannot get {} of shared memory: free memory, or raise the limit", base::human_bytes(size)), error);
}

base::Result<void> add_seals(const Fd& fd, int seals) {
  if (::fcntl(fd.get(), F_ADD_SEALS, seals) != 0) {
    return base::system_error("memory.seal", "cannot seal a memory file: Linux 5.1 or later is needed", errno);
  }
  return {};
}

int populate(std::size_t size) { return size <= kLargestPresent ? MAP_POPULATE : 0; }

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t size) {
  const std::size_t page = page_size();
  return (size + page - 1) / page * page;
}

}  // namespace

base::Result<SharedMemory> SharedMemory::create(const std::string& name, std::size_t size, PeerAccess access,
                                                Pages pages) {
  if (size == 0) {
    return base::internal_error("memory.empty", "shared memory needs a size above zero");
  }
  SharedMemory memory;
  ASSAY_TRY_ASSIGN(memory.fd_, create_memory_file(name, Executable::no));
  if (!std::in_range<off_t>(size) || ::ftruncate(memory.fd_.get(), static_cast<off_t>(size)) != 0) {
    return no_memory(size, std::in_range<off_t>(size) ? errno : EFBIG);
  }
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | (pages == Pages::usual ? populate(size) : 0), memory.fd_.get(), 0);
  if (address == MAP_FAILED) {
    return no_memory(size, errno);
  }
  memory.data_ = static_cast<std::byte*>(address);
  memory.size_ = size;
  // Ours is mapped already; from here on nobody else can get write access, whatever they reopen.
  const int more = access == PeerAccess::read_only ? F_SEAL_FUTURE_WRITE : 0;
  ASSAY_TRY(add_seals(memory.fd_, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | more));
  return memory;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  // Our old mapping leaves with `taken`.
  SharedMemory taken(std::move(other));
  std::swap(fd_, taken.fd_);
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  return *this;
}

std::vector<std::span<const std::byte>> SharedMemory::present(std::size_t size) const {
  size = std::min(size, size_);
  std::vector<std::span<const std::byte>> parts;
  off_t end = 0;
  while (std::cmp_less(end, size)) {
    const off_t begin = ::lseek(fd_.get(), end, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) {
      break;  // Nothing but a hole is left.
    }
    const off_t hole = begin < 0 ? -1 : ::lseek(fd_.get(), begin, SEEK_HOLE);
    if (begin < 0 || hole < 0) {
      return {std::span<const std::byte>(data_, size)};
    }
    end = std::min(hole, static_cast<off_t>(size));
    if (begin < end) {
      parts.emplace_back(data_ + begin, static_cast<std::size_t>(end - begin));
    }
  }
  return parts;
}

base::Result<Fd> sealed_copy(const std::string& name, std::span<const std::byte> content) {
  ASSAY_TRY_ASSIGN(Fd fd, create_memory_file(name, Executable::yes));
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(fd.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno != EINTR) {
      return no_memory(content.size(), errno);
    }
    written += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  ASSAY_TRY(add_seals(fd, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL));
  return fd;
}

base::Result<Mapping> Mapping::map(const Fd& fd, std::size_t size, Access access, std::size_t guard) {
  if (size == 0 || guard % page_size() != 0) {
    return base::internal_error("memory.mapping", "a mapping needs a size above zero and guards of whole pages");
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    return base::system_error("memory.stat", "cannot look at a memory file", errno);
  }
  // Beyond the end of the file reads would raise SIGBUS.
  if (std::cmp_less(status.st_size, size)) {
    return base::environment_error("memory.too_small",
                                   fmt::format("a memory file has {} bytes where {} are needed", status.st_size, size));
  }
  const std::size_t inner = whole_pages(size);
  const std::size_t total = inner + 2 * guard;
  if (inner < size || guard > (SIZE_MAX - inner) / 2) {
    return no_memory(size, ENOMEM);
  }
  void* reserved = ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return no_memory(total, errno);
  }
  std::byte* data = static_cast<std::byte*>(reserved) + guard;
  const int protection = PROT_READ | (access == Access::read_write ? PROT_WRITE : 0);
  if (::mmap(data, size, protection, MAP_SHARED | MAP_FIXED | populate(size), fd.get(), 0) == MAP_FAILED) {
    const int error = errno;
    ::munmap(reserved, total);
    return error == EPERM || error == EACCES
               ? base::system_error("memory.access", "a memory file does not allow this access", error)
               : no_memory(size, error);
  }
  Mapping mapping;
  mapping.data_ = data;
  mapping.size_ = size;
  mapping.guard_ = guard;
  return mapping;
}

Mapping::~Mapping() {
  if (data_ != nullptr) {
    ::munmap(data_ - guard_, whole_pages(size_) + 2 * guard_);
  }
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      guard_(std::exchange(other.guard_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  Mapping taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  std::swap(guard_, taken.guard_);
  return *this;
}

}  // namespace assay::os
