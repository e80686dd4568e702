#include <assay/operators/interface.hpp>

#include <fmt/format.h>
#include <string_view>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>

namespace assay::operators {
namespace {

tl::unexpected<base::Error> differs(const Interface& meant, const std::string& pointer, const std::string& is,
                                    const std::string& must_be) {
  return base::input_error(
      "operator.interface",
      fmt::format("definition {}: {}: is {}, but the operator that Assay knows by this name has {}; restore it, or "
                  "give the definition another name",
                  meant.name, pointer, is, must_be));
}

std::string axis_text(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("the constant {}", *value) : std::string("a variable axis");
}

std::string shape_text(const std::optional<std::vector<std::string>>& shape) {
  return shape ? "[" + base::join(*shape, ", ") + "]" : std::string("null (a scalar)");
}

template <class T>
std::string names(const task::Named<T>& entries) {
  std::vector<std::string> result;
  for (const auto& entry : entries) {
    result.push_back(entry.first);
  }
  return "[" + base::join(result, ", ") + "]";
}

base::Result<void> check_axes(const Interface& meant, const task::Definition& definition) {
  for (const auto& [name, value] : meant.axes) {
    const std::string pointer = "/axes/" + base::pointer_token(name);
    const task::Axis* axis = task::find(definition.axes, name);
    if (axis == nullptr) {
      return differs(meant, pointer, "missing", axis_text(value));
    }
    const std::optional<std::int64_t> given =
        axis->kind == task::Axis::Kind::constant ? std::optional(axis->value) : std::nullopt;
    if (given != value) {
      return differs(meant, pointer, axis_text(given), axis_text(value));
    }
  }
  for (const auto& [name, axis] : definition.axes) {
    if (task::find(meant.axes, name) == nullptr) {
      return differs(meant, "/axes/" + base::pointer_token(name), "an axis", "no axis of this name");
    }
  }
  return {};
}

base::Result<void> check_arguments(const Interface& meant, const task::Named<Interface::Argument>& wanted,
                                   const task::Named<task::TensorSpec>& given, const std::string& section) {
  if (names(wanted) != names(given)) {
    return differs(meant, section, names(given), names(wanted) + " in this order");
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [name, argument] = wanted[i];
    const task::TensorSpec& spec = given[i].second;
    const std::string pointer = section + "/" + base::pointer_token(name);
    if (spec.shape != argument.shape) {
      return differs(meant, pointer + "/shape", shape_text(spec.shape), shape_text(argument.shape));
    }
    if (spec.dtype != argument.dtype) {
      return differs(meant, pointer + "/dtype", std::string(to_string(spec.dtype)),
                     std::string(to_string(argument.dtype)));
    }
  }
  return {};
}

}  // namespace

base::Result<void> check_interface(const Interface& meant, const task::Definition& definition) {
  if (definition.name != meant.name) {
    return differs(meant, "/name", definition.name, meant.name);
  }
  ASSAY_TRY(check_axes(meant, definition));
  ASSAY_TRY(check_arguments(meant, meant.inputs, definition.inputs, "/inputs"));
  return check_arguments(meant, meant.outputs, definition.outputs, "/outputs");
}

}  // namespace assay::operators
