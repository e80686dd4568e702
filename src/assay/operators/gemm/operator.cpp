#include <assay/operators/gemm/operator.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/operators/gemm/generator.hpp>
#include <assay/operators/gemm/layout.hpp>
#include <assay/operators/gemm/reference.hpp>
#include <assay/operators/half_elements.hpp>
#include <assay/operators/reference_statements.hpp>
#include <assay/operators/within.hpp>

namespace assay::operators::gemm {
namespace {

// docs/operators/gemm.md has the measured errors that these numbers stand on.
constexpr double kRoundings = 1.25;  // Of the output, which rounds once: a second rounding must show.
constexpr double kFloat32Roundoff = 0x1p-24;
constexpr double kAccumulation = 16;  // Times that, times |a| |b|, beside a term that grows with the square root of K.

Interface make_interface(const task::Definition& definition) {
  const tensor::DType dtype = definition.inputs.front().second.dtype;
  Interface interface;
  interface.name = definition.name;
  for (const auto& [name, axis] : definition.axes) {
    interface.axes.emplace_back(name,
                                axis.kind == task::Axis::Kind::constant ? std::optional(axis.value) : std::nullopt);
  }
  interface.inputs = {{"A", {std::vector<std::string>{"M", "K"}, dtype}},
                      {"B", {std::vector<std::string>{"N", "K"}, dtype}}};
  interface.outputs = {{"C", {std::vector<std::string>{"M", "N"}, dtype}}};
  return interface;
}

class Gemm final : public Operator {
 public:
  explicit Gemm(Interface interface)
      : interface_(std::move(interface)), dtype_(interface_.outputs.front().second.dtype) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(seed, dtype_);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(axes, inputs, dtype_, outputs);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    const std::uint64_t n = constant("N");
    const std::uint64_t k = constant("K");
    constexpr std::uint64_t kBytes = sizeof(std::uint16_t);
    return make_stress_trial(seed, index, n * k * kBytes, (n + k) * kBytes, largest_bytes);
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes,
                                std::span<const ConstArgument> /*inputs*/) const override {
    const auto m = static_cast<double>(*task::find(axes, "M"));
    const auto n = static_cast<double>(*task::find(axes, "N"));
    const auto k = static_cast<double>(*task::find(axes, "K"));
    return {.bytes = sizeof(std::uint16_t) * (m * k + n * k + m * n), .operations = 2 * m * n * k};
  }

  // For reports; `compare` adds what accumulating may cost.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output == kC);
    return {.relative = kRoundings * half_roundoff(dtype_),
            .absolute_of_rms = 0,
            .norm = std::numeric_limits<double>::infinity(),
            .norm_axes = 0,
            .error_ratio = 1.5,
            .usual_part = 0.9};
  }

  [[nodiscard]] std::optional<tensor::Mismatch> compare(const task::AxisValues& axes,
                                                        std::span<const ConstArgument> /*inputs*/, std::size_t output,
                                                        const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected) const override {
    ASSAY_CHECK(output == kC && expected.size() >= kExpectedCount);
    const auto columns = static_cast<std::size_t>(*task::find(axes, "N"));
    const auto depth = static_cast<double>(*task::find(axes, "K"));
    const double accumulation = kFloat32Roundoff * (kAccumulation + std::sqrt(depth));
    const double smallest = smallest_half(dtype_);
    return compare_within(got, expected[kC], rule(output), [&](std::size_t flat) {
      const double magnitude = expected[kRowNorms][flat / columns] * expected[kColumnNorms][flat % columns];
      return accumulation * magnitude + smallest;
    });
  }

 private:
  [[nodiscard]] std::uint64_t constant(std::string_view name) const {
    const auto* value = task::find(interface_.axes, name);
    ASSAY_CHECK(value != nullptr && value->has_value());
    return static_cast<std::uint64_t>(**value);
  }

  Interface interface_;
  tensor::DType dtype_;
};

bool says_product(const task::Definition& definition) {
  using Statements = std::vector<std::string>;
  const std::optional<Statements> statements = reference_statements(definition.reference);
  if (!statements || statements->size() < 2 || statements->front() != "def run ( A , B ) :") {
    return false;
  }
  const Statements body(statements->begin() + 1, statements->end());
  for (const std::string product : {"torch . matmul ( A , B . T )", "np . matmul ( A , B . T )", "A @ B . T"}) {
    if (body == Statements{"return " + product} || body == Statements{"C = " + product, "return C"}) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::shared_ptr<const Operator> recognise(const task::Definition& definition) {
  if (definition.op_type != "gemm" || definition.inputs.empty()) {
    return nullptr;
  }
  const tensor::DType dtype = definition.inputs.front().second.dtype;
  const auto constant = [&definition](std::string_view name) {
    const task::Axis* axis = task::find(definition.axes, name);
    return axis != nullptr && axis->kind == task::Axis::Kind::constant && axis->value > 0;
  };
  if ((dtype != tensor::DType::float16 && dtype != tensor::DType::bfloat16) || !constant("N") || !constant("K")) {
    return nullptr;
  }
  Interface interface = make_interface(definition);
  if (!operators::check_interface(interface, definition) || !says_product(definition)) {
    return nullptr;
  }
  const task::Axis* rows = task::find(definition.axes, "M");
  return rows != nullptr && rows->kind == task::Axis::Kind::variable && definition.axes.size() == 3
             ? std::make_shared<const Gemm>(std::move(interface))
             : nullptr;
}

}  // namespace assay::operators::gemm
