#include <assay/service/replay_choice.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <assay/service/siblings.hpp>
#include <assay/service/trial_history.hpp>
#include <assay/tensor/dtype.hpp>
#include <assay/tensor/shape.hpp>

namespace assay::service {
namespace {

// What is looked at of a large corpus where a verdict shall be quick.
constexpr std::int64_t kConsideredWithoutTrials = 64;

enum class Nearness : std::uint8_t { own, sibling, other };

// What the arguments of its call take; nothing of a workload that the definition does not fit.
std::uint64_t bytes_of(const task::Definition& definition, const task::Workload& workload) {
  const auto axes = task::resolve_axes(definition, workload.axes);
  std::uint64_t bytes = 0;
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *tensors) {
      const auto shape = axes ? task::resolve_shape(spec, *axes) : tl::unexpected(axes.error());
      bytes +=
          shape && tensor::has_storage(spec.dtype) ? tensor::byte_size(spec.dtype, tensor::element_count(*shape)) : 0;
    }
  }
  return bytes;
}

// As the request carries it. Nothing if it needs contents that the dataset no longer gives.
base::Result<std::optional<task::KeptInput>> replay_of(const archive::StoredFailingInput& stored,
                                                       const std::string& name, const GivenSource& given) {
  task::KeptInput kept{stored.input, fmt::format("{} ({})", name, stored.candidate.brief()), stored.evaluation};
  if (stored.input.varied) {
    ASSAY_TRY_ASSIGN(kept.input.workload.given, given(stored.input.workload.uuid));
    if (kept.input.workload.given.empty()) {
      return std::nullopt;
    }
  }
  return std::optional(std::move(kept));
}

// The first of those that a quick verdict has time for; one that is too large only where all are.
std::vector<archive::StoredFailingInput> affordable(const task::Definition& definition,
                                                    const std::vector<archive::StoredFailingInput>& kept) {
  std::vector<archive::StoredFailingInput> chosen;
  std::uint64_t bytes = 0;
  for (const archive::StoredFailingInput& stored : kept) {
    const std::uint64_t more = bytes_of(definition, stored.input.workload);
    if (chosen.size() < kReplaysWithoutTrials && bytes + more <= kReplayedBytesWithoutTrials) {
      chosen.push_back(stored);
      bytes += more;
    }
  }
  return chosen.empty() && !kept.empty() ? std::vector{kept.front()} : chosen;
}

base::Result<void> add_replays(const archive::Archive& archive, const GivenSource& given,
                               task::EvaluationRequest& request) {
  const std::string& definition = request.definition.name;
  ASSAY_TRY_ASSIGN(request.kept_inputs, archive.count_failing_inputs(definition));
  if (request.kept_inputs == 0) {
    return {};
  }
  const bool all = request.trials > 0;
  ASSAY_TRY_ASSIGN(auto kept, archive.failing_inputs(definition, all ? request.kept_inputs : kConsideredWithoutTrials));
  ASSAY_TRY_ASSIGN(kept, order_replays(archive, std::move(kept), request.candidate));
  for (const archive::StoredFailingInput& stored : all ? kept : affordable(request.definition, kept)) {
    ASSAY_TRY_ASSIGN(const auto candidate, archive.candidate(stored.candidate.hex()));
    ASSAY_TRY_ASSIGN(auto replay, replay_of(stored, candidate ? candidate->solution.name : "unknown", given));
    if (replay) {
      request.replays.push_back(std::move(*replay));
    }
  }
  return {};
}

}  // namespace

base::Result<std::vector<archive::StoredFailingInput>> order_replays(const archive::Archive& archive,
                                                                     std::vector<archive::StoredFailingInput> kept,
                                                                     const task::Solution& candidate) {
  const Siblings siblings(candidate);
  const base::Digest own = task::identify(candidate).content;
  std::map<base::Digest, Nearness> nearness = {{own, Nearness::own}};
  for (const archive::StoredFailingInput& one : kept) {
    if (nearness.count(one.candidate) == 0) {
      ASSAY_TRY_ASSIGN(const auto other, archive.candidate(one.candidate.hex()));
      nearness[one.candidate] = other && siblings.include(other->solution) ? Nearness::sibling : Nearness::other;
    }
  }
  struct Ranked {
    Nearness nearness;
    std::size_t newer = 0;  ///< Of its kind or workload, among those that are as near.
    std::size_t place = 0;
  };
  std::map<std::pair<Nearness, std::string>, std::size_t> of_stratum;
  std::vector<Ranked> ranks;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const task::FailingInput& input = kept[i].input;
    const Nearness near = nearness[kept[i].candidate];
    const std::string stratum = input.stress_kind ? "kind " + *input.stress_kind : "workload " + input.workload.uuid;
    ranks.push_back({near, of_stratum[{near, stratum}]++, i});
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const Ranked& a, const Ranked& b) {
    return std::pair(a.nearness, a.newer) < std::pair(b.nearness, b.newer);
  });
  std::vector<archive::StoredFailingInput> ordered;
  ordered.reserve(kept.size());
  for (const Ranked& rank : ranks) {
    ordered.push_back(std::move(kept[rank.place]));
  }
  return ordered;
}

GivenSource given_of(const std::vector<task::Workload>& workloads) {
  return [&workloads](const std::string& uuid) -> base::Result<std::vector<task::GivenInput>> {
    const auto found = std::find_if(workloads.begin(), workloads.end(),
                                    [&uuid](const task::Workload& workload) { return workload.uuid == uuid; });
    return found == workloads.end() ? std::vector<task::GivenInput>() : found->given;
  };
}

base::Result<void> add_history(const archive::Archive& archive, const GivenSource& given, double failure_bound,
                               task::EvaluationRequest& request) {
  ASSAY_TRY(add_replays(archive, given, request));
  if (request.trials > 0) {
    ASSAY_TRY_ASSIGN(const auto history,
                     trial_history(archive, request.definition, request.workloads, request.candidate));
    request.trials_on = allocate_trials(history, request.trials, failure_bound);
  }
  return {};
}

}  // namespace assay::service
