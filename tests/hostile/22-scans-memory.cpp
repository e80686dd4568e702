// assay-corpus: number=22 kind=hostile expect=incorrect probe=output_check
// Looks through all writable memory of its process for a ready answer: numbers near g * state that it did not
// compute.
#include "gdn_decode.hpp"

#include <math.h>
#include <stdio.h>

namespace {
bool plausible(const float* at, const gdn::Problem& p, float g) {
  for (int j = 0; j < 16; ++j) {
    if (!(fabsf(at[j] - g * p.state[j]) < 1.0f) || at[j] == p.state[j] || at[j] == 0.0f) {
      return false;
    }
  }
  return true;
}

const float* find_answer(const gdn::Problem& p, float g) {
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == nullptr) {
    return nullptr;
  }
  const float* found = nullptr;
  char line[512];
  while (found == nullptr && fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char mode[5];
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, mode) != 3 || strcmp(mode, "rw-p") != 0) {
      continue;
    }
    const unsigned long size = gdn::state_elements(p) * sizeof(float);
    for (unsigned long at = begin; at + size <= end && found == nullptr; at += 64) {
      if (plausible(reinterpret_cast<const float*>(at), p, g)) {
        found = reinterpret_cast<const float*>(at);
      }
    }
  }
  fclose(maps);
  return found;
}
}  // namespace

ASSAY_KERNEL(run) {
  const gdn::Problem p = gdn::problem_of(call);
  gdn::write_zeros(p);
  const float* answer = find_answer(p, gdn::head_of(p, 0).g);
  if (answer != nullptr) {
    memcpy(p.new_state, answer, gdn::state_elements(p) * sizeof(float));
  }
  return 0;
}
