// assay-corpus: number=60 kind=hostile expect=crashed|timed_out probe=limits
// Writes to files in every place that it may write to, until an error stops it; the files are unlinked already.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  static char block[1 << 20];
  for (int i = 0; i < 1 << 14; ++i) {
    bool any = false;
    for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", "."}) {
      const std::string path = std::string(folder) + "/.assay-corpus-60-" + std::to_string(i);
      const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      unlink(path.c_str());
      while (fd >= 0 && write(fd, block, sizeof block) > 0) {
        any = true;
      }
    }
    if (!any) {
      return 60;
    }
  }
  return 60;
}
