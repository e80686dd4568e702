#include <assay/task/constraint.hpp>

#include <fmt/core.h>

#include <charconv>

#include <assay/base/text.hpp>
#include <assay/task/constraint_operations.hpp>
#include <assay/task/constraint_value.hpp>
#include <assay/task/python_tree.hpp>

namespace assay::task {

namespace {

using NodeKind = PythonNode::Kind;
using Sequence = ConstraintValue::Sequence;

// Walks a tree.
class ConstraintEvaluator {
 public:
  ConstraintEvaluator(const Definition& definition, const Workload& workload, const AxisValues& axes,
                      const ElementReader& read)
      : definition_(definition), workload_(workload), axes_(axes), operations_(definition, axes, read) {}

  ConstraintAnswer run(const std::string& constraint) {
    const PythonTree tree = parse_python_tree(constraint);
    ConstraintAnswer answer{constraint, ConstraintState::unknown, {}};
    if (!tree.root) {
      answer.explanation = "was not evaluated: " + tree.fault;
      return answer;
    }
    const bool holds = operations_.truth(value_of(*tree.root));
    if (const std::optional<std::string>& reason = operations_.reason()) {
      answer.explanation = "was not evaluated: " + *reason;
      return answer;
    }
    answer.state = holds ? ConstraintState::holds : ConstraintState::violated;
    if (!holds) {
      const std::vector<std::string>& used = operations_.used();
      answer.explanation = "does not hold" + (used.empty() ? std::string() : " with " + base::join(used, ", "));
    }
    return answer;
  }

 private:
  ConstraintValue value_of(const PythonNode& node) {
    if (operations_.reason()) {
      return {};
    }
    switch (node.kind) {
      case NodeKind::number:
        return literal(node.text);
      case NodeKind::text:
        return text(node.text);
      case NodeKind::constant:
        return node.text == "None" ? ConstraintValue{} : ConstraintValue{node.text == "True"};
      case NodeKind::name:
        return named(std::string(node.text));
      case NodeKind::sequence:
        return {all(node.children, 0)};
      case NodeKind::unary:
        return unary(node);
      case NodeKind::binary:
        return binary(node);
      case NodeKind::comparison:
        return comparison(node);
      case NodeKind::conditional:
        return value_of(operations_.truth(value_of(node.children[1])) ? node.children[0] : node.children[2]);
      case NodeKind::subscript:
        return operations_.element_of(value_of(node.children[0]), value_of(node.children[1]));
      case NodeKind::attribute:
        return operations_.attribute(value_of(node.children[0]), node.text);
      case NodeKind::call:
        return call(node);
    }
    return {};
  }

  Sequence all(const std::vector<PythonNode>& nodes, std::size_t first) {
    Sequence values;
    for (std::size_t i = first; i < nodes.size(); ++i) {
      values.push_back(value_of(nodes[i]));
    }
    return values;
  }

  ConstraintValue literal(std::string_view digits) {
    std::string plain(digits);
    std::erase(plain, '_');
    const char* end = plain.data() + plain.size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(plain.data(), end, integer); read.ec == std::errc() && read.ptr == end) {
      return {integer};
    }
    double number = 0;
    if (const auto read = std::from_chars(plain.data(), end, number); read.ec == std::errc() && read.ptr == end) {
      return {number};
    }
    return operations_.stop(fmt::format("the number {} is beyond what is read here", digits));
  }

  ConstraintValue text(std::string_view quoted) {
    const char quote = quoted.front();
    const bool plain = (quote == '"' || quote == '\'') && quoted.find('\\') == std::string_view::npos &&
                       (quoted.size() < 3 || quoted[1] != quote || quoted.size() == 2);
    return plain ? ConstraintValue{std::string(quoted.substr(1, quoted.size() - 2))}
                 : operations_.stop(fmt::format("the text {} is beyond what is read here", quoted));
  }

  ConstraintValue named(const std::string& name) {
    if (const std::int64_t* axis = find(axes_, name)) {
      operations_.note(name, {*axis});
      return {*axis};
    }
    const TensorSpec* spec = find(definition_.inputs, name);
    if (spec == nullptr) {
      return operations_.stop(fmt::format("\"{}\" is neither an axis nor an input", name));
    }
    const InputSpec* input = find(workload_.inputs, name);
    if (input == nullptr) {
      operations_.note(name, {});
      return spec->optional ? ConstraintValue{}
                            : operations_.stop(fmt::format("the workload does not give \"{}\"", name));
    }
    if (spec->shape) {
      const auto shape = resolve_shape(*spec, axes_);
      return shape ? ConstraintValue{TensorPart{name, *shape, 0}} : operations_.stop(shape.error().message);
    }
    const auto* scalar = std::get_if<ScalarInput>(input);
    if (scalar == nullptr) {
      return operations_.stop(fmt::format("the scalar \"{}\" has no value in the workload", name));
    }
    const ConstraintValue value = std::visit([](auto held) { return ConstraintValue{held}; }, scalar->value);
    operations_.note(name, value);
    return value;
  }

  ConstraintValue unary(const PythonNode& node) {
    const ConstraintValue operand = value_of(node.children[0]);
    if (node.text == "not") {
      return {!operations_.truth(operand)};
    }
    return operations_.calculated(node.text, {std::int64_t{0}}, operand);
  }

  // `and` and `or` return an operand and leave the second alone where the first decides, as in Python.
  ConstraintValue binary(const PythonNode& node) {
    ConstraintValue left = value_of(node.children[0]);
    if (node.text == "and" || node.text == "or") {
      return operations_.truth(left) == (node.text == "and") ? value_of(node.children[1]) : left;
    }
    return operations_.calculated(node.text, left, value_of(node.children[1]));
  }

  // a < b < c is a < b and b < c, b evaluated once; what comes after a false part is not evaluated.
  ConstraintValue comparison(const PythonNode& node) {
    ConstraintValue left = value_of(node.children[0]);
    for (std::size_t i = 0; i < node.words.size(); ++i) {
      ConstraintValue right = value_of(node.children[i + 1]);
      if (operations_.reason() || !operations_.related(node.words[i], left, right)) {
        return {false};
      }
      left = std::move(right);
    }
    return {true};
  }

  ConstraintValue call(const PythonNode& node) {
    const PythonNode& callee = node.children[0];
    if (callee.kind == NodeKind::attribute) {
      const ConstraintValue self = value_of(callee.children[0]);
      return operations_.method(callee.text, self, all(node.children, 1));
    }
    return callee.kind == NodeKind::name ? operations_.function(callee.text, all(node.children, 1))
                                         : operations_.stop("a call is beyond what is evaluated here");
  }

  const Definition& definition_;
  const Workload& workload_;
  const AxisValues& axes_;
  ConstraintOperations operations_;
};

}  // namespace

std::string_view to_string(ConstraintState state) {
  constexpr std::string_view kNames[] = {"holds", "violated", "unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

ConstraintAnswer evaluate_constraint(const std::string& constraint, const Definition& definition,
                                     const Workload& workload, const ElementReader& read) {
  const auto axes = resolve_axes(definition, workload.axes);
  if (!axes) {
    return {constraint, ConstraintState::unknown, "was not evaluated: " + axes.error().message};
  }
  return ConstraintEvaluator(definition, workload, *axes, read).run(constraint);
}

std::vector<ConstraintAnswer> evaluate_constraints(const Definition& definition, const Workload& workload,
                                                   const ElementReader& read) {
  std::vector<ConstraintAnswer> answers;
  for (const std::string& constraint : definition.constraints) {
    answers.push_back(evaluate_constraint(constraint, definition, workload, read));
  }
  return answers;
}

}  // namespace assay::task
