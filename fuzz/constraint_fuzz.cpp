#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/task/constraint.hpp>

// Any text as a constraint: it has an answer, the same one twice, and anything but "holds" comes with words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  static const task::Definition definition = [] {
    task::Definition made;
    made.axes = {{"n", {task::Axis::Kind::variable, 0}}, {"two", {task::Axis::Kind::constant, 2}}};
    made.inputs = {{"x", {std::vector<std::string>{"n", "two"}, tensor::DType::int64}},
                   {"s", {std::nullopt, tensor::DType::float32}},
                   {"o", {std::vector<std::string>{}, tensor::DType::int32}}};
    made.inputs.back().second.optional = true;
    return made;
  }();
  static const task::Workload workload = {
      "w", {{"n", 3}}, {{"x", task::RandomInput{}}, {"s", task::ScalarInput{0.5}}}, {}};
  const task::ElementReader read = [](std::string_view, std::int64_t flat) -> std::optional<task::ElementValue> {
    return task::ElementValue{flat};
  };
  const std::string constraint(reinterpret_cast<const char*>(data), size);
  const task::ConstraintAnswer answer = task::evaluate_constraint(constraint, definition, workload, read);
  ASSAY_CHECK((answer.state == task::ConstraintState::holds) == answer.explanation.empty());
  const task::ConstraintAnswer again = task::evaluate_constraint(constraint, definition, workload, read);
  ASSAY_CHECK(again.state == answer.state && again.explanation == answer.explanation);
  return 0;
}
