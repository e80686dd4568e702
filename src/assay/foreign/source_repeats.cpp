#include <assay/foreign/source_repeats.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <assay/foreign/failure.hpp>
#include <assay/task/known_sources.hpp>

namespace assay::foreign {

SourceRepeats source_repeats(const TraceArchive& archive, const std::string& trace) {
  SourceRepeats repeats;
  task::KnownSources known;
  std::set<base::Digest> judged;  // By both of their names.
  std::map<base::Digest, std::size_t> times;
  for (const std::size_t i : archive.of_trace(trace)) {
    const Evaluation& evaluation = archive.evaluations[i];
    if (!evaluation.archived) {
      continue;
    }
    const task::CandidateIdentity identity{evaluation.source, evaluation.normalised};
    if (const auto repeat = known.find(identity)) {
      ++(repeat->sameness == task::SourceSameness::content ? repeats.same_bytes : repeats.same_source);
      repeats.answered += judged.count(identity.content) + judged.count(identity.normalised) > 0 ? 1U : 0U;
    }
    known.add(static_cast<int>(repeats.evaluations), identity);
    ++repeats.evaluations;
    repeats.most = std::max(repeats.most, ++times[identity.content]);
    if (judges_candidate(failure_of(evaluation))) {
      judged.insert(identity.content);
      judged.insert(identity.normalised);
    }
  }
  return repeats;
}

}  // namespace assay::foreign
