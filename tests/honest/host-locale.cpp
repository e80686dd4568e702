// assay-corpus: kind=honest
// Sets a locale and formats numbers with streams; numbers are still numbers.
#include "gdn_decode.hpp"

#include <locale.h>

#include <sstream>

ASSAY_KERNEL(run) {
  setlocale(LC_ALL, "de_DE.UTF-8");
  setlocale(LC_ALL, "C.UTF-8");
  gdn::Problem p = gdn::problem_of(call);
  std::stringstream text;
  text.precision(9);
  text << p.scale;
  text >> p.scale;
  gdn::compute(p);
  return 0;
}
