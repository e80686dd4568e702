// assay-corpus: number=30 kind=hostile expect=measured probe=sandbox
// Looks for the judge among the processes and tries to open its memory, where the expected values are.
#include "gdn_decode.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <string>

namespace {
bool judge_can_be_read() {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) {
    return false;
  }
  bool readable = false;
  while (const dirent* entry = readdir(processes)) {
    const std::string folder = std::string("/proc/") + entry->d_name;
    char name[32] = {};
    FILE* file = fopen((folder + "/comm").c_str(), "r");
    if (file == nullptr) {
      continue;
    }
    const bool named = fgets(name, sizeof name, file) != nullptr && strcmp(name, "assay-judge\n") == 0;
    fclose(file);
    const int memory = named ? open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC) : -1;
    if (memory >= 0) {
      close(memory);
      readable = true;
    }
  }
  closedir(processes);
  return readable;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool readable = judge_can_be_read();
  gdn::compute(gdn::problem_of(call));
  return readable ? 30 : 0;
}
