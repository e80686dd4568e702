#pragma once

namespace assay::control {

/// An interval for a log-ratio, candidate over incumbent: below 0 is faster; bounds may be infinite.
struct LogRatio {
  double mean = 0;
  double lower = 0;
  double upper = 0;
};

}  // namespace assay::control
