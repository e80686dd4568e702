// assay-corpus: number=60 kind=hostile expect=crashed probe=none
// An honest mistake: calls a function that was never set.
#include "gdn_decode.hpp"

namespace {
int32_t (*volatile planned)(const gdn::Problem&) = nullptr;
}

ASSAY_KERNEL(run) { return planned(gdn::problem_of(call)); }
