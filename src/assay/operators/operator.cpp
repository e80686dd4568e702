#include <assay/operators/operator.hpp>

#include <array>

#include <assay/operators/gdn_decode/operator.hpp>

namespace assay::operators {
namespace {

std::array<const Operator*, 1> all_operators() { return {&gdn_decode::instance()}; }

}  // namespace

const Operator* find_operator(std::string_view definition_name) {
  for (const Operator* candidate : all_operators()) {
    if (candidate->definition_name() == definition_name) {
      return candidate;
    }
  }
  return nullptr;
}

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const Operator* known : all_operators()) {
    names.push_back(known->definition_name());
  }
  return names;
}

}  // namespace assay::operators
