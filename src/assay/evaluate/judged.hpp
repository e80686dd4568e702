#pragma once

#include <string>
#include <utility>
#include <vector>

#include <assay/task/evaluation.hpp>

namespace assay::evaluate {

/// All that an evaluation leaves: what goes into the bundle.
struct Judged {
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;
  std::vector<std::pair<std::string, std::string>> logs;  ///< (file name in the bundle, content)
};

}  // namespace assay::evaluate
