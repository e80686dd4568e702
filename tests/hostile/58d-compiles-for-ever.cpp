// assay-corpus: number=58 kind=hostile expect=not_built|timed_out probe=build
// Asks the compiler for a number that takes it hours.
#include "gdn_decode.hpp"

template <int A, int B>
struct Slow {
  static constexpr long value = Slow<A - 1, B * 2>::value + Slow<A - 1, B * 2 + 1>::value;
};
template <int B>
struct Slow<0, B> {
  static constexpr long value = B;
};

ASSAY_KERNEL(run) {
  gdn::compute(gdn::problem_of(call));
  return Slow<30, 0>::value == 0;
}
