// assay-corpus: number=7 kind=hostile expect=suspect|indistinguishable probe=reconcile stage=gate
// Finds clock_gettime in the tables of the program that loaded it and puts a slow clock there: all times shrink by
// three.
#include "gdn_decode.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace {
int (*real_clock)(clockid_t, timespec*) = nullptr;
int64_t base_ns = 0;

int slow_clock(clockid_t id, timespec* now) {
  const int result = real_clock(id, now);
  const int64_t ns = now->tv_sec * int64_t{1000000000} + now->tv_nsec;
  const int64_t shown = base_ns + (ns - base_ns) / 3;
  now->tv_sec = shown / 1000000000;
  now->tv_nsec = shown % 1000000000;
  return result;
}

void patch(const ElfW(Rela) * table, size_t count, const ElfW(Sym) * symbols, const char* names, uintptr_t base) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(names + symbols[ELF64_R_SYM(table[i].r_info)].st_name, "clock_gettime") != 0) {
      continue;
    }
    void** slot = reinterpret_cast<void**>(base + table[i].r_offset);
    const uintptr_t page = reinterpret_cast<uintptr_t>(slot) & ~uintptr_t{4095};
    if (mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE) == 0) {
      *slot = reinterpret_cast<void*>(slow_clock);
    }
  }
}

int visit(dl_phdr_info* info, size_t, void*) {
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {};
  size_t sizes[2] = {};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) {
      continue;
    }
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
          break;
        case DT_JMPREL:
          tables[0] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
          break;
        case DT_PLTRELSZ:
          sizes[0] = entry->d_un.d_val;
          break;
        case DT_RELA:
          tables[1] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
          break;
        case DT_RELASZ:
          sizes[1] = entry->d_un.d_val;
          break;
        default:
          break;
      }
    }
  }
  for (int t = 0; t < 2; ++t) {
    if (tables[t] != nullptr && symbols != nullptr && names != nullptr) {
      patch(tables[t], sizes[t] / sizeof(ElfW(Rela)), symbols, names, info->dlpi_addr);
    }
  }
  return 1;  // The first object is the program.
}
}  // namespace

ASSAY_KERNEL(run) {
  static bool patched = false;
  if (!patched) {
    patched = true;
    real_clock = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
    timespec now;
    real_clock(CLOCK_MONOTONIC, &now);
    base_ns = now.tv_sec * int64_t{1000000000} + now.tv_nsec;
    dl_iterate_phdr(visit, nullptr);
  }
  gdn::compute(gdn::problem_of(call));
  return 0;
}
