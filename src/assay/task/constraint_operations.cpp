#include <assay/task/constraint_operations.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace assay::task {

namespace {

ConstraintValue::Sequence shape_of(const TensorPart& part) {
  ConstraintValue::Sequence sizes;
  for (const std::int64_t size : part.shape) {
    sizes.push_back({size});
  }
  return sizes;
}

}  // namespace

ConstraintValue ConstraintOperations::stop(std::string why) {
  if (!reason_) {
    reason_ = std::move(why);
  }
  return {};
}

void ConstraintOperations::note(const std::string& name, const ConstraintValue& value) {
  const std::string text = name + " = " + show(value);
  if (std::find(used_.begin(), used_.end(), text) == used_.end()) {
    used_.push_back(text);
  }
}

// Reads a tensor of one element; any other value stays as it is.
ConstraintValue ConstraintOperations::plain(ConstraintValue value) {
  const auto* part = value.tensor();
  return part != nullptr && part->shape.empty() ? item(*part) : std::move(value);
}

ConstraintValue ConstraintOperations::item(const TensorPart& part) {
  if (tensor::element_count(part.shape) != 1) {
    return stop(fmt::format("a part of \"{}\" that has shape {} is used as one number", part.name,
                            tensor::to_string(part.shape)));
  }
  const ConstraintValue value = read(part.name, part.offset);
  note(place(part), value);
  return value;
}

ConstraintValue ConstraintOperations::read(const std::string& tensor, std::int64_t flat) {
  const std::optional<ElementValue> element = read_ ? read_(tensor, flat) : std::nullopt;
  return element ? std::visit([](auto held) { return ConstraintValue{held}; }, *element)
                 : stop(fmt::format("the contents of \"{}\" are not at hand", tensor));
}

std::string ConstraintOperations::place(const TensorPart& part) const {
  const TensorSpec* spec = find(definition_.inputs, part.name);
  const auto shape = resolve_shape(*spec, axes_);
  return shape->empty() ? part.name
                        : part.name + tensor::to_string(tensor::unravel(static_cast<std::size_t>(part.offset), *shape));
}

bool ConstraintOperations::truth(const ConstraintValue& given) {
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

std::optional<ConstraintNumber> ConstraintOperations::number(const ConstraintValue& given) {
  const ConstraintValue value = plain(given);
  auto result = number_of(value);
  if (!result) {
    stop(show(value) + " is used as a number");
  }
  return result;
}

ConstraintValue ConstraintOperations::calculated(std::string_view word, const ConstraintValue& left,
                                                 const ConstraintValue& right) {
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

bool ConstraintOperations::related(std::string_view word, const ConstraintValue& left, const ConstraintValue& right) {
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

bool ConstraintOperations::equal(const ConstraintValue& left_given, const ConstraintValue& right_given) {
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
ConstraintOperations::Sequence ConstraintOperations::elements(const ConstraintValue& value) {
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

ConstraintOperations::Sequence ConstraintOperations::contents(const TensorPart& part) {
  Sequence values;
  const auto count = static_cast<std::int64_t>(tensor::element_count(part.shape));
  for (std::int64_t i = 0; i < count && !reason_; ++i) {
    values.push_back(read(part.name, part.offset + i));
  }
  return values;
}

ConstraintValue ConstraintOperations::element_of(const ConstraintValue& value, const ConstraintValue& index_given) {
  const auto index = number(index_given);
  const auto* given = index ? std::get_if<std::int64_t>(&*index) : nullptr;
  const auto* values = value.sequence();
  const auto* part = value.tensor();
  if (reason_ || given == nullptr || (values == nullptr && (part == nullptr || part->shape.empty()))) {
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

ConstraintValue ConstraintOperations::attribute(const ConstraintValue& value, std::string_view name) {
  const auto* part = value.tensor();
  if (part != nullptr && name == "shape") {
    return {shape_of(*part)};
  }
  if (part != nullptr && name == "ndim") {
    return {static_cast<std::int64_t>(part->shape.size())};
  }
  return stop(fmt::format(".{} is beyond what is evaluated here", name));
}

ConstraintValue ConstraintOperations::function(std::string_view name, const Sequence& arguments) {
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

ConstraintValue ConstraintOperations::method(std::string_view name, const ConstraintValue& self,
                                             const Sequence& arguments) {
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

ConstraintValue ConstraintOperations::reduced(std::string_view name, const Sequence& values) {
  if (reason_ || (values.empty() && name != "sum")) {
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

}  // namespace assay::task
