#include <assay/task/constraint.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include <assay/base/text.hpp>
#include <assay/task/constraint_value.hpp>
#include <assay/task/python_tree.hpp>

namespace assay::task {

namespace {

using NodeKind = PythonNode::Kind;
using Sequence = ConstraintValue::Sequence;

/// Walks a tree. After the first thing that is not known every method returns None and `stop_` says why.
class ConstraintEvaluator {
 public:
  ConstraintEvaluator(const Definition& definition, const Workload& workload, const AxisValues& axes,
                      const ElementReader& read)
      : definition_(definition), workload_(workload), axes_(axes), read_(read) {}

  ConstraintAnswer run(const std::string& constraint) {
    const PythonTree tree = parse_python_tree(constraint);
    ConstraintAnswer answer{constraint, ConstraintState::unknown, {}};
    if (!tree.root) {
      answer.explanation = "was not evaluated: " + tree.fault;
      return answer;
    }
    const bool holds = truth(value_of(*tree.root));
    if (stop_) {
      answer.explanation = "was not evaluated: " + *stop_;
      return answer;
    }
    answer.state = holds ? ConstraintState::holds : ConstraintState::violated;
    if (!holds) {
      answer.explanation = "does not hold" + (used_.empty() ? std::string() : " with " + base::join(used_, ", "));
    }
    return answer;
  }

 private:
  ConstraintValue stop(std::string why) {
    if (!stop_) {
      stop_ = std::move(why);
    }
    return {};
  }

  void note(const std::string& name, const ConstraintValue& value) {
    const std::string text = name + " = " + show(value);
    if (std::find(used_.begin(), used_.end(), text) == used_.end()) {
      used_.push_back(text);
    }
  }

  ConstraintValue value_of(const PythonNode& node) {
    if (stop_) {
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
        return value_of(truth(value_of(node.children[1])) ? node.children[0] : node.children[2]);
      case NodeKind::subscript:
        return element_of(value_of(node.children[0]), value_of(node.children[1]));
      case NodeKind::attribute:
        return attribute(node);
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
    return stop(fmt::format("the number {} is beyond what is read here", digits));
  }

  ConstraintValue text(std::string_view quoted) {
    const char quote = quoted.front();
    const bool plain = (quote == '"' || quote == '\'') && quoted.find('\\') == std::string_view::npos &&
                       (quoted.size() < 3 || quoted[1] != quote || quoted.size() == 2);
    return plain ? ConstraintValue{std::string(quoted.substr(1, quoted.size() - 2))}
                 : stop(fmt::format("the text {} is beyond what is read here", quoted));
  }

  ConstraintValue named(const std::string& name) {
    if (const std::int64_t* axis = find(axes_, name)) {
      note(name, {*axis});
      return {*axis};
    }
    const TensorSpec* spec = find(definition_.inputs, name);
    if (spec == nullptr) {
      return stop(fmt::format("\"{}\" is neither an axis nor an input", name));
    }
    const InputSpec* input = find(workload_.inputs, name);
    if (input == nullptr) {
      note(name, {});
      return spec->optional ? ConstraintValue{} : stop(fmt::format("the workload does not give \"{}\"", name));
    }
    if (spec->shape) {
      const auto shape = resolve_shape(*spec, axes_);
      return shape ? ConstraintValue{TensorPart{name, *shape, 0}} : stop(shape.error().message);
    }
    const auto* scalar = std::get_if<ScalarInput>(input);
    if (scalar == nullptr) {
      return stop(fmt::format("the scalar \"{}\" has no value in the workload", name));
    }
    const ConstraintValue value = std::visit([](auto held) { return ConstraintValue{held}; }, scalar->value);
    note(name, value);
    return value;
  }

  // Reads a tensor of one element; any other value stays as it is.
  ConstraintValue plain(ConstraintValue value) {
    const auto* part = value.tensor();
    return part != nullptr && part->shape.empty() ? item(*part) : std::move(value);
  }

  ConstraintValue item(const TensorPart& part) {
    if (tensor::element_count(part.shape) != 1) {
      return stop(fmt::format("a part of \"{}\" that has shape {} is used as one number", part.name,
                              tensor::to_string(part.shape)));
    }
    const ConstraintValue value = read(part.name, part.offset);
    note(place(part), value);
    return value;
  }

  ConstraintValue read(const std::string& tensor, std::int64_t flat) {
    const std::optional<ElementValue> element = read_ ? read_(tensor, flat) : std::nullopt;
    return element ? std::visit([](auto held) { return ConstraintValue{held}; }, *element)
                   : stop(fmt::format("the contents of \"{}\" are not at hand", tensor));
  }

  std::string place(const TensorPart& part) const {
    const TensorSpec* spec = find(definition_.inputs, part.name);
    const auto shape = resolve_shape(*spec, axes_);
    return shape->empty()
               ? part.name
               : part.name + tensor::to_string(tensor::unravel(static_cast<std::size_t>(part.offset), *shape));
  }

  bool truth(const ConstraintValue& given) {
    const ConstraintValue value = plain(given);
    if (const auto number = number_of(value)) {
      return compare_numbers("!=", *number, std::int64_t{0});
    }
    if (const auto* text = value.text()) {
      return !text->empty();
    }
    if (const auto* values = value.sequence()) {
      return !values->empty();
    }
    if (const auto* part = value.tensor()) {
      stop(fmt::format("the truth of the whole tensor \"{}\" is asked for", part->name));
    }
    return false;
  }

  std::optional<ConstraintNumber> number(const ConstraintValue& given) {
    const ConstraintValue value = plain(given);
    auto result = number_of(value);
    if (!result) {
      stop(show(value) + " is used as a number");
    }
    return result;
  }

  ConstraintValue calculated(std::string_view word, const ConstraintValue& left, const ConstraintValue& right) {
    const auto first = number(left);
    const auto second = number(right);
    if (!first || !second) {
      return {};
    }
    const auto result = calculate(word, *first, *second);
    if (const auto* why = std::get_if<std::string>(&result)) {
      return stop(*why);
    }
    return std::visit([](auto held) { return ConstraintValue{held}; }, std::get<ConstraintNumber>(result));
  }

  ConstraintValue unary(const PythonNode& node) {
    const ConstraintValue operand = value_of(node.children[0]);
    if (node.text == "not") {
      return {!truth(operand)};
    }
    return calculated(node.text, {std::int64_t{0}}, operand);
  }

  // `and` and `or` return an operand and leave the second alone where the first decides, as in Python.
  ConstraintValue binary(const PythonNode& node) {
    ConstraintValue left = value_of(node.children[0]);
    if (node.text == "and" || node.text == "or") {
      return truth(left) == (node.text == "and") ? value_of(node.children[1]) : left;
    }
    return calculated(node.text, left, value_of(node.children[1]));
  }

  // a < b < c is a < b and b < c, b evaluated once; what comes after a false part is not evaluated.
  ConstraintValue comparison(const PythonNode& node) {
    ConstraintValue left = value_of(node.children[0]);
    for (std::size_t i = 0; i < node.words.size(); ++i) {
      ConstraintValue right = value_of(node.children[i + 1]);
      if (stop_ || !related(node.words[i], left, right)) {
        return {false};
      }
      left = std::move(right);
    }
    return {true};
  }

  bool related(std::string_view word, const ConstraintValue& left, const ConstraintValue& right) {
    if (word == "in" || word == "not in") {
      const Sequence values = elements(right);
      const bool found =
          std::any_of(values.begin(), values.end(), [&](const ConstraintValue& value) { return equal(left, value); });
      return found == (word == "in");
    }
    if (word == "is" || word == "is not" || word == "==" || word == "!=") {
      return equal(left, right) == (word == "is" || word == "==");
    }
    const auto first = number(left);
    const auto second = number(right);
    return first && second && compare_numbers(word, *first, *second);
  }

  bool equal(const ConstraintValue& left_given, const ConstraintValue& right_given) {
    const bool none = left_given.is_none() || right_given.is_none();
    if (none) {  // Whatever a tensor holds, it is not None.
      return left_given.is_none() && right_given.is_none();
    }
    const ConstraintValue left = plain(left_given);
    const ConstraintValue right = plain(right_given);
    const auto first = number_of(left);
    const auto second = number_of(right);
    if (first && second) {
      return compare_numbers("==", *first, *second);
    }
    if (left.tensor() != nullptr || right.tensor() != nullptr) {
      stop("whole tensors are compared");
      return false;
    }
    if (const auto* values = left.sequence()) {
      const auto* others = right.sequence();
      return others != nullptr &&
             std::equal(values->begin(), values->end(), others->begin(), others->end(),
                        [this](const ConstraintValue& a, const ConstraintValue& b) { return equal(a, b); });
    }
    const auto* text = left.text();
    const auto* other = right.text();
    return text != nullptr && other != nullptr && *text == *other;
  }

  // The elements of a sequence, or those of a tensor with one axis.
  Sequence elements(const ConstraintValue& value) {
    if (const auto* values = value.sequence()) {
      return *values;
    }
    const auto* part = value.tensor();
    if (part == nullptr || part->shape.size() != 1) {
      stop(show(value) + " is used as a sequence of numbers");
      return {};
    }
    return contents(*part);
  }

  Sequence contents(const TensorPart& part) {
    Sequence values;
    const auto count = static_cast<std::int64_t>(tensor::element_count(part.shape));
    for (std::int64_t i = 0; i < count && !stop_; ++i) {
      values.push_back(read(part.name, part.offset + i));
    }
    return values;
  }

  ConstraintValue element_of(const ConstraintValue& value, const ConstraintValue& index_given) {
    const auto index = number(index_given);
    const auto* given = index ? std::get_if<std::int64_t>(&*index) : nullptr;
    const auto* values = value.sequence();
    const auto* part = value.tensor();
    if (stop_ || given == nullptr || (values == nullptr && (part == nullptr || part->shape.empty()))) {
      return stop("a subscript is beyond what is evaluated here");
    }
    const auto size = values != nullptr ? static_cast<std::int64_t>(values->size()) : part->shape.front();
    const std::int64_t at = *given < 0 ? *given + size : *given;
    if (at < 0 || at >= size) {
      return stop(fmt::format("the index {} is outside of {} elements", *given, size));
    }
    if (values != nullptr) {
      return (*values)[static_cast<std::size_t>(at)];
    }
    TensorPart inner{part->name, tensor::Shape(part->shape.begin() + 1, part->shape.end()), part->offset};
    inner.offset += at * static_cast<std::int64_t>(tensor::element_count(inner.shape));
    return {std::move(inner)};
  }

  static Sequence shape_of(const TensorPart& part) {
    Sequence sizes;
    for (const std::int64_t size : part.shape) {
      sizes.push_back({size});
    }
    return sizes;
  }

  ConstraintValue attribute(const PythonNode& node) {
    const ConstraintValue value = value_of(node.children[0]);
    const auto* part = value.tensor();
    if (part != nullptr && node.text == "shape") {
      return {shape_of(*part)};
    }
    if (part != nullptr && node.text == "ndim") {
      return {static_cast<std::int64_t>(part->shape.size())};
    }
    return stop(fmt::format(".{} is beyond what is evaluated here", node.text));
  }

  ConstraintValue call(const PythonNode& node) {
    const PythonNode& callee = node.children[0];
    if (callee.kind == NodeKind::attribute) {
      const ConstraintValue self = value_of(callee.children[0]);
      return method(callee.text, self, all(node.children, 1));
    }
    return callee.kind == NodeKind::name ? function(callee.text, all(node.children, 1))
                                         : stop("a call is beyond what is evaluated here");
  }

  ConstraintValue function(std::string_view name, const Sequence& arguments) {
    if ((name == "min" || name == "max" || name == "sum") && !arguments.empty()) {
      return reduced(name, arguments.size() == 1 ? elements(arguments[0]) : arguments);
    }
    if (arguments.size() == 1 && (name == "abs" || name == "int")) {
      const auto argument = number(arguments[0]);
      const bool negative = argument && compare_numbers("<", *argument, std::int64_t{0});
      if (name == "abs") {
        return negative ? calculated("-", {std::int64_t{0}}, arguments[0]) : plain(arguments[0]);
      }
      return argument && std::holds_alternative<std::int64_t>(*argument)
                 ? ConstraintValue{std::get<std::int64_t>(*argument)}
                 : stop("int() of what is no integer is beyond what is evaluated here");
    }
    if (arguments.size() == 1 && name == "len") {
      const auto* part = arguments[0].tensor();
      const auto* values = arguments[0].sequence();
      if (part != nullptr && !part->shape.empty()) {
        return {part->shape.front()};
      }
      return values != nullptr ? ConstraintValue{static_cast<std::int64_t>(values->size())}
                               : stop("len() of what has no length");
    }
    return stop(fmt::format("{}() is beyond what is evaluated here", name));
  }

  ConstraintValue method(std::string_view name, const ConstraintValue& self, const Sequence& arguments) {
    const auto* part = self.tensor();
    if (part != nullptr && arguments.empty()) {
      if (name == "item") {
        return item(*part);
      }
      if (name == "min" || name == "max" || name == "sum") {
        return reduced(name, contents(*part));
      }
      if (name == "numel") {
        return {static_cast<std::int64_t>(tensor::element_count(part->shape))};
      }
      if (name == "dim") {
        return {static_cast<std::int64_t>(part->shape.size())};
      }
    }
    if (part != nullptr && name == "size") {
      return arguments.empty() ? ConstraintValue{shape_of(*part)} : element_of({shape_of(*part)}, arguments[0]);
    }
    // What .item() of a number gives, is that number.
    if (name == "item" && arguments.empty() && number_of(self)) {
      return self;
    }
    return stop(fmt::format(".{}() is beyond what is evaluated here", name));
  }

  ConstraintValue reduced(std::string_view name, const Sequence& values) {
    if (stop_ || (values.empty() && name != "sum")) {
      return stop(fmt::format("{}() has nothing to choose from", name));
    }
    ConstraintValue result = name == "sum" ? ConstraintValue{std::int64_t{0}} : plain(values.front());
    for (const ConstraintValue& value : values) {
      if (name == "sum") {
        result = calculated("+", result, value);
      } else if (related(name == "max" ? ">" : "<", value, result)) {
        result = plain(value);
      }
    }
    return result;
  }

  const Definition& definition_;
  const Workload& workload_;
  const AxisValues& axes_;
  const ElementReader& read_;
  std::optional<std::string> stop_;
  std::vector<std::string> used_;
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
