#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <assay/base/json.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/named.hpp>

namespace assay::task {

/// How kindly a value of the wrong JSON type is read. `lax` is what the readers of the flashinfer-bench dialect do
/// (pydantic's lax mode: "4", 4.0 and true are integers); `strict` is for Assay's own documents.
enum class Coercion : std::uint8_t { lax, strict };

/// What a text field may hold.
enum class TextRule : std::uint8_t { any, non_empty };

/// Bounds of an integer, both included.
struct IntegerRange {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
};

/// One value of a document with its place in it. Getters never fail: on a fault they record a Problem and return a
/// default, so that one pass finds every fault; a document with a problem is never handed out. A node may be absent
/// (an optional field): then getters return the default in silence. The document and the problems must outlive it.
class Node {
 public:
  Node(const base::Json& json, std::vector<Problem>& problems, Coercion coercion);

  [[nodiscard]] bool present() const { return json_ != nullptr; }
  [[nodiscard]] bool is_null() const;
  /// Tells whether there is a value: neither absent nor null.
  [[nodiscard]] bool has_value() const { return present() && !is_null(); }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] std::size_t problem_count() const { return problems_->size(); }
  /// Returns the value itself; the node must be present.
  [[nodiscard]] const base::Json& json() const { return *json_; }

  /// Records a fault here, or at a place below.
  void problem(std::string message) const;
  void problem_at(std::string_view below, std::string message) const;

  [[nodiscard]] std::string text(TextRule rule = TextRule::any) const;
  [[nodiscard]] std::int64_t integer(IntegerRange range = {}) const;
  [[nodiscard]] std::uint64_t unsigned_integer() const;
  /// Reads a number; "NaN", "Infinity" and "-Infinity" as text too, for JSON has no such numbers.
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const;
  /// Reads text that must be one of `words`; a near miss is suggested. Returns its index.
  [[nodiscard]] std::size_t word(std::span<const std::string_view> words) const;
  /// Returns the text, or nothing if the node is absent or null.
  [[nodiscard]] std::optional<std::string> optional_text(TextRule rule = TextRule::any) const;

  /// Returns the elements of an array that must have at least `minimum` of them.
  [[nodiscard]] std::vector<Node> items(std::size_t minimum = 0) const;
  /// Returns the members of an object, in their order.
  [[nodiscard]] Named<Node> members() const;
  /// The same, where an empty name is a fault.
  [[nodiscard]] Named<Node> entries() const;
  [[nodiscard]] std::vector<std::string> texts(TextRule rule = TextRule::any, std::size_t minimum = 0) const;
  [[nodiscard]] std::vector<std::int64_t> integers(IntegerRange range = {}, std::size_t minimum = 0) const;

 private:
  friend class Fields;
  Node(const base::Json* json, std::string pointer, std::vector<Problem>* problems, Coercion coercion);
  [[nodiscard]] Node child(const base::Json* json, std::string_view token) const;
  void wrong_type(std::string_view wanted) const;
  [[nodiscard]] std::optional<std::int64_t> integer_value() const;

  const base::Json* json_;
  std::string pointer_;
  std::vector<Problem>* problems_;
  Coercion coercion_;
};

/// The fields of an object. A node that is no object is one problem, and then every field is absent.
class Fields {
 public:
  explicit Fields(const Node& node);

  /// Returns a field; if it is missing that is a problem, and the node is absent.
  [[nodiscard]] Node required(std::string_view name);
  /// Returns a field, absent if it is missing.
  [[nodiscard]] Node optional(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) const;
  /// Records a problem for each field that was not asked for: documents of Assay's own refuse what they do not know.
  void refuse_others() const;

 private:
  Node node_;
  bool object_;
  std::vector<std::string> asked_;
};

/// Runs a reader over a whole document and returns its value, or the problems if there are any.
template <class Read>
auto decode_whole(const base::Json& json, Coercion coercion, Read&& read) {
  using Value = decltype(read(std::declval<const Node&>()));
  Decoded<Value> result;
  Value value = read(Node(json, result.problems, coercion));
  if (result.problems.empty()) {
    result.value = std::move(value);
  }
  return result;
}

/// Turns a decoded document into a Result whose error names `source`.
template <class Value>
base::Result<Value> as_result(Decoded<Value> decoded, std::string_view source) {
  if (!decoded.value) {
    return tl::unexpected(problems_error(source, decoded.problems));
  }
  return *std::move(decoded.value);
}

/// Encodes a double; infinite values and NaN become text, for JSON has no such numbers.
[[nodiscard]] base::Json encode_number(double value);

}  // namespace assay::task
