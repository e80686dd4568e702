#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>

namespace assay::task {

/// What became of one constraint of a definition. `unknown`: a value was not at hand, or the expression is beyond what
/// is evaluated here; that is said, and it is not the same as holding.
enum class ConstraintState : std::uint8_t { holds, violated, unknown };
[[nodiscard]] std::string_view to_string(ConstraintState state);

struct ConstraintAnswer {
  std::string constraint;
  ConstraintState state = ConstraintState::unknown;
  std::string explanation;  ///< Empty if it holds. Violated: the values that it was evaluated with. Unknown: why.
};

/// Reads one element of a tensor, row-major; nothing if the tensor's contents are not at hand.
using ElementValue = std::variant<std::int64_t, double, bool>;
using ElementReader = std::function<std::optional<ElementValue>(std::string_view tensor, std::int64_t flat)>;

/// Evaluates all constraints of a definition for one workload, in their order. Names are axes, scalar inputs (their
/// values are the workload's), and tensors, of which the shape is known and, with `read`, the contents. An optional
/// input that the workload leaves out is None. Evaluated are numbers, text, None, tuples and lists, + - * / // % **,
/// comparisons (chained; in, is), and/or/not, `a if c else b`, min max abs len int sum, subscripts with integers, and a
/// tensor's .shape .ndim .item() .max() .min() .sum() .size() .numel() .dim(). Integers are 64 bits wide.
[[nodiscard]] std::vector<ConstraintAnswer> evaluate_constraints(const Definition& definition, const Workload& workload,
                                                                 const ElementReader& read = {});

/// Evaluates one constraint.
[[nodiscard]] ConstraintAnswer evaluate_constraint(const std::string& constraint, const Definition& definition,
                                                   const Workload& workload, const ElementReader& read = {});

}  // namespace assay::task
