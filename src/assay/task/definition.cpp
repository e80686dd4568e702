#include <assay/task/definition.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::task {

namespace {

std::string suggestion(const Definition& definition, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [axis, unused] : definition.axes) {
    known.push_back(axis);
  }
  const std::string near = base::nearest(name, known);
  return near.empty() ? std::string("remove it") : fmt::format("did you mean \"{}\"?", near);
}

}  // namespace

const std::string* in_place_input(const Definition& definition, std::string_view output) {
  const TensorSpec* spec = find(definition.outputs, output);
  const std::string* by_name = nullptr;
  for (const auto& [name, unused] : definition.inputs) {
    if (spec != nullptr && spec->param == name) {
      return &name;
    }
    by_name = name == output ? &name : by_name;
  }
  return by_name;
}

base::Result<AxisValues> resolve_axes(const Definition& definition, const AxisValues& workload_axes) {
  for (const auto& [name, value] : workload_axes) {
    const Axis* axis = find(definition.axes, name);
    if (axis == nullptr) {
      return base::input_error("axis.unknown", fmt::format("{} has no axis \"{}\": {}", definition.name, name,
                                                           suggestion(definition, name)));
    }
    if (value < 0) {
      return base::input_error("axis.value", fmt::format("axis \"{}\" of {} is {}: give a value of at least 0", name,
                                                         definition.name, value));
    }
    if (axis->kind == Axis::Kind::constant && !axis->unresolved && axis->value != value) {
      return base::input_error("axis.contradiction",
                               fmt::format("axis \"{}\" is the constant {} in {}, but the workload says {}: remove it",
                                           name, axis->value, definition.name, value));
    }
  }
  AxisValues values;
  for (const auto& [name, axis] : definition.axes) {
    const std::int64_t* given = find(workload_axes, name);
    if (axis.unresolved) {
      return base::input_error("axis.unresolved", fmt::format("axis \"{}\" of {} is a constant without a value: write "
                                                              "its value into the definition",
                                                              name, definition.name));
    }
    if (axis.kind == Axis::Kind::variable && given == nullptr) {
      return base::input_error("axis.missing", fmt::format("axis \"{}\" of {} has no value: the workload must give one",
                                                           name, definition.name));
    }
    values.emplace_back(name, axis.kind == Axis::Kind::constant ? axis.value : *given);
  }
  return values;
}

base::Result<tensor::Shape> resolve_shape(const TensorSpec& spec, const AxisValues& axes) {
  if (!spec.shape) {
    return base::input_error("shape.scalar", "a scalar has no shape: ask for the shapes of tensors only");
  }
  tensor::Shape shape;
  for (const std::string& name : *spec.shape) {
    const std::int64_t* value = find(axes, name);
    if (value == nullptr) {
      return base::input_error("axis.missing",
                               fmt::format("axis \"{}\" has no value: the workload must give one", name));
    }
    shape.push_back(*value);
  }
  return shape;
}

}  // namespace assay::task
