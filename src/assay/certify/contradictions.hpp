#pragma once

#include <vector>

#include <assay/certify/evidence.hpp>
#include <assay/certify/files.hpp>
#include <assay/certify/numbers.hpp>

namespace assay::certify {

/// Lists what in the evidence contradicts itself: a file that is not as its manifest says, a request that asks otherwise than
/// the campaign at that point of its journal, another candidate than the journal's, a workload left out, a probe that was off.
///
/// Every field of a request is held against what the campaign asks for, but two that follow from the archive at that moment,
/// which is not here, and can only make a verdict harder: `replays`, all of which a correct candidate must have met, and
/// `kept_inputs`, their number; and `trials_on`, of which only the rule is known.
[[nodiscard]] std::vector<Difference> contradictions(const Evidence& evidence, const Files& files);

}  // namespace assay::certify
