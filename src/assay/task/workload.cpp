#include <assay/task/workload.hpp>

#include <fmt/core.h>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/readers.hpp>

namespace assay::task {

namespace {

template <class T>
std::string suggestion(std::string_view name, const Named<T>& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known) {
    names.push_back(key);
  }
  const std::string near = base::nearest(name, names);
  return near.empty() ? std::string("remove it") : fmt::format("did you mean \"{}\"?", near);
}

void check_axes(const Definition& definition, const Workload& workload, std::vector<Problem>& problems) {
  for (const auto& [name, value] : workload.axes) {
    const std::string place = "/axes/" + base::pointer_token(name);
    const Axis* axis = find(definition.axes, name);
    if (axis == nullptr) {
      problems.push_back(
          {place, fmt::format("is no axis of {}: {}", definition.name, suggestion(name, definition.axes))});
    } else if (axis->unresolved) {
      problems.push_back({place, fmt::format("is a constant without a value in {}: write its value there, not here",
                                             definition.name)});
    } else if (axis->kind == Axis::Kind::constant) {
      problems.push_back({place, fmt::format("is the constant {} in {}: remove it", axis->value, definition.name)});
    } else if (value <= 0) {
      problems.push_back({place, fmt::format("is {}: give a value of at least 1", value)});
    }
  }
  for (const auto& [name, axis] : definition.axes) {
    if (axis.kind == Axis::Kind::variable && find(workload.axes, name) == nullptr) {
      problems.push_back(
          {"/axes", fmt::format("does not give \"{}\", a variable axis of {}: add it", name, definition.name)});
    }
  }
}

// A float parameter takes an integer, as Python does; an integer or a boolean takes its own kind alone. A workload has
// no words for a string or the name of a type; what is unknown may be anything.
bool scalar_fits(const ScalarInput& scalar, tensor::DType dtype) {
  if (!tensor::has_storage(dtype)) {
    return dtype == tensor::DType::unknown;
  }
  if (dtype == tensor::DType::boolean) {
    return std::holds_alternative<bool>(scalar.value);
  }
  if (std::holds_alternative<bool>(scalar.value)) {
    return false;
  }
  return tensor::is_floating(dtype) || std::holds_alternative<std::int64_t>(scalar.value);
}

void check_input(const std::string& name, const TensorSpec& spec, const InputSpec& input,
                 std::vector<Problem>& problems) {
  const std::string place = "/inputs/" + base::pointer_token(name);
  const auto* scalar = std::get_if<ScalarInput>(&input);
  if (spec.shape && scalar != nullptr) {
    problems.push_back({place, "is a scalar, but the definition has a tensor: use \"random\" or \"safetensors\""});
  } else if (!spec.shape && scalar == nullptr) {
    problems.push_back({place, "must be a scalar, as in the definition: use {\"type\": \"scalar\", \"value\": …}"});
  } else if (scalar != nullptr && !scalar_fits(*scalar, spec.dtype)) {
    problems.push_back({place + "/value", fmt::format("does not fit the definition's {}: give a value of that kind",
                                                      tensor::to_string(spec.dtype))});
  }
}

// What no memory holds would overflow the sizes that are computed from it.
void check_sizes(const Definition& definition, const Workload& workload, std::vector<Problem>& problems) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 44U;
  const base::Result<AxisValues> axes = resolve_axes(definition, workload.axes);
  if (!axes) {
    return;  // Said elsewhere.
  }
  for (const auto* section : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *section) {
      std::int64_t elements = 1;
      for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i) {
        const std::int64_t* extent = find(*axes, (*spec.shape)[i]);
        if (extent != nullptr && (__builtin_mul_overflow(elements, *extent, &elements) || elements > kMostElements)) {
          problems.push_back(
              {"/axes", fmt::format("make \"{}\" larger than {} elements, which no memory holds: give smaller ones",
                                    name, kMostElements)});
          break;
        }
      }
    }
  }
}

}  // namespace

std::vector<Problem> workload_problems(const Definition& definition, const Workload& workload) {
  std::vector<Problem> problems;
  check_axes(definition, workload, problems);
  for (const auto& [name, input] : workload.inputs) {
    const TensorSpec* spec = find(definition.inputs, name);
    if (spec == nullptr) {
      problems.push_back({"/inputs/" + base::pointer_token(name),
                          fmt::format("is no input of {}: {}", definition.name, suggestion(name, definition.inputs))});
    } else {
      check_input(name, *spec, input, problems);
    }
  }
  for (const auto& [name, spec] : definition.inputs) {
    if (!spec.optional && find(workload.inputs, name) == nullptr) {
      problems.push_back(
          {"/inputs", fmt::format("does not have \"{}\", an input of {}: add it", name, definition.name)});
    }
  }
  if (problems.empty()) {
    check_sizes(definition, workload, problems);
  }
  return problems;
}

base::Result<void> check_workload(const Definition& definition, const Workload& workload) {
  const std::vector<Problem> problems = workload_problems(definition, workload);
  if (!problems.empty()) {
    return tl::unexpected(problems_error(fmt::format("workload {}", workload.uuid), problems));
  }
  return {};
}

}  // namespace assay::task
