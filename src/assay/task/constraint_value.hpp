#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <assay/tensor/shape.hpp>

namespace assay::task {

/// A tensor or a part of one, by its place: what an index into the first axis gives.
struct TensorPart {
  std::string name;
  tensor::Shape shape;
  std::int64_t offset = 0;  ///< Of its first element in the whole tensor, row-major.
};

/// A value of Python as far as constraints need one. Only what its kind says is set. (No std::variant: g++ 12 warns of
/// members that are not there when one that holds itself is moved.)
class ConstraintValue {
 public:
  enum class Kind : std::uint8_t { none, integer, number, boolean, text, sequence, tensor };
  using Sequence = std::vector<ConstraintValue>;

  ConstraintValue() = default;
  ConstraintValue(std::int64_t integer) : kind_(Kind::integer), integer_(integer) {}
  ConstraintValue(double number) : kind_(Kind::number), number_(number) {}
  ConstraintValue(bool boolean) : kind_(Kind::boolean), integer_(boolean ? 1 : 0) {}
  ConstraintValue(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  ConstraintValue(Sequence sequence) : kind_(Kind::sequence), sequence_(std::move(sequence)) {}
  ConstraintValue(TensorPart tensor) : kind_(Kind::tensor), tensor_(std::move(tensor)) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_none() const { return kind_ == Kind::none; }
  /// Of integers and booleans.
  [[nodiscard]] std::int64_t integer() const { return integer_; }
  [[nodiscard]] double number() const { return number_; }
  /// Null for other kinds.
  [[nodiscard]] const std::string* text() const { return kind_ == Kind::text ? &text_ : nullptr; }
  [[nodiscard]] const Sequence* sequence() const { return kind_ == Kind::sequence ? &sequence_ : nullptr; }
  [[nodiscard]] const TensorPart* tensor() const { return kind_ == Kind::tensor ? &tensor_ : nullptr; }

 private:
  Kind kind_ = Kind::none;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  Sequence sequence_;
  TensorPart tensor_;
};

/// An integer that fits 64 bits, or a float.
using ConstraintNumber = std::variant<std::int64_t, double>;

/// Returns the number that a value is, a bool as 0 or 1; nothing for anything else.
[[nodiscard]] std::optional<ConstraintNumber> number_of(const ConstraintValue& value);

/// Carries out + - * / // % ** as Python does. The text is the reason why there is no result.
[[nodiscard]] std::variant<ConstraintNumber, std::string> calculate(std::string_view word, ConstraintNumber left,
                                                                    ConstraintNumber right);

/// Compares with == != < <= > >=.
[[nodiscard]] bool compare_numbers(std::string_view word, ConstraintNumber left, ConstraintNumber right);

/// Writes a value as Python would.
[[nodiscard]] std::string show(const ConstraintValue& value);

}  // namespace assay::task
