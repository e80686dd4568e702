// assay-corpus: number=25 kind=hostile expect=measured probe=sandbox
// Leaves a file in each place that might outlive its process and fails with 25 if it finds one: nothing may be there.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace {
bool earlier_process_was_here() {
  const char* home = getenv("HOME");
  std::vector<std::string> paths;
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", ".", home == nullptr ? "/" : home}) {
    paths.push_back(std::string(folder) + "/.assay-corpus-25-" + std::to_string(getuid()));
  }
  bool found = false;
  for (const std::string& path : paths) {
    // Removed when it is found: the self-test leaves nothing behind, even where this is not caught.
    found = (access(path.c_str(), F_OK) == 0 && unlink(path.c_str()) == 0) || found;
  }
  for (const std::string& path : paths) {
    const int made = found ? -1 : open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) {
      close(made);
    }
  }
  return found;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool cached = earlier_process_was_here();
  gdn::compute(gdn::problem_of(call));
  return cached ? 25 : 0;
}
