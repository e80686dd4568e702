#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/base/uninitialised.hpp>
#include <assay/device/copy_plan.hpp>
#include <assay/operators/interface.hpp>
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

/// A named kind of difficult input. `name` is a persisted word ("power_of_two_straddle"): findings and reports name it.
struct StressKind {
  std::string_view name;
  std::string_view what;  ///< One sentence for people: what it is made to catch.
};

/// One stress trial: a kind, and a shape that it may be filled at. The shape need not be one of the dataset's.
struct StressTrial {
  std::size_t kind = 0;     ///< Into Operator::stress_kinds().
  task::Workload workload;  ///< Its uuid names (operator, seed, index); axes and scalars are set, the rest is random.
};

/// The least that any implementation must move and compute for one call, from which follows how fast it can be.
struct Work {
  double bytes = 0;       ///< Inputs that matter for these contents, read once, and outputs, written once.
  double operations = 0;  ///< Multiplications and additions, each counted as one.
};

/// How the contest's own evaluator accepts a floating output: an element is wrong if its error is larger than
/// `absolute` and larger than `relative` of the expected value; at least `matched_ratio` of all must not be wrong.
struct OfficialRule {
  double absolute = 1e-2;
  double relative = 1e-2;
  double matched_ratio = 1;
};

/// Fills inputs for one session. Deterministic: the same (seed, workload, call) gives the same bytes; another
/// call gives other contents everywhere that matters. Cheap enough to be run before every timed call: big tensors are cut
/// from a pool of random values at random places, and pages or experts that no row of this call refers to are left as
/// they are (zeros that take no memory, at first). Not thread-safe.
class InputGenerator {
 public:
  virtual ~InputGenerator() = default;
  /// Writes the tensor arguments and sets the scalar arguments, with contents as the operator meets them in use.
  /// What decides how long a call takes (lengths of rows, which experts are busy) is the same for every call of a
  /// workload. `arguments` is in the definition's order with the shapes of `workload`.
  virtual void fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) = 0;
  /// Changes one element of one tensor argument, or one scalar argument, of what `fill` left, so much that some right
  /// output moves by more than the tolerance: a candidate that knows the contents again by a sample of them, or that
  /// does not read an argument, is then wrong. `which` chooses the argument, modulo the number of those that are
  /// perturbed; the element depends on (seed, which, call) alone.
  virtual void perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) = 0;
  /// Like `fill`, with contents of one of the operator's stress kinds. The workload is that of a StressTrial.
  virtual void fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                           std::span<Argument> arguments) = 0;

  /// The same three, to the same bytes, but what is cut from pools may be left to `plan`, which is empty at first: the
  /// image is not touched there, and a device that has its bytes elsewhere does it. Where nothing is said, nothing is left.
  virtual void compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                       device::CopyPlan& /*plan*/) {
    fill(workload, call, arguments);
  }
  virtual void compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                              std::span<Argument> arguments, device::CopyPlan& /*plan*/) {
    fill_stress(kind, workload, call, arguments);
  }
  /// After `compose` of the same plan.
  virtual void perturb_composed(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments,
                                device::CopyPlan& plan) {
    plan.settle();
    perturb(which, call, arguments);
  }
};

/// What Assay knows about one operator: how its inputs look, what the right outputs are, and when outputs are
/// equal.
class Operator {
 public:
  virtual ~Operator() = default;
  /// What this code assumes of its definition; the name is the definition's.
  [[nodiscard]] virtual const Interface& interface() const = 0;
  [[nodiscard]] std::string_view definition_name() const { return interface().name; }
  /// Refuses a definition that has the name but not the interface (axes, names, shapes, dtypes) that this
  /// code means.
  [[nodiscard]] base::Result<void> check_interface(const task::Definition& definition) const {
    return operators::check_interface(interface(), definition);
  }
  /// Refuses a workload whose inputs cannot be generated. Known operators generate what a workload takes from files.
  [[nodiscard]] virtual base::Result<void> check_workload(const task::Workload& /*workload*/) const { return {}; }
  [[nodiscard]] virtual std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const = 0;

  /// Kinds of difficult input; never empty, and their order and names never change.
  [[nodiscard]] virtual std::span<const StressKind> stress_kinds() const = 0;
  /// The stress trial of this index: any stress_kinds().size() consecutive ones have every kind once, and shapes go
  /// from the smallest to `largest_bytes` of arguments in all, with odd ones (one more and one less than a tile, primes).
  [[nodiscard]] virtual StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                                 std::uint64_t largest_bytes) const = 0;

  /// Computes the outputs in double precision from the inputs as the candidate sees them (quantised): one entry of
  /// `outputs` an output, in the definition's order, whatever they held before; behind them an operator may keep what
  /// its `compare` needs. Keep them from call to call: the page faults of new ones take as long as the arithmetic. Uses
  /// as many threads as the caller may use CPUs (base::parallel_for); the values do not depend on how many.
  [[nodiscard]] virtual base::Result<void> reference(const task::AxisValues& axes,
                                                     std::span<const ConstArgument> inputs,
                                                     std::vector<ExpectedValues>& outputs) const = 0;
  /// Returns the rule for a floating output, by position.
  [[nodiscard]] virtual tensor::ComparisonRule rule(std::size_t output) const = 0;
  /// Returns to how many significant bits an honest kernel of this operator may round on the way to an output; fewer than
  /// its type has where factors in a narrower type are part of how such kernels are written.
  [[nodiscard]] virtual int working_bits(std::size_t output) const;
  /// Compares one output with what `reference` left for these inputs. By the output's rule, unless the operator
  /// accepts more than one answer (a set, a tie) and overrides this.
  [[nodiscard]] virtual std::optional<tensor::Mismatch> compare(const task::AxisValues& axes,
                                                                std::span<const ConstArgument> inputs,
                                                                std::size_t output, const tensor::ConstView& got,
                                                                std::span<const ExpectedValues> expected) const;
  /// Returns how the contest's evaluator accepts this output, for `--compat flashinfer-bench`.
  [[nodiscard]] virtual OfficialRule official_rule(std::size_t output) const;
  /// Decides as the contest's evaluator does. By official_rule, unless theirs is of another kind.
  [[nodiscard]] virtual std::optional<tensor::Mismatch> official_compare(
      const task::AxisValues& axes, std::span<const ConstArgument> inputs, std::size_t output,
      const tensor::ConstView& got, std::span<const ExpectedValues> expected) const;
  /// Returns the least work of a call with these inputs: the roofline model.
  [[nodiscard]] virtual Work least_work(const task::AxisValues& axes, std::span<const ConstArgument> inputs) const = 0;
};

/// Returns the operator of this definition name, or nullptr. The object lives for ever.
[[nodiscard]] const Operator* find_operator(std::string_view definition_name);
/// Returns what knows this definition natively: the operator of its name (whose interface the caller still has to
/// check), else one of a family that recognises its structure and its reference (GEMM, RMSNorm); else nullptr.
[[nodiscard]] std::shared_ptr<const Operator> find_operator(const task::Definition& definition);
/// Names of all operators that are known by name.
[[nodiscard]] std::vector<std::string_view> operator_names();

}  // namespace assay::operators
