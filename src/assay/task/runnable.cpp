#include <assay/task/runnable.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::task {

namespace {

void tensor_obstacles(const Definition& definition, std::string_view group, const Named<TensorSpec>& tensors,
                      std::vector<Problem>& problems) {
  for (const auto& [name, spec] : tensors) {
    const std::string place = fmt::format("/{}/{}", group, base::pointer_token(name));
    if (!tensor::has_storage(spec.dtype) && !spec.optional) {
      problems.push_back({place + "/dtype", fmt::format("is \"{}\", which says nothing about memory: write the type "
                                                        "that a call has",
                                                        tensor::to_string(spec.dtype))});
    }
    for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
      if (find(definition.axes, (*spec.shape)[i]) == nullptr) {
        problems.push_back(
            {fmt::format("{}/shape/{}", place, i),
             fmt::format("names the axis \"{}\", which /axes does not have: add it there", (*spec.shape)[i])});
      }
    }
  }
}

}  // namespace

std::vector<Problem> obstacles(const Definition& definition) {
  std::vector<Problem> problems;
  for (const auto& [name, axis] : definition.axes) {
    if (axis.unresolved) {
      problems.push_back({fmt::format("/axes/{}/value", base::pointer_token(name)),
                          "is missing, so that the shapes are unknown: write the constant's value"});
    }
  }
  tensor_obstacles(definition, "inputs", definition.inputs, problems);
  tensor_obstacles(definition, "outputs", definition.outputs, problems);
  if (definition.outputs.empty()) {
    problems.push_back({"/outputs", "is empty, so that there is nothing to check: name what the operator computes"});
  }
  for (const auto& [name, spec] : definition.outputs) {
    const std::string* input = in_place_input(definition, name);
    const TensorSpec* under = input != nullptr ? find(definition.inputs, *input) : nullptr;
    if (under != nullptr && (under->shape != spec.shape || under->dtype != spec.dtype)) {
      problems.push_back({"/outputs/" + base::pointer_token(name),
                          fmt::format("is written over the input \"{}\", which has another shape or type: make them "
                                      "equal, or give the output a name and no param of its own",
                                      *input)});
    }
  }
  return problems;
}

std::vector<Problem> obstacles(const Definition& definition, const Workload& workload) {
  std::vector<Problem> problems;
  for (const auto& [name, spec] : definition.inputs) {
    if (find(workload.inputs, name) == nullptr) {
      problems.push_back({"/inputs", fmt::format("leaves out \"{}\", and a kernel cannot be called without it: add it, "
                                                 "or remove it from the definition",
                                                 name)});
    }
  }
  return problems;
}

base::Result<void> check_runnable(const Definition& definition, const std::vector<Workload>& workloads) {
  const auto refuse = [](const std::string& what, const std::vector<Problem>& problems) -> base::Result<void> {
    if (problems.empty()) {
      return {};
    }
    base::Error error = problems_error(what + " cannot be run", problems);
    error.code = "definition.not_runnable";
    return tl::unexpected(std::move(error));
  };
  ASSAY_TRY(refuse("definition " + definition.name, obstacles(definition)));
  for (const Workload& workload : workloads) {
    ASSAY_TRY(refuse("workload " + workload.uuid, obstacles(definition, workload)));
  }
  return {};
}

}  // namespace assay::task
