#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <assay/archive/archive.hpp>
#include <assay/base/digest.hpp>
#include <assay/base/error.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/numbers.hpp>
#include <assay/control/configuration.hpp>
#include <assay/control/events.hpp>
#include <assay/control/state.hpp>
#include <assay/promote/decision.hpp>
#include <assay/task/evaluation.hpp>
#include <assay/task/request.hpp>

namespace assay::certify {

/// One comparison over all workloads: a sweep or a confirmation, read from its bundle, and what the journal says of it.
struct Session {
  std::string folder;  ///< kSweepFolder or kConfirmationFolder.
  std::int64_t sequence = 0;
  control::EvaluationIntended intended;
  /// What the campaign asks for at that point, the share of alpha included; the solutions are left out.
  task::EvaluationRequest asked;
  promote::Decision journalled;  ///< As the journal has it.
  task::EvaluationRequest request;
  task::Evaluation evaluation;
  std::vector<task::Sample> samples;
  base::Digest manifest;
};

/// A sweep of the campaign, certified or not: one hypothesis tested.
struct Tested {
  std::int64_t sequence = 0;
  int candidate = 0;
  std::string evaluation;
  double level = 0;  ///< The alpha that it could spend.
  promote::Decision decision;
};

/// Everything that a certificate rests on, read and folded: what is certified is the promotion with which the journal ends,
/// or the one whose confirmation it ends with; others may have been promoted, confirmed and demoted between the two.
struct Evidence {
  control::CampaignConfiguration configuration;
  base::Digest configuration_digest;
  std::vector<archive::Event> events;
  std::vector<base::Digest> journal;  ///< Digest of the journal up to each event (archive::extend_journal).
  control::CampaignState state;       ///< After the last event.
  std::vector<Tested> tested;         ///< In their order.
  control::CandidatePromoted promotion;
  std::int64_t promotion_sequence = 0;
  Session sweep;
  std::optional<Session> confirmation;
  /// Sequences of the campaign's decisions, from the sweep's to the last; never empty.
  std::vector<std::int64_t> decisions;

  /// The manifest of the evaluation that this decision's entry names, if its bundle is here or it names none.
  [[nodiscard]] std::optional<base::Digest> manifest_of(std::int64_t sequence) const;
  /// The candidate of this number; 0 is the baseline.
  [[nodiscard]] task::CandidateIdentity identity_of(int number) const;
};

/// Encodes a journal's entry as a line of journal.jsonl. An entry whose body is not as control writes it cannot be given
/// back byte for byte: an internal error.
[[nodiscard]] base::Result<std::string> journal_line(const archive::Event& event);

/// Reads the evidence of a certificate's folder. What cannot be read is an input error that names the file. Nothing is
/// believed yet: see contradictions.hpp.
[[nodiscard]] base::Result<Evidence> read_evidence(const Files& files);

}  // namespace assay::certify
