#pragma once

#include <string>
#include <string_view>

#include <assay/task/evidence.hpp>
#include <assay/task/hypothesis.hpp>

/// What a campaign believes and why: kinds of events of a journal, under the rules of events.hpp. Each names the
/// measurement that it rests on, or says that there is none yet.
namespace assay::control {

/// A hypothesis is stated, before anything of it is measured. Lands in one transaction with the proposal that tests it, or
/// alone where nobody tests it yet.
struct HypothesisStated {
  static constexpr std::string_view kKind = "hypothesis_stated";
  int number = 0;  ///< From 1, of hypotheses.
  std::string by;  ///< The proposer, or a person.
  task::Hypothesis hypothesis;
};

/// A gate or a sweep has measured it. Lands in one transaction with the result.
struct HypothesisTested {
  static constexpr std::string_view kKind = "hypothesis_tested";
  int hypothesis = 0;
  int candidate = 0;
  task::HypothesisTest test;
};

/// An evaluation has measured something that the search goes by. Lands in one transaction with its result.
struct EvidenceRecorded {
  static constexpr std::string_view kKind = "evidence_recorded";
  task::Evidence evidence;
};

}  // namespace assay::control
