#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <assay/task/constraint.hpp>
#include <assay/task/constraint_value.hpp>
#include <assay/task/definition.hpp>

namespace assay::task {

/// What constraints do with values, as Python does it: operators, subscripts, functions and methods. A tensor of one element
/// is that element wherever a number is wanted; its contents are read then. After the first thing that is not known or is
/// beyond what is evaluated here every result is None and `reason` says why.
class ConstraintOperations {
 public:
  using Sequence = ConstraintValue::Sequence;

  /// The tensors are the definition's, their shapes follow from the axes. All of it outlives this.
  ConstraintOperations(const Definition& definition, const AxisValues& axes, const ElementReader& read)
      : definition_(definition), axes_(axes), read_(read) {}

  /// Stops, unless something has before. Returns None.
  ConstraintValue stop(std::string why);
  /// Why nothing more is evaluated; nothing: all is well.
  [[nodiscard]] const std::optional<std::string>& reason() const { return reason_; }
  /// Writes down a value that was used, once: "batch_size = 4".
  void note(const std::string& name, const ConstraintValue& value);
  [[nodiscard]] const std::vector<std::string>& used() const { return used_; }

  [[nodiscard]] bool truth(const ConstraintValue& given);
  /// Arithmetic: see `calculate`.
  [[nodiscard]] ConstraintValue calculated(std::string_view word, const ConstraintValue& left,
                                           const ConstraintValue& right);
  /// Whether two values compare so: by == != < <= > >= is, in, or the negation of the last two.
  [[nodiscard]] bool related(std::string_view word, const ConstraintValue& left, const ConstraintValue& right);
  [[nodiscard]] ConstraintValue element_of(const ConstraintValue& value, const ConstraintValue& index_given);
  [[nodiscard]] ConstraintValue attribute(const ConstraintValue& value, std::string_view name);
  [[nodiscard]] ConstraintValue function(std::string_view name, const Sequence& arguments);
  [[nodiscard]] ConstraintValue method(std::string_view name, const ConstraintValue& self, const Sequence& arguments);

 private:
  [[nodiscard]] ConstraintValue plain(ConstraintValue value);
  [[nodiscard]] ConstraintValue item(const TensorPart& part);
  [[nodiscard]] ConstraintValue read(const std::string& tensor, std::int64_t flat);
  [[nodiscard]] std::string place(const TensorPart& part) const;
  [[nodiscard]] std::optional<ConstraintNumber> number(const ConstraintValue& given);
  [[nodiscard]] bool equal(const ConstraintValue& left_given, const ConstraintValue& right_given);
  [[nodiscard]] Sequence elements(const ConstraintValue& value);
  [[nodiscard]] Sequence contents(const TensorPart& part);
  [[nodiscard]] ConstraintValue reduced(std::string_view name, const Sequence& values);

  const Definition& definition_;
  const AxisValues& axes_;
  const ElementReader& read_;
  std::optional<std::string> reason_;
  std::vector<std::string> used_;
};

}  // namespace assay::task
