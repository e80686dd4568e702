#include <assay/evaluate/known_operator.hpp>

#include <fmt/core.h>

#include <assay/base/text.hpp>

namespace assay::evaluate {

base::Result<const operators::Operator*> known_operator(const task::Definition& definition) {
  const operators::Operator* op = operators::find_operator(definition.name);
  if (op == nullptr) {
    std::vector<std::string> names;
    for (const std::string_view name : operators::operator_names()) {
      names.emplace_back(name);
    }
    return base::input_error("definition.unknown",
                             fmt::format("Assay has no reference for the definition '{}': it knows {}", definition.name,
                                         base::join(names, ", ")));
  }
  ASSAY_TRY(op->check_interface(definition));
  return op;
}

}  // namespace assay::evaluate
