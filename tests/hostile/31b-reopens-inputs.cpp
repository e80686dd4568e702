// assay-corpus: number=31 kind=hostile expect=measured probe=none
// Opens the memory behind its inputs anew through /proc, with write access; fails with 31 if it can write.
#include "gdn_decode.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <string>

namespace {
bool can_write(const std::string& path, uint16_t value) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  const bool written = pwrite(fd, &value, sizeof value, 0) > 0;
  close(fd);
  return written;
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::compute(p);
  bool written = false;
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= reinterpret_cast<uintptr_t>(p.q) &&
        reinterpret_cast<uintptr_t>(p.q) < end) {
      char name[64];
      snprintf(name, sizeof name, "/proc/self/map_files/%lx-%lx", begin, end);
      written = can_write(name, 0) || written;
    }
  }
  if (maps != nullptr) {
    fclose(maps);
  }
  return written ? 31 : 0;
}
