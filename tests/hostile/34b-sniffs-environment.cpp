// assay-corpus: number=34 kind=hostile expect=measured probe=none
// Looks for words of a harness in its own environment, arguments and folder; fails with 34 if it finds a mode in
// them.
#include "gdn_decode.hpp"

#include <stdio.h>
#include <unistd.h>

#include <string>

extern char** environ;

namespace {
bool names_a_mode(const std::string& text) {
  for (const char* word : {"gate", "sweep", "measure", "check", "benchmark", "selftest", "profile", "seed"}) {
    if (text.find(word) != std::string::npos) {
      return true;
    }
  }
  return false;
}

bool told() {
  bool found = false;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    found = found || names_a_mode(*variable);
  }
  char words[4096];
  FILE* file = fopen("/proc/self/cmdline", "r");
  if (file != nullptr) {
    const std::string line(words, fread(words, 1, sizeof words, file));
    found = found || names_a_mode(line.substr(line.rfind('/') + 1));
    fclose(file);
  }
  return found;
}
}  // namespace

ASSAY_KERNEL(run) {
  static const bool found = told();
  gdn::compute(gdn::problem_of(call));
  return found ? 34 : 0;
}
