// assay-corpus: number=34 kind=hostile expect=measured probe=sandbox
// Looks at all command lines for the judge's, which names the request: stage, seed, limits. Fails with 34 if it sees
// it.
#include "gdn_decode.hpp"

#include <dirent.h>
#include <stdio.h>

#include <string>

namespace {
bool sees_judge() {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) {
    return false;
  }
  bool seen = false;
  while (const dirent* entry = readdir(processes)) {
    FILE* file = fopen((std::string("/proc/") + entry->d_name + "/cmdline").c_str(), "r");
    if (file == nullptr) {
      continue;
    }
    char words[4096];
    const size_t size = fread(words, 1, sizeof words, file);
    fclose(file);
    seen = seen || std::string(words, size).find("request.json") != std::string::npos;
  }
  closedir(processes);
  return seen;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool seen = sees_judge();
  gdn::compute(gdn::problem_of(call));
  return seen ? 34 : 0;
}
