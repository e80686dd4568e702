#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/error.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::control {

/// What the candidates of a campaign were built to, as far as their evaluations in the archive say. Remembers what it has
/// read; the journal alone decides, so that a resumed campaign asks the same.
class KnownCode {
 public:
  /// Lists the machine code of the baseline and of every candidate before `candidate` that a gate has judged, one entry each
  /// code under the first number that had it.
  [[nodiscard]] base::Result<std::vector<task::KnownCode>> before(int candidate, const CampaignState& state,
                                                                  const archive::Archive& archive);

 private:
  [[nodiscard]] base::Result<std::string> code_of(const std::string& evaluation, const archive::Archive& archive);

  std::map<std::string, std::string> codes_;  // By evaluation.
};

/// Says which of the request's known candidates an evaluation found its own to repeat; nothing unless it is a `duplicate`.
[[nodiscard]] std::optional<Duplicate> repeated(const task::EvaluationRequest& request,
                                                const task::Evaluation& evaluation);

}  // namespace assay::control
