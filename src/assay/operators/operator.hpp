#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/uninitialised.hpp>
#include <assay/task/definition.hpp>
#include <assay/task/workload.hpp>
#include <assay/tensor/comparison.hpp>
#include <assay/tensor/view.hpp>

namespace assay::operators {

/// A scalar argument, passed by value.
using Scalar = std::variant<std::int64_t, double, bool>;

/// One argument of a call in the definition's order: a tensor view or a scalar.
using Argument = std::variant<tensor::View, Scalar>;
using ConstArgument = std::variant<tensor::ConstView, Scalar>;

/// The right values of one output, row-major.
using ExpectedValues = base::UninitialisedVector<double>;

/// Fills inputs for one session. Deterministic: the same (seed, workload, call) gives the same bytes; another
/// call gives other bytes everywhere. Cheap enough to be run before every timed call: big tensors are cut
/// from a pool of random values at random places. Not thread-safe.
class InputGenerator {
 public:
  virtual ~InputGenerator() = default;
  /// Writes every byte of the tensor arguments and sets the scalar arguments. `arguments` is in the
  /// definition's order with the shapes of `workload`.
  virtual void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) = 0;
  /// Changes one element of one tensor argument, or one scalar argument, of what `fill` left, so much that some right
  /// output moves by more than the tolerance: a candidate that knows the contents again by a sample of them, or that
  /// does not read an argument, is then wrong. `which` chooses the argument, modulo the number of those that are perturbed; the element depends
  /// on (seed, which, call) alone.
  virtual void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) = 0;
};

/// What Assay knows about one operator: how its inputs look, what the right outputs are, and when outputs are
/// equal.
class Operator {
 public:
  virtual ~Operator() = default;
  /// The definition that this is, by name.
  [[nodiscard]] virtual std::string_view definition_name() const = 0;
  /// Refuses a definition that has the name but not the interface (axes, names, shapes, dtypes) that this
  /// code means.
  [[nodiscard]] virtual base::Result<void> check_interface(const task::Definition& definition) const = 0;
  [[nodiscard]] virtual std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const = 0;
  /// Computes the outputs in double precision from the inputs as the candidate sees them (quantised): one entry of
  /// `outputs` an output, in the definition's order, whatever they held before. Keep them from call to call: the page
  /// faults of new ones take as long as the arithmetic. Uses as many threads as the caller may use CPUs
  /// (base::parallel_for); the values do not depend on how many.
  [[nodiscard]] virtual base::Result<void> reference(const task::AxisValues& axes,
                                                     std::span<const ConstArgument> inputs,
                                                     std::vector<ExpectedValues>& outputs) const = 0;
  /// Returns the rule for an output, by position.
  [[nodiscard]] virtual tensor::ComparisonRule rule(std::size_t output) const = 0;
};

/// Returns the operator of this definition name, or nullptr. The object lives for ever.
[[nodiscard]] const Operator* find_operator(std::string_view definition_name);
/// Names of all known operators.
[[nodiscard]] std::vector<std::string_view> operator_names();

}  // namespace assay::operators
