#include <assay/operators/rmsnorm/operator.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/operators/half_elements.hpp>
#include <assay/operators/reference_statements.hpp>
#include <assay/operators/rmsnorm/generator.hpp>
#include <assay/operators/rmsnorm/reference.hpp>
#include <assay/operators/within.hpp>

namespace assay::operators::rmsnorm {
namespace {

// docs/operators/rmsnorm.md has the measured errors that this stands on: the output rounds once, and a second rounding
// must show.
constexpr double kRoundings = 1.25;

Interface make_interface(const task::Definition& definition, const Variant& variant, tensor::DType dtype) {
  const std::vector<std::string> row{"batch_size", "hidden_size"};
  Interface interface;
  interface.name = definition.name;
  const task::Axis* width = task::find(definition.axes, "hidden_size");
  interface.axes = {{"batch_size", std::nullopt}, {"hidden_size", width->value}};
  interface.inputs.emplace_back("hidden_states", Interface::Argument{row, dtype});
  if (variant.adds_residual) {
    interface.inputs.emplace_back("residual", Interface::Argument{row, dtype});
  }
  interface.inputs.emplace_back("weight", Interface::Argument{std::vector<std::string>{"hidden_size"}, dtype});
  interface.outputs = {{"output", {row, dtype}}};
  return interface;
}

class RmsNorm final : public Operator {
 public:
  RmsNorm(Interface interface, const Variant& variant)
      : interface_(std::move(interface)), variant_(variant), dtype_(interface_.outputs.front().second.dtype) {}

  [[nodiscard]] const Interface& interface() const override { return interface_; }

  [[nodiscard]] std::unique_ptr<InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<Generator>(seed, variant_, dtype_);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes, std::span<const ConstArgument> inputs,
                                             std::vector<ExpectedValues>& outputs) const override {
    return compute_reference(axes, inputs, variant_, dtype_, outputs);
  }

  [[nodiscard]] std::span<const StressKind> stress_kinds() const override { return kStressKinds; }

  [[nodiscard]] StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                         std::uint64_t largest_bytes) const override {
    const auto* width = task::find(interface_.axes, "hidden_size");
    ASSAY_CHECK(width != nullptr && width->has_value());
    const std::uint64_t row = variant_.inputs() * static_cast<std::uint64_t>(**width);
    return make_stress_trial(seed, index, row * sizeof(std::uint16_t), largest_bytes);
  }

  [[nodiscard]] Work least_work(const task::AxisValues& axes,
                                std::span<const ConstArgument> /*inputs*/) const override {
    const auto width = static_cast<double>(*task::find(axes, "hidden_size"));
    const double elements = width * static_cast<double>(*task::find(axes, "batch_size"));
    // Rows in and out, and the weight; a square, its sum, and two products for each element, one more sum with a
    // residual.
    return {.bytes = sizeof(std::uint16_t) * (static_cast<double>(variant_.inputs()) * elements + width),
            .operations = elements * (variant_.adds_residual ? 5 : 4)};
  }

  // For reports; `compare` adds the smallest number that the type holds.
  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output == 0);
    return {.relative = kRoundings * half_roundoff(dtype_),
            .absolute_of_rms = 0,
            .norm = std::numeric_limits<double>::infinity(),
            .norm_axes = 0,
            .error_ratio = 1.25,
            .working = 1e-5,
            .usual_part = 0.9};
  }

  [[nodiscard]] std::optional<tensor::Mismatch> compare(const task::AxisValues& /*axes*/,
                                                        std::span<const ConstArgument> /*inputs*/, std::size_t output,
                                                        const tensor::ConstView& got,
                                                        std::span<const ExpectedValues> expected) const override {
    const double smallest = smallest_half(dtype_);
    return compare_within(got, expected[output], rule(output), [smallest](std::size_t /*flat*/) { return smallest; });
  }

 private:
  Interface interface_;
  Variant variant_;
  tensor::DType dtype_;
};

// Takes the statement "EPS = <number>" out of `body`.
std::optional<double> take_epsilon(std::vector<std::string>& body) {
  constexpr std::string_view kStart = "EPS = ";
  for (auto statement = body.begin(); statement != body.end(); ++statement) {
    if (!statement->starts_with(kStart)) {
      continue;
    }
    double value = -1;
    const char* end = statement->data() + statement->size();
    const auto [stop, error] = std::from_chars(statement->data() + kStart.size(), end, value);
    if (error != std::errc() || stop != end || !(value > 0 && value < 1)) {
      return std::nullopt;
    }
    body.erase(statement);
    return value;
  }
  return std::nullopt;
}

std::optional<Variant> read_variant(const task::Definition& definition) {
  using Statements = std::vector<std::string>;
  std::optional<Statements> body = reference_statements(definition.reference);
  if (!body) {
    return std::nullopt;
  }
  Variant variant;
  variant.adds_residual = definition.inputs.size() == 3;
  const std::optional<double> epsilon = take_epsilon(*body);
  const std::string residual = variant.adds_residual ? " + residual . to ( torch . float32 )" : "";
  const Statements wanted = {variant.adds_residual ? "def run ( hidden_states , residual , weight ) :"
                                                   : "def run ( hidden_states , weight ) :",
                             "x = hidden_states . to ( torch . float32 )" + residual,
                             "inv_rms = torch . rsqrt ( x . pow ( 2 ) . mean ( dim = - 1 , keepdim = True ) + EPS )",
                             "y = ( x * inv_rms ) * weight . to ( torch . float32 )",
                             "return y . to ( hidden_states . dtype )"};
  if (!epsilon || *body != wanted) {
    return std::nullopt;
  }
  variant.epsilon = *epsilon;
  return variant;
}

}  // namespace

std::shared_ptr<const Operator> recognise(const task::Definition& definition) {
  const task::Axis* width = task::find(definition.axes, "hidden_size");
  if (definition.op_type != "rmsnorm" || definition.inputs.empty() || width == nullptr ||
      width->kind != task::Axis::Kind::constant || width->value <= 0) {
    return nullptr;
  }
  const tensor::DType dtype = definition.inputs.front().second.dtype;
  if (dtype != tensor::DType::float16 && dtype != tensor::DType::bfloat16) {
    return nullptr;
  }
  const std::optional<Variant> variant = read_variant(definition);
  if (!variant) {
    return nullptr;
  }
  Interface interface = make_interface(definition, *variant, dtype);
  return operators::check_interface(interface, definition)
             ? std::make_shared<const RmsNorm>(std::move(interface), *variant)
             : nullptr;
}

}  // namespace assay::operators::rmsnorm
