// assay-corpus: number=32 kind=hostile expect=measured probe=sandbox
// Tries to leave a file beside the program that runs it and in the folder that it runs in; fails with 32 if it can.
#include "gdn_decode.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace {
bool can_leave_a_file(const std::string& folder) {
  const std::string path = folder + "/.assay-corpus-32";
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return false;
  }
  close(fd);
  unlink(path.c_str());
  return true;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool writable = [] {
    char program[4096] = {};
    const ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    const std::string path(program, size > 0 ? static_cast<size_t>(size) : 0);
    const std::string folder = path.substr(0, path.rfind('/'));
    return (!folder.empty() && can_leave_a_file(folder)) || can_leave_a_file("/usr/include");
  }();
  gdn::compute(gdn::problem_of(call));
  return writable ? 32 : 0;
}
