#include <assay/task/launch_plan.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include <assay/base/json.hpp>
#include <assay/base/text.hpp>
#include <assay/task/decoder.hpp>
#include <assay/task/expression.hpp>

namespace assay::task {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 7> kParameterTypes = {"bool",   "int32",   "int64",  "uint32",
                                                             "uint64", "float32", "float64"};
constexpr std::uint64_t kLargestPlan = std::uint64_t{1} << 20U;

std::string read_expression(const Node& node) {
  const bool is_text = node.present() && node.json().is_string();
  if (!is_text) {
    return std::to_string(node.integer());
  }
  std::string text = node.text(TextRule::non_empty);
  if (const auto good = check_expression(text); !good && !text.empty()) {
    node.problem(good.error().message);
  }
  return text;
}

std::vector<std::string> read_extents(const Node& node) {
  std::vector<std::string> extents;
  if (!node.present()) {
    return extents;
  }
  for (const Node& extent : node.items(1)) {
    extents.push_back(read_expression(extent));
  }
  if (extents.size() > 3) {
    node.problem("has more than three extents: give x, y and z");
  }
  return extents;
}

ParameterType read_type(Fields& fields) {
  return static_cast<ParameterType>(fields.required("type").word(kParameterTypes));
}

PlanValue read_value(Fields& fields, const Node& value) {
  PlanValue read;
  if (value.json().is_number_float()) {
    read.value = value.number();
  } else {
    read.value = read_expression(value);
  }
  const std::size_t before = value.problem_count();
  read.type = read_type(fields);
  if (std::holds_alternative<double>(read.value) && !is_floating(read.type) && value.problem_count() == before) {
    value.problem("is no integer: give one, or the type float32 or float64");
  }
  return read;
}

LaunchArgument read_argument(const Node& node) {
  Fields fields(node);
  LaunchArgument read = InputPointer{};
  int kinds = 0;
  if (const Node input = fields.optional("input"); input.present()) {
    read = InputPointer{input.text(TextRule::non_empty)};
    ++kinds;
  }
  if (const Node output = fields.optional("output"); output.present()) {
    read = OutputPointer{output.text(TextRule::non_empty)};
    ++kinds;
  }
  if (const Node scalar = fields.optional("scalar"); scalar.present()) {
    std::string name = scalar.text(TextRule::non_empty);
    read = ScalarValue{std::move(name), read_type(fields)};
    ++kinds;
  }
  if (const Node value = fields.optional("value"); value.present()) {
    read = read_value(fields, value);
    ++kinds;
  }
  if (const Node scratch = fields.optional("scratch"); scratch.present()) {
    read = ScratchPointer{read_expression(scratch)};
    ++kinds;
  }
  if (kinds != 1 && node.is_object()) {
    node.problem("must have one of input, output, scalar, value and scratch");
  }
  fields.refuse_others();
  return read;
}

// What a name may hold in an object that a compiler made; the driver looks it up.
bool is_kernel_name(std::string_view name) {
  return name.size() <= kLongestKernelName &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
}

Launch read_launch(const Node& node) {
  Launch launch;
  Fields fields(node);
  const Node kernel = fields.required("kernel");
  launch.kernel = kernel.text(TextRule::non_empty);
  if (!is_kernel_name(launch.kernel)) {
    kernel.problem(fmt::format("must be at most {} printable ASCII characters", kLongestKernelName));
  }
  launch.grid = read_extents(fields.required("grid"));
  launch.block = read_extents(fields.required("block"));
  launch.cluster = read_extents(fields.optional("cluster"));
  if (const Node shared = fields.optional("shared_bytes"); shared.present()) {
    launch.shared_bytes = read_expression(shared);
  }
  if (const Node cooperative = fields.optional("cooperative"); cooperative.present()) {
    launch.cooperative = cooperative.boolean();
  }
  const Node arguments = fields.required("arguments");
  for (const Node& argument : arguments.items()) {
    launch.arguments.push_back(read_argument(argument));
  }
  if (launch.arguments.size() > kMostLaunchArguments) {
    arguments.problem(fmt::format("has more than {} arguments: give some of them in one structure in scratch memory",
                                  kMostLaunchArguments));
  }
  fields.refuse_others();
  return launch;
}

LaunchPlan read_one_plan(const Node& node) {
  LaunchPlan plan;
  Fields fields(node);
  if (const Node scratch = fields.optional("scratch_bytes"); scratch.present()) {
    plan.scratch_bytes = read_expression(scratch);
  }
  const Node launches = fields.required("launches");
  const std::vector<Node> all = launches.items(1);
  if (all.size() > kMostLaunches) {
    launches.problem(fmt::format("has more than {} launches: put some of them into one kernel", kMostLaunches));
  } else {
    for (const Node& launch : all) {
      plan.launches.push_back(read_launch(launch));
    }
  }
  fields.refuse_others();
  return plan;
}

template <class T>
ResolvedValue bits_of(T value) {
  ResolvedValue made;
  std::memcpy(&made.bits, &value, sizeof value);
  made.size = sizeof value;
  return made;
}

template <class T>
std::optional<ResolvedValue> integer_bits(std::int64_t value) {
  if constexpr (sizeof(T) < sizeof(value)) {
    if (value < std::int64_t{std::numeric_limits<T>::min()} || value > std::int64_t{std::numeric_limits<T>::max()}) {
      return std::nullopt;
    }
  } else if (std::is_unsigned_v<T> && value < 0) {
    return std::nullopt;
  }
  return bits_of(static_cast<T>(value));
}

}  // namespace

std::string_view to_string(ParameterType type) { return kParameterTypes.at(static_cast<std::size_t>(type)); }

bool is_floating(ParameterType type) { return type == ParameterType::float32 || type == ParameterType::float64; }

std::size_t size_of(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return 1;
    case ParameterType::int32:
    case ParameterType::uint32:
    case ParameterType::float32:
      return 4;
    case ParameterType::int64:
    case ParameterType::uint64:
    case ParameterType::float64:
      return 8;
  }
  base::check_failed("a type of the enumeration", __FILE__, __LINE__);
}

std::optional<ResolvedValue> parameter_value(std::int64_t value, ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return value == 0 || value == 1 ? std::optional(bits_of(static_cast<std::uint8_t>(value))) : std::nullopt;
    case ParameterType::int32:
      return integer_bits<std::int32_t>(value);
    case ParameterType::int64:
      return integer_bits<std::int64_t>(value);
    case ParameterType::uint32:
      return integer_bits<std::uint32_t>(value);
    case ParameterType::uint64:
      return integer_bits<std::uint64_t>(value);
    case ParameterType::float32:
      return bits_of(static_cast<float>(value));
    case ParameterType::float64:
      return bits_of(static_cast<double>(value));
  }
  return std::nullopt;
}

std::optional<ResolvedValue> parameter_value(double value, ParameterType type) {
  if (type == ParameterType::float64) {
    return bits_of(value);
  }
  if (type != ParameterType::float32 ||
      (std::isfinite(value) && std::fabs(value) > double{std::numeric_limits<float>::max()})) {
    return std::nullopt;
  }
  return bits_of(static_cast<float>(value));
}

base::Result<LaunchPlan> read_launch_plan(const Solution& solution) {
  const std::string file = solution.entry_file();
  const auto source = std::find_if(solution.sources.begin(), solution.sources.end(),
                                   [&](const SourceFile& one) { return one.path == file; });
  if (source == solution.sources.end() || source->content.size() > kLargestPlan) {
    return base::input_error("launch_plan", fmt::format("{}: a launch plan is one of the sources, of at most {}",
                                                        base::printable(file), base::human_bytes(kLargestPlan)));
  }
  ASSAY_TRY_ASSIGN(const base::Json json, base::parse_json(source->content, file));
  const std::string symbol = solution.entry_symbol();
  const auto read = [&](const Node& node) {
    Fields fields(node);
    const Node plan = fields.required(symbol);
    return plan.present() ? read_one_plan(plan) : LaunchPlan{};
  };
  ASSAY_TRY_ASSIGN(LaunchPlan plan, as_result(decode_whole(json, Coercion::strict, read), file));
  plan.source = fmt::format("{}: /{}", file, base::pointer_token(symbol));
  return plan;
}

}  // namespace assay::task
