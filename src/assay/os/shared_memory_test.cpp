#include <assay/os/shared_memory.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <assay/os/file.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// What a peer holds: the descriptor it got, and its own reopening of it with the most rights it can ask for.
std::vector<Fd> peer_descriptors(const Fd& fd) {
  std::vector<Fd> all;
  all.push_back(fd.duplicate().value());
  const std::string path = "/proc/self/fd/" + std::to_string(fd.get());
  const int reopened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (reopened >= 0) {
    all.emplace_back(reopened);
  }
  return all;
}

bool can_map(const Fd& fd, std::size_t size, int protection, int flags) {
  void* address = ::mmap(nullptr, size, protection, flags, fd.get(), 0);
  if (address == MAP_FAILED) {
    return false;
  }
  ::munmap(address, size);
  return true;
}

TEST(SharedMemory, is_zero_writable_and_moves) {
  auto memory = SharedMemory::create("test", 10'000, PeerAccess::read_write);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->size(), 10'000U);
  EXPECT_TRUE(
      std::all_of(memory->bytes().begin(), memory->bytes().end(), [](std::byte b) { return b == std::byte{0}; }));
  memory->bytes()[9'999] = std::byte{7};
  SharedMemory moved(std::move(*memory));
  EXPECT_EQ(moved.bytes()[9'999], std::byte{7});
  SharedMemory other = SharedMemory::create("other", 1, PeerAccess::read_write).value();
  other = std::move(moved);
  EXPECT_EQ(other.bytes()[9'999], std::byte{7});
  EXPECT_EQ(other.size(), 10'000U);
  EXPECT_EQ(::fcntl(other.fd().get(), F_GETFD), FD_CLOEXEC);
}

TEST(SharedMemory, refuses_nothing_and_more_than_there_can_be) {
  EXPECT_EQ(SharedMemory::create("test", 0, PeerAccess::read_only).error().owner, base::Owner::internal);
  const auto huge = SharedMemory::create("test", SIZE_MAX, PeerAccess::read_only);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().owner, base::Owner::environment);
  EXPECT_EQ(huge.error().code, "memory.size");
}

TEST(SharedMemory, cannot_change_its_size) {
  for (const PeerAccess access : {PeerAccess::read_only, PeerAccess::read_write}) {
    const SharedMemory memory = SharedMemory::create("test", page(), access).value();
    for (const Fd& fd : peer_descriptors(memory.fd())) {
      EXPECT_NE(::ftruncate(fd.get(), 0), 0);
      EXPECT_NE(::ftruncate(fd.get(), static_cast<off_t>(2 * page())), 0);
      EXPECT_NE(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE), 0) << "a peer could seal it against us";
    }
  }
}

TEST(SharedMemory, a_peer_with_read_only_access_cannot_write_by_any_way) {
  const SharedMemory memory = SharedMemory::create("test", 2 * page(), PeerAccess::read_only).value();
  memory.bytes()[0] = std::byte{1};
  const int result = testing::in_fork([&] {
    for (const Fd& fd : peer_descriptors(memory.fd())) {
      if (can_map(fd, page(), PROT_READ | PROT_WRITE, MAP_SHARED) || can_map(fd, page(), PROT_WRITE, MAP_SHARED)) {
        return 1;
      }
      const char byte = 'x';
      if (::pwrite(fd.get(), &byte, 1, 0) >= 0) {
        return 2;
      }
      if (::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(page())) == 0) {
        return 3;
      }
      void* view = ::mmap(nullptr, page(), PROT_READ, MAP_SHARED, fd.get(), 0);
      if (view == MAP_FAILED || ::mprotect(view, page(), PROT_READ | PROT_WRITE) == 0) {
        return 4;
      }
    }
    return 0;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(memory.bytes()[0], std::byte{1});
}

TEST(SharedMemory, our_writes_show_in_the_peers_read_only_mapping) {
  const SharedMemory memory = SharedMemory::create("test", 100, PeerAccess::read_only).value();
  const Mapping view = Mapping::map(memory.fd(), 100, Mapping::Access::read_only, page()).value();
  for (const int value : {3, 4, 250}) {
    memory.bytes()[99] = static_cast<std::byte>(value);
    EXPECT_EQ(view.data()[99], static_cast<std::byte>(value));
  }
  const auto writable = Mapping::map(memory.fd(), 100, Mapping::Access::read_write, page());
  ASSERT_FALSE(writable);
  EXPECT_EQ(writable.error().code, "memory.access");
}

TEST(SharedMemory, a_peer_with_write_access_is_seen_by_us) {
  const SharedMemory memory = SharedMemory::create("test", 100, PeerAccess::read_write).value();
  EXPECT_EQ(testing::in_fork([&] {
              const auto view = Mapping::map(memory.fd(), 100, Mapping::Access::read_write, 0);
              if (!view) {
                return 1;
              }
              view->data()[42] = std::byte{9};
              return 0;
            }),
            0);
  EXPECT_EQ(memory.bytes()[42], std::byte{9});
}

TEST(SharedMemory, large_memory_has_only_the_pages_that_were_touched) {
  const std::size_t size = kLargestPresent + 10 * page();
  const SharedMemory memory = SharedMemory::create("test", size, PeerAccess::read_only).value();
  EXPECT_TRUE(memory.present(size).empty());
  memory.bytes()[3 * page() + 5] = std::byte{1};
  memory.bytes()[4 * page()] = std::byte{2};
  memory.bytes()[kLargestPresent + 1] = std::byte{3};
  const auto parts = memory.present(size);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].data(), memory.bytes().data() + 3 * page());
  EXPECT_EQ(parts[0].size(), 2 * page());
  EXPECT_EQ(parts[1].size(), page());
  // A prefix that ends within a page ends there.
  ASSERT_EQ(memory.present(3 * page() + 100).size(), 1U);
  EXPECT_EQ(memory.present(3 * page() + 100)[0].size(), 100U);
  // A peer that maps it all gives it no pages.
  const Mapping view = Mapping::map(memory.fd(), size, Mapping::Access::read_only, page()).value();
  EXPECT_EQ(memory.present(size).size(), 2U);
  EXPECT_EQ(view.data()[kLargestPresent + 1], std::byte{3});
}

TEST(SharedMemory, small_memory_is_all_present) {
  const SharedMemory memory = SharedMemory::create("test", 10 * page(), PeerAccess::read_write).value();
  ASSERT_EQ(memory.present(10 * page()).size(), 1U);
  EXPECT_EQ(memory.present(10 * page())[0].size(), 10 * page());
  EXPECT_EQ(memory.present(5)[0].size(), 5U);
}

TEST(SealedCopy, holds_the_content_against_every_change) {
  const std::string_view content = "what was hashed";
  const Fd fd = sealed_copy("test", std::as_bytes(std::span(content))).value();
  for (const Fd& peer : peer_descriptors(fd)) {
    EXPECT_LT(::pwrite(peer.get(), "x", 1, 0), 0);
    EXPECT_NE(::ftruncate(peer.get(), 1), 0);
    EXPECT_NE(::ftruncate(peer.get(), 100), 0);
    EXPECT_FALSE(can_map(peer, content.size(), PROT_READ | PROT_WRITE, MAP_SHARED));
    EXPECT_TRUE(can_map(peer, content.size(), PROT_READ | PROT_EXEC, MAP_PRIVATE));
  }
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(fd.get())).value(), content);
}

TEST(SealedCopy, of_nothing_is_empty) {
  const Fd fd = sealed_copy("test", {}).value();
  EXPECT_EQ(read_file("/proc/self/fd/" + std::to_string(fd.get())).value(), "");
}

TEST(SealedCopy, can_be_loaded_as_a_library) {
  Dl_info info{};
  void* known = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(known, nullptr);
  ASSERT_NE(::dladdr(::dlsym(known, "cbrt"), &info), 0);
  const std::string library = read_file(info.dli_fname).value();
  const Fd fd = sealed_copy("test", std::as_bytes(std::span(library))).value();
  void* loaded = ::dlmopen(LM_ID_NEWLM, ("/proc/self/fd/" + std::to_string(fd.get())).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr) << ::dlerror();
  EXPECT_NE(::dlsym(loaded, "cbrt"), nullptr);
  ::dlclose(loaded);
  ::dlclose(known);
}

// Returns 0 if the byte can be touched, or minus the signal.
int touch(const std::byte* address) {
  return testing::in_fork([&] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(SIGSEGV, SIG_DFL);
    ::signal(SIGBUS, SIG_DFL);
    return *const_cast<const volatile std::byte*>(address) == std::byte{255} ? 1 : 0;
  });
}

TEST(Mapping, lies_between_guards) {
  const std::size_t size = 3 * page();
  const SharedMemory memory = SharedMemory::create("test", size, PeerAccess::read_write).value();
  const Mapping mapping = Mapping::map(memory.fd(), size, Mapping::Access::read_write, 2 * page()).value();
  EXPECT_EQ(mapping.size(), size);
  EXPECT_EQ(mapping.guard(), 2 * page());
  EXPECT_EQ(touch(mapping.data()), 0);
  EXPECT_EQ(touch(mapping.data() + size - 1), 0);
  EXPECT_EQ(touch(mapping.data() - 1), -SIGSEGV);
  EXPECT_EQ(touch(mapping.data() - 2 * page()), -SIGSEGV);
  EXPECT_EQ(touch(mapping.data() + size), -SIGSEGV);
  EXPECT_EQ(touch(mapping.data() + size + 2 * page() - 1), -SIGSEGV);
}

TEST(Mapping, a_read_only_one_cannot_be_written) {
  const SharedMemory memory = SharedMemory::create("test", page(), PeerAccess::read_write).value();
  const Mapping mapping = Mapping::map(memory.fd(), page(), Mapping::Access::read_only, page()).value();
  EXPECT_EQ(testing::in_fork([&] {
              ::signal(SIGSEGV, SIG_DFL);
              *const_cast<volatile std::byte*>(mapping.data()) = std::byte{1};
              return 0;
            }),
            -SIGSEGV);
}

TEST(Mapping, is_all_present) {
  const std::size_t pages = 16;
  const SharedMemory memory = SharedMemory::create("test", pages * page(), PeerAccess::read_only).value();
  const Mapping mapping = Mapping::map(memory.fd(), pages * page(), Mapping::Access::read_only, page()).value();
  std::vector<unsigned char> present(pages);
  ASSERT_EQ(::mincore(mapping.data(), pages * page(), present.data()), 0);
  EXPECT_EQ(std::count(present.begin(), present.end(), 1), static_cast<std::ptrdiff_t>(pages));
}

TEST(Mapping, unmaps_guards_and_all_when_it_dies_or_moves) {
  const SharedMemory memory = SharedMemory::create("test", 100, PeerAccess::read_write).value();
  std::byte* first = nullptr;
  std::byte* second = nullptr;
  {
    Mapping a = Mapping::map(memory.fd(), 100, Mapping::Access::read_only, page()).value();
    Mapping b = Mapping::map(memory.fd(), 100, Mapping::Access::read_only, page()).value();
    first = a.data();
    second = b.data();
    a = std::move(b);
    EXPECT_EQ(a.data(), second);
    unsigned char present = 0;
    EXPECT_NE(::mincore(first, page(), &present), 0) << "the old mapping is still there";
  }
  for (std::byte* address : {second - page(), second, second + page()}) {
    unsigned char present = 0;
    EXPECT_NE(::mincore(address, page(), &present), 0);
  }
}

TEST(Mapping, refuses_what_would_fault_later) {
  const SharedMemory memory = SharedMemory::create("test", 100, PeerAccess::read_write).value();
  const auto map = [&](std::size_t size, std::size_t guard) {
    return Mapping::map(memory.fd(), size, Mapping::Access::read_only, guard);
  };
  EXPECT_EQ(map(101, 0).error().code, "memory.too_small");
  EXPECT_EQ(map(0, 0).error().owner, base::Owner::internal);
  EXPECT_EQ(map(100, 1).error().owner, base::Owner::internal);
  EXPECT_EQ(map(100, SIZE_MAX / page() * page()).error().code, "memory.size");
  EXPECT_EQ(Mapping::map(Fd(), 100, Mapping::Access::read_only, 0).error().owner, base::Owner::environment);
}

}  // namespace
}  // namespace assay::os
