#include <assay/verify/any_operator.hpp>

#include <fmt/core.h>

#include <mutex>
#include <utility>

#include <assay/base/json.hpp>
#include <assay/operators/generic/generator.hpp>
#include <assay/task/codec.hpp>
#include <assay/verify/reference_cache.hpp>

#include <nlohmann/json.hpp>

namespace assay::verify {
namespace {

namespace generic = operators::generic;

operators::Interface interface_of(const task::Definition& definition) {
  operators::Interface interface;
  interface.name = definition.name;
  for (const auto& [name, axis] : definition.axes) {
    interface.axes.emplace_back(name,
                                axis.kind == task::Axis::Kind::constant ? std::optional(axis.value) : std::nullopt);
  }
  for (const auto& [name, spec] : definition.inputs) {
    interface.inputs.emplace_back(name, operators::Interface::Argument{spec.shape, spec.dtype});
  }
  for (const auto& [name, spec] : definition.outputs) {
    interface.outputs.emplace_back(name, operators::Interface::Argument{spec.shape, spec.dtype});
  }
  return interface;
}

base::Result<void> check_inputs(const task::Workload& workload) {
  for (const auto& [name, input] : workload.inputs) {
    if (const auto* file = std::get_if<task::SafetensorsInput>(&input)) {
      return base::input_error(
          "workload.safetensors",
          fmt::format("workload {}: /inputs/{} lies in {} (tensor '{}'), and Assay reads no such files for a "
                      "definition that it does not know natively: choose workloads whose inputs are random or scalar",
                      workload.uuid, name, file->path, file->tensor_key));
    }
  }
  return {};
}

class AnyOperator final : public operators::Operator {
 public:
  AnyOperator(const task::Definition& definition, std::span<const task::Workload> examples,
              const AnyOperatorSettings& settings, PythonReference python)
      : definition_(definition),
        interface_(interface_of(definition)),
        examples_(examples.begin(), examples.end()),
        settings_(settings),
        python_(std::move(python)) {
    if (!settings.cache.empty()) {
      cache_.emplace(settings.cache, settings.cache_bytes);
    }
  }

  [[nodiscard]] const operators::Interface& interface() const override { return interface_; }

  [[nodiscard]] base::Result<void> check_workload(const task::Workload& workload) const override {
    return check_inputs(workload);
  }

  [[nodiscard]] std::unique_ptr<operators::InputGenerator> make_generator(std::uint64_t seed) const override {
    return std::make_unique<generic::Generator>(seed);
  }

  [[nodiscard]] std::span<const operators::StressKind> stress_kinds() const override { return generic::kStressKinds; }

  [[nodiscard]] operators::StressTrial stress_trial(std::uint64_t seed, std::uint64_t index,
                                                    std::uint64_t largest_bytes) const override {
    return generic::make_stress_trial(definition_, examples_, seed, index, largest_bytes);
  }

  [[nodiscard]] base::Result<void> reference(const task::AxisValues& axes,
                                             std::span<const operators::ConstArgument> inputs,
                                             std::vector<operators::ExpectedValues>& outputs) const override {
    const std::lock_guard lock(mutex_);
    std::optional<base::Digest> key;
    if (cache_) {
      key = key_of(axes, inputs);
      if (auto known = cache_->load(*key)) {
        outputs = std::move(*known);
        return {};
      }
    }
    if (!python_.alive()) {
      ASSAY_TRY_ASSIGN(python_, PythonReference::start(definition_, settings_.limits));
    }
    ASSAY_TRY(python_.call(axes, inputs, outputs));
    return key ? cache_->store(*key, outputs) : base::Result<void>();
  }

  [[nodiscard]] tensor::ComparisonRule rule(std::size_t output) const override {
    ASSAY_CHECK(output < definition_.outputs.size());
    return generic::rule(definition_.outputs[output].second.dtype);
  }

  // Which inputs matter nobody knows (a table of which one row is read): what is sure is that outputs are written.
  [[nodiscard]] operators::Work least_work(const task::AxisValues& axes,
                                           std::span<const operators::ConstArgument> /*inputs*/) const override {
    operators::Work work;
    for (const auto& [name, spec] : definition_.outputs) {
      const auto shape = task::resolve_shape(spec, axes);
      ASSAY_CHECK(shape.has_value());
      work.bytes += static_cast<double>(tensor::byte_size(spec.dtype, tensor::element_count(*shape)));
    }
    return work;
  }

 private:
  // Everything that the values depend on. The contents stand for workload, seed and call, which they follow from, and
  // also tell perturbed calls from others.
  [[nodiscard]] base::Digest key_of(const task::AxisValues& axes,
                                    std::span<const operators::ConstArgument> inputs) const {
    base::Sha256 hash;
    hash.update_framed("assay reference 1");
    hash.update_framed(base::dump_compact(task::encode(definition_)));
    hash.update_framed(python_.version());
    for (const auto& [name, value] : axes) {
      hash.update_framed(fmt::format("{}={}", name, value));
    }
    for (const operators::ConstArgument& input : inputs) {
      if (const auto* view = std::get_if<tensor::ConstView>(&input)) {
        hash.update_framed(fmt::format("tensor {} {}", view->name, view->bytes.size()));
        hash.update(view->bytes);
        continue;
      }
      const auto& scalar = std::get<operators::Scalar>(input);
      hash.update_framed(std::visit(
          [&scalar](auto value) {
            return fmt::format("scalar {} {:.17g}", scalar.index(), static_cast<double>(value));
          },
          scalar));
    }
    return hash.finish();
  }

  task::Definition definition_;
  operators::Interface interface_;
  std::vector<task::Workload> examples_;
  AnyOperatorSettings settings_;
  std::optional<ReferenceCache> cache_;
  mutable std::mutex mutex_;
  mutable PythonReference python_;
};

}  // namespace

base::Result<std::shared_ptr<const operators::Operator>> open_operator(const task::Definition& definition,
                                                                       std::span<const task::Workload> examples,
                                                                       const AnyOperatorSettings& settings) {
  ASSAY_CHECK(!examples.empty());
  if (std::shared_ptr<const operators::Operator> op = operators::find_operator(definition)) {
    ASSAY_TRY(op->check_interface(definition));
    for (const task::Workload& workload : examples) {
      ASSAY_TRY(op->check_workload(workload));
    }
    return op;
  }
  // What is wrong with the request is said before what the machine lacks.
  for (const task::Workload& workload : examples) {
    ASSAY_TRY(check_inputs(workload));
  }
  ASSAY_TRY_ASSIGN(PythonReference python,
                   base::with_context(PythonReference::start(definition, settings.limits),
                                      "Assay does not know this definition natively and runs its reference"));
  return std::make_shared<const AnyOperator>(definition, examples, settings, std::move(python));
}

}  // namespace assay::verify
