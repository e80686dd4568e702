#include <assay/task/constraint_summary.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::task {

std::vector<ConstraintSummary> summarise_constraints(const Definition& definition, std::span<const Workload> workloads,
                                                     const ElementSource& contents) {
  std::vector<ConstraintSummary> summaries;
  for (const std::string& constraint : definition.constraints) {
    summaries.push_back({constraint, workloads.size(), 0, 0, {}, {}});
  }
  for (const Workload& workload : workloads) {
    const ElementReader read = contents ? contents(workload) : ElementReader{};
    const std::vector<ConstraintAnswer> answers = evaluate_constraints(definition, workload, read);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      ConstraintSummary& summary = summaries[i];
      const std::string text = fmt::format("{}: it {}", workload.uuid, answers[i].explanation);
      if (answers[i].state == ConstraintState::violated) {
        summary.first_violated = summary.violated == 0 ? text : summary.first_violated;
        ++summary.violated;
      } else if (answers[i].state == ConstraintState::unknown) {
        summary.first_unknown = summary.unknown == 0 ? text : summary.first_unknown;
        ++summary.unknown;
      }
    }
  }
  return summaries;
}

std::string describe(const ConstraintSummary& summary) {
  std::string text = fmt::format("the constraint \"{}\" ", summary.constraint);
  if (summary.violated == 0 && summary.unknown == 0) {
    return text + fmt::format("holds in all {} workloads", summary.workloads);
  }
  if (summary.violated > 0) {
    text += fmt::format("is violated in {} of {} workloads (first: {})", summary.violated, summary.workloads,
                        summary.first_violated);
  }
  if (summary.unknown > 0) {
    text += fmt::format("{}was not evaluated in {} of {} workloads (first: {})", summary.violated > 0 ? " and " : "",
                        summary.unknown, summary.workloads, summary.first_unknown);
  }
  return text;
}

}  // namespace assay::task
