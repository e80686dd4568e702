#include <fmt/core.h>

#include <limits>

#include <assay/base/text.hpp>
#include <assay/task/expression.hpp>
#include <assay/task/launch_plan.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::task {

namespace {

// Everything that a place in a plan is resolved with.
class Resolver {
 public:
  Resolver(const LaunchPlan& plan, const Definition& definition, const AxisValues& axes,
           const Named<std::int64_t>& parameters)
      : plan_(plan), definition_(definition), values_(axes) {
    for (const auto& [name, value] : parameters) {
      if (find(axes, name) != nullptr) {
        ambiguous_ = name;
      }
      values_.emplace_back(name, value);
    }
  }

  base::Result<ResolvedPlan> resolve() {
    if (!ambiguous_.empty()) {
      return fault("", fmt::format("\"{}\" is an axis of the definition and a parameter of the solution: rename the "
                                   "parameter",
                                   base::printable(ambiguous_)));
    }
    ASSAY_TRY_ASSIGN(const std::int64_t scratch,
                     number(plan_.scratch_bytes, "/scratch_bytes", 0, static_cast<std::int64_t>(kMostScratchBytes)));
    resolved_.scratch_bytes = static_cast<std::uint64_t>(scratch);
    for (std::size_t at = 0; at < plan_.launches.size(); ++at) {
      ASSAY_TRY_ASSIGN(ResolvedLaunch launch, resolve(plan_.launches[at], fmt::format("/launches/{}", at)));
      resolved_.launches.push_back(std::move(launch));
    }
    return std::move(resolved_);
  }

 private:
  [[nodiscard]] tl::unexpected<base::Error> fault(std::string_view place, std::string_view what) const {
    return base::input_error("launch_plan", fmt::format("{}{}: {}", plan_.source, place, what));
  }

  // The values of the names that an expression uses, for a message.
  [[nodiscard]] std::string with_values(const std::string& expression) const {
    std::string text;
    for (const auto& [name, value] : values_) {
      if (expression.find(name) != std::string::npos && text.size() < 200) {
        text += fmt::format("{}{} = {}", text.empty() ? ", with " : ", ", name, value);
      }
    }
    return text;
  }

  [[nodiscard]] base::Result<std::int64_t> number(const std::string& expression, const std::string& place,
                                                  std::int64_t least, std::int64_t most) const {
    const auto value = evaluate_expression(expression, values_);
    if (!value) {
      return fault(place, value.error().message + with_values(expression) +
                              ": it may use the definition's axes and the solution's parameters");
    }
    if (*value < least || *value > most) {
      return fault(place, fmt::format("\"{}\" is {}{}, and must be from {} to {}: correct it",
                                      base::printable(expression), *value, with_values(expression), least, most));
    }
    return *value;
  }

  [[nodiscard]] base::Result<std::array<std::uint32_t, 3>> extents(const std::vector<std::string>& list,
                                                                   const std::string& place,
                                                                   const std::array<std::int64_t, 3>& most) const {
    std::array<std::uint32_t, 3> resolved = {1, 1, 1};
    for (std::size_t axis = 0; axis < list.size(); ++axis) {
      ASSAY_TRY_ASSIGN(const std::int64_t value, number(list[axis], fmt::format("{}/{}", place, axis), 1, most[axis]));
      resolved[axis] = static_cast<std::uint32_t>(value);
    }
    return resolved;
  }

  static std::uint64_t product(const std::array<std::uint32_t, 3>& extents) {
    return std::uint64_t{extents[0]} * extents[1] * extents[2];
  }

  base::Result<ResolvedLaunch> resolve(const Launch& launch, const std::string& place) {
    constexpr std::int64_t kMostGridX = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t kMostGridYz = 65535;
    constexpr std::int64_t kMostThreads = 1024;
    constexpr std::int64_t kMostThreadsZ = 64;
    constexpr std::int64_t kMostCluster = 8;
    ResolvedLaunch resolved;
    ASSAY_TRY_ASSIGN(resolved.grid, extents(launch.grid, place + "/grid", {kMostGridX, kMostGridYz, kMostGridYz}));
    ASSAY_TRY_ASSIGN(resolved.block,
                     extents(launch.block, place + "/block", {kMostThreads, kMostThreads, kMostThreadsZ}));
    if (product(resolved.block) > kMostThreads) {
      return fault(place + "/block", fmt::format("has {} threads, and a block has at most {}: make it smaller",
                                                 product(resolved.block), kMostThreads));
    }
    if (!launch.cluster.empty()) {
      ASSAY_TRY_ASSIGN(resolved.cluster,
                       extents(launch.cluster, place + "/cluster", {kMostCluster, kMostCluster, kMostCluster}));
      if (product(resolved.cluster) > kMostCluster) {
        return fault(place + "/cluster", fmt::format("has {} blocks, and a cluster has at most {}: make it smaller",
                                                     product(resolved.cluster), kMostCluster));
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (resolved.grid[axis] % resolved.cluster[axis] != 0) {
          return fault(fmt::format("{}/grid/{}", place, axis),
                       fmt::format("is {}, which is no multiple of the cluster's {}: round it up", resolved.grid[axis],
                                   resolved.cluster[axis]));
        }
      }
    }
    ASSAY_TRY_ASSIGN(const std::int64_t shared,
                     number(launch.shared_bytes, place + "/shared_bytes", 0, kMostSharedBytes));
    resolved.shared_bytes = static_cast<std::uint32_t>(shared);
    resolved.cooperative = launch.cooperative;
    for (std::size_t at = 0; at < launch.arguments.size(); ++at) {
      const std::string where = fmt::format("{}/arguments/{}", place, at);
      ASSAY_TRY_ASSIGN(ResolvedArgument argument,
                       std::visit([&](const auto& one) { return resolve_argument(one, where); }, launch.arguments[at]));
      resolved.arguments.push_back(argument);
    }
    return resolved;
  }

  [[nodiscard]] static std::optional<std::size_t> index_of(const Named<TensorSpec>& specs, const std::string& name) {
    for (std::size_t at = 0; at < specs.size(); ++at) {
      if (specs[at].first == name) {
        return at;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] tl::unexpected<base::Error> unknown(const std::string& place, const std::string& name,
                                                    const Named<TensorSpec>& specs, const char* what) const {
    std::vector<std::string> known;
    for (const auto& [other, spec] : specs) {
      known.push_back(other);
    }
    return fault(place, fmt::format("the definition has no {} \"{}\": it has {}", what, base::printable(name),
                                    base::join(known, ", ")));
  }

  [[nodiscard]] base::Result<ResolvedArgument> resolve_argument(const InputPointer& pointer,
                                                                const std::string& place) const {
    const std::optional<std::size_t> at = index_of(definition_.inputs, pointer.input);
    if (!at) {
      return unknown(place + "/input", pointer.input, definition_.inputs, "input");
    }
    if (!definition_.inputs[*at].second.shape) {
      return fault(place + "/input", fmt::format("\"{}\" is a scalar: pass it as {{\"scalar\": \"{}\", \"type\": …}}",
                                                 pointer.input, pointer.input));
    }
    return ResolvedPointer{*at};
  }

  [[nodiscard]] base::Result<ResolvedArgument> resolve_argument(const OutputPointer& pointer,
                                                                const std::string& place) const {
    const std::optional<std::size_t> at = index_of(definition_.outputs, pointer.output);
    if (!at) {
      return unknown(place + "/output", pointer.output, definition_.outputs, "output");
    }
    return ResolvedPointer{definition_.inputs.size() + *at};
  }

  [[nodiscard]] base::Result<ResolvedArgument> resolve_argument(const ScalarValue& scalar,
                                                                const std::string& place) const {
    const std::optional<std::size_t> at = index_of(definition_.inputs, scalar.input);
    if (!at) {
      return unknown(place + "/scalar", scalar.input, definition_.inputs, "input");
    }
    const TensorSpec& spec = definition_.inputs[*at].second;
    if (spec.shape) {
      return fault(place + "/scalar",
                   fmt::format("\"{}\" is a tensor: pass it as {{\"input\": \"{}\"}}", scalar.input, scalar.input));
    }
    if (tensor::is_floating(spec.dtype) && !is_floating(scalar.type)) {
      return fault(place + "/type", fmt::format("\"{}\" is a {}: pass it as float32 or float64", scalar.input,
                                                tensor::to_string(spec.dtype)));
    }
    return ResolvedScalar{*at, scalar.type};
  }

  [[nodiscard]] base::Result<ResolvedArgument> resolve_argument(const PlanValue& given,
                                                                const std::string& place) const {
    std::optional<ResolvedValue> made;
    std::string text;
    if (const auto* real = std::get_if<double>(&given.value)) {
      made = parameter_value(*real, given.type);
      text = fmt::format("{}", *real);
    } else {
      constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
      constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
      ASSAY_TRY_ASSIGN(const std::int64_t value,
                       number(std::get<std::string>(given.value), place + "/value", kLeast, kMost));
      made = parameter_value(value, given.type);
      text = std::to_string(value);
    }
    if (!made) {
      return fault(place + "/value", fmt::format("{} does not fit {}: give a wider type", text, to_string(given.type)));
    }
    return *made;
  }

  [[nodiscard]] base::Result<ResolvedArgument> resolve_argument(const ScratchPointer& pointer,
                                                                const std::string& place) const {
    if (resolved_.scratch_bytes == 0) {
      return fault(place + "/scratch", "the plan has no scratch memory: declare scratch_bytes");
    }
    ASSAY_TRY_ASSIGN(const std::int64_t offset, number(pointer.offset, place + "/scratch", 0,
                                                       static_cast<std::int64_t>(resolved_.scratch_bytes) - 1));
    return ResolvedScratch{static_cast<std::uint64_t>(offset)};
  }

  const LaunchPlan& plan_;
  const Definition& definition_;
  Named<std::int64_t> values_;
  std::string ambiguous_;
  ResolvedPlan resolved_;
};

}  // namespace

base::Result<ResolvedPlan> resolve_launch_plan(const LaunchPlan& plan, const Definition& definition,
                                               const AxisValues& axes, const Named<std::int64_t>& parameters) {
  return Resolver(plan, definition, axes, parameters).resolve();
}

}  // namespace assay::task
