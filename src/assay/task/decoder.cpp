#include <assay/task/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <assay/base/text.hpp>
#include <assay/task/coercion.hpp>

namespace assay::task {

namespace {

using base::Json;

// Shows a value in a message: its kind, and what it holds if that is short.
std::string describe(const Json& json) {
  if (json.is_object()) {
    return "an object";
  }
  if (json.is_array()) {
    return "an array";
  }
  if (json.is_null()) {
    return "null";
  }
  constexpr std::size_t kShown = 60;
  std::string text = base::dump_compact(json);
  if (text.size() > kShown) {
    text = base::printable(text.substr(0, kShown)) + "…";
  }
  return json.is_string() ? "the text " + text : text;
}

}  // namespace

Node::Node(const Json& json, std::vector<Problem>& problems, Coercion coercion)
    : Node(&json, std::string(), &problems, coercion) {}

Node::Node(const Json* json, std::string pointer, std::vector<Problem>* problems, Coercion coercion)
    : json_(json), pointer_(std::move(pointer)), problems_(problems), coercion_(coercion) {}

bool Node::is_null() const { return present() && json_->is_null(); }

bool Node::is_object() const { return present() && json_->is_object(); }

Node Node::child(const Json* json, std::string_view token) const {
  return {json, pointer_ + "/" + base::pointer_token(token), problems_, coercion_};
}

void Node::problem(std::string message) const { problems_->push_back({pointer_, std::move(message)}); }

void Node::problem_at(std::string_view below, std::string message) const {
  problems_->push_back({pointer_ + std::string(below), std::move(message)});
}

void Node::wrong_type(std::string_view wanted) const {
  problem(fmt::format("must be {}, not {}", wanted, describe(*json_)));
}

std::string Node::text(TextRule rule) const {
  if (!present()) {
    return {};
  }
  if (!json_->is_string()) {
    wrong_type("text");
    return {};
  }
  std::string value = json_->get<std::string>();
  if (rule == TextRule::non_empty && value.empty()) {
    problem("is empty: give at least one character");
  }
  return value;
}

std::optional<std::string> Node::optional_text(TextRule rule) const {
  return has_value() ? std::optional(text(rule)) : std::nullopt;
}

std::optional<std::int64_t> Node::integer_value() const {
  if (json_->is_number_unsigned()) {
    const auto value = json_->get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      problem("does not fit in a signed 64-bit integer: give a smaller number");
      return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
  }
  if (json_->is_number_integer()) {
    return json_->get<std::int64_t>();
  }
  const std::optional<std::int64_t> coerced = coercion_ == Coercion::lax ? lax_integer(*json_) : std::nullopt;
  if (!coerced) {
    wrong_type("an integer that fits in 64 bits");
  }
  return coerced;
}

std::int64_t Node::integer(IntegerRange range) const {
  if (!present()) {
    return 0;
  }
  const std::optional<std::int64_t> value = integer_value();
  if (!value) {
    return 0;
  }
  if (*value < range.minimum) {
    problem(fmt::format("is {}: give an integer of at least {}", *value, range.minimum));
  } else if (*value > range.maximum) {
    problem(fmt::format("is {}: give an integer of at most {}", *value, range.maximum));
  }
  return *value;
}

std::uint64_t Node::unsigned_integer() const {
  if (!present()) {
    return 0;
  }
  if (json_->is_number_unsigned()) {
    return json_->get<std::uint64_t>();
  }
  // Values made in memory may hold a non-negative signed number.
  if (json_->is_number_integer() && json_->get<std::int64_t>() >= 0) {
    return static_cast<std::uint64_t>(json_->get<std::int64_t>());
  }
  wrong_type("an integer from 0 to 2^64-1");
  return 0;
}

double Node::number() const {
  if (!present()) {
    return 0;
  }
  if (json_->is_number()) {
    return json_->get<double>();
  }
  const std::optional<double> value = coercion_ == Coercion::lax ? lax_number(*json_) : named_number(*json_);
  if (!value) {
    wrong_type("a number (\"NaN\", \"Infinity\" and \"-Infinity\" are written as text)");
  }
  return value.value_or(0);
}

bool Node::boolean() const {
  if (!present()) {
    return false;
  }
  if (json_->is_boolean()) {
    return json_->get<bool>();
  }
  const std::optional<bool> value = coercion_ == Coercion::lax ? lax_boolean(*json_) : std::nullopt;
  if (!value) {
    wrong_type("true or false");
  }
  return value.value_or(false);
}

std::size_t Node::word(std::span<const std::string_view> words) const {
  const std::size_t before = problem_count();
  const std::string given = text();
  if (!present() || problem_count() != before) {
    return 0;
  }
  const auto place = std::find(words.begin(), words.end(), given);
  if (place == words.end()) {
    const std::vector<std::string> known(words.begin(), words.end());
    const std::string near = base::nearest(given, known);
    const std::string hint = near.empty() ? std::string() : fmt::format("did you mean \"{}\"? ", near);
    problem(fmt::format("is {}, which is not known: {}use one of {}", describe(*json_), hint, base::join(known, ", ")));
    return 0;
  }
  return static_cast<std::size_t>(place - words.begin());
}

std::vector<Node> Node::items(std::size_t minimum) const {
  std::vector<Node> nodes;
  if (!present()) {
    return nodes;
  }
  if (!json_->is_array()) {
    wrong_type("an array");
    return nodes;
  }
  if (json_->size() < minimum) {
    problem(fmt::format("has {} elements: give at least {}", json_->size(), minimum));
  }
  nodes.reserve(json_->size());
  for (const Json& element : *json_) {
    nodes.push_back(child(&element, std::to_string(nodes.size())));
  }
  return nodes;
}

Named<Node> Node::members() const {
  Named<Node> nodes;
  if (!present()) {
    return nodes;
  }
  if (!json_->is_object()) {
    wrong_type("an object");
    return nodes;
  }
  for (const auto& [key, value] : json_->items()) {
    nodes.emplace_back(key, child(&value, key));
  }
  return nodes;
}

Named<Node> Node::entries() const {
  Named<Node> nodes = members();
  for (const auto& [name, node] : nodes) {
    if (name.empty()) {
      node.problem("has an empty name: give at least one character");
    }
  }
  return nodes;
}

std::vector<std::string> Node::texts(TextRule rule, std::size_t minimum) const {
  std::vector<std::string> values;
  for (const Node& node : items(minimum)) {
    values.push_back(node.text(rule));
  }
  return values;
}

std::vector<std::int64_t> Node::integers(IntegerRange range, std::size_t minimum) const {
  std::vector<std::int64_t> values;
  for (const Node& node : items(minimum)) {
    values.push_back(node.integer(range));
  }
  return values;
}

Fields::Fields(const Node& node) : node_(node), object_(node.is_object()) {
  if (node.present() && !object_) {
    node.wrong_type("an object");
  }
}

bool Fields::has(std::string_view name) const { return object_ && node_.json().contains(name); }

Node Fields::optional(std::string_view name) {
  asked_.emplace_back(name);
  if (!object_) {
    return node_.child(nullptr, name);
  }
  const auto place = node_.json().find(name);
  return node_.child(place == node_.json().end() ? nullptr : &*place, name);
}

Node Fields::required(std::string_view name) {
  Node node = optional(name);
  if (object_ && !node.present()) {
    node.problem("is missing: add it");
  }
  return node;
}

void Fields::refuse_others() const {
  if (!object_) {
    return;
  }
  for (const auto& [key, value] : node_.json().items()) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
      const std::string near = base::nearest(key, asked_);
      node_.child(&value, key)
          .problem(near.empty() ? std::string("is not a known field: remove it")
                                : fmt::format("is not a known field: did you mean \"{}\"?", near));
    }
  }
}

Json encode_number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  return value;
}

}  // namespace assay::task
