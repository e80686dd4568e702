#include <assay/operators/generic/generator.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/task/expression.hpp>
#include <assay/tensor/comparison.hpp>

namespace assay::operators::generic {
namespace {

enum Kind : std::size_t { kRandom, kZeros, kLarge, kSmall, kMixedSigns, kOneHuge };

constexpr int kDraws = 32;

template <class T>
void fill_integers(base::Philox& random, std::span<std::byte> bytes, std::int64_t first, std::uint64_t count) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    store(bytes, i, static_cast<T>(first + static_cast<std::int64_t>(random.next_below(count))));
  }
}

void fill_random(base::Philox& random, NormalPool& pool, const tensor::View& view) {
  switch (view.dtype) {
    case tensor::DType::boolean:
      return fill_integers<std::uint8_t>(random, view.bytes, 0, 2);
    case tensor::DType::int8:
      return fill_integers<std::int8_t>(random, view.bytes, -128, 256);
    case tensor::DType::uint8:
      return fill_integers<std::uint8_t>(random, view.bytes, 0, 256);
    case tensor::DType::uint32:
      return fill_integers<std::uint32_t>(random, view.bytes, 0, 2048);
    case tensor::DType::int16:
      return fill_integers<std::int16_t>(random, view.bytes, -1024, 2048);
    case tensor::DType::int32:
      return fill_integers<std::int32_t>(random, view.bytes, -1024, 2048);
    case tensor::DType::int64:
      return fill_integers<std::int64_t>(random, view.bytes, -1024, 2048);
    default:
      if (!tensor::is_floating(view.dtype)) {
        base::check_failed("a dtype that can be generated", __FILE__, __LINE__);
      }
      pool.fill(random, view.dtype, view.bytes);
  }
}

void set_element(const tensor::View& view, std::size_t index, float value) {
  switch (view.dtype) {
    case tensor::DType::float64:
      return store(view.bytes, index, static_cast<double>(value));
    case tensor::DType::float32:
      return store(view.bytes, index, value);
    case tensor::DType::float16:
      return store(view.bytes, index, tensor::to_float16(value));
    case tensor::DType::bfloat16:
      return store(view.bytes, index, tensor::to_bfloat16(value));
    case tensor::DType::float8_e4m3fn:
      return store(view.bytes, index, tensor::to_float8_e4m3fn(std::clamp(value, -448.0F, 448.0F)));
    case tensor::DType::float8_e5m2:
      return store(view.bytes, index, tensor::to_float8_e5m2(std::clamp(value, -57344.0F, 57344.0F)));
    case tensor::DType::float4_e2m1: {
      const auto old = load<std::uint8_t>(view.bytes, index / 2);
      const std::uint8_t code = tensor::to_float4_e2m1(value);
      const bool low = index % 2 == 0;
      return store(view.bytes, index / 2,
                   static_cast<std::uint8_t>(low ? (old & 0xf0U) | code : (old & 0x0fU) | code << 4U));
    }
    default:
      base::check_failed("a floating dtype", __FILE__, __LINE__);
  }
}

template <class Change>
void change_all(const tensor::View& view, Change change) {
  const std::size_t count = tensor::element_count(view.shape);
  for (std::size_t i = 0; i < count; ++i) {
    set_element(view, i, change(i, static_cast<float>(tensor::element(tensor::as_const(view), i))));
  }
}

// How far the type leaves room above and below N(0, 1), so that what is computed from it mostly stays finite.
float stretch(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::float64:
    case tensor::DType::float32:
    case tensor::DType::bfloat16:
      return 1024;
    case tensor::DType::float4_e2m1:
      return 2;
    default:
      return 8;
  }
}

void make_difficult(base::Philox& random, Kind kind, const tensor::View& view) {
  const std::size_t count = tensor::element_count(view.shape);
  if (kind == kZeros) {
    std::fill(view.bytes.begin(), view.bytes.end(), std::byte{0});
    return;
  }
  if (!tensor::is_floating(view.dtype) || count == 0 || kind == kRandom) {
    return;
  }
  const float factor = stretch(view.dtype);
  switch (kind) {
    case kLarge:
      return change_all(view, [factor](std::size_t, float value) { return value * factor; });
    case kSmall:
      return change_all(view, [factor](std::size_t, float value) { return value / factor; });
    case kMixedSigns:
      return change_all(view, [](std::size_t i, float value) {
        const float magnitude = 1 + 0.125F * std::fabs(value);
        return i % 2 == 0 ? magnitude : -magnitude;
      });
    default:
      return set_element(view, random.next_below(count), factor * 4);
  }
}

// Bytes of all tensors, or nothing if the axes do not fit the definition.
std::optional<std::uint64_t> bytes_needed(const task::Definition& definition, const task::AxisValues& variable) {
  const auto axes = task::resolve_axes(definition, variable);
  if (!axes) {
    return std::nullopt;
  }
  std::uint64_t bytes = 0;
  for (const auto* section : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *section) {
      if (spec.shape) {
        const auto shape = task::resolve_shape(spec, *axes);
        if (!shape) {
          return std::nullopt;
        }
        bytes += tensor::byte_size(spec.dtype, tensor::element_count(*shape));
      }
    }
  }
  return bytes;
}

bool constraints_hold(const task::Definition& definition, const task::AxisValues& variable) {
  const auto axes = task::resolve_axes(definition, variable);
  return axes && std::all_of(definition.constraints.begin(), definition.constraints.end(), [&](const auto& constraint) {
           const auto value = task::evaluate_expression(constraint, *axes);
           return !value || *value != 0;  // What speaks of contents cannot be decided here.
         });
}

std::size_t smallest_example(const task::Definition& definition, std::span<const task::Workload> examples) {
  std::size_t best = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::uint64_t bytes = bytes_needed(definition, examples[i].axes).value_or(least);
    if (bytes < least) {
      least = bytes;
      best = i;
    }
  }
  return best;
}

std::int64_t vary(base::Philox& random, std::int64_t value) {
  constexpr std::array<std::int64_t, 5> kPrimes = {3, 7, 13, 31, 61};
  switch (random.next_below(6)) {
    case 0:
      return 1;
    case 1:
      return 2;
    case 2:
      return std::max<std::int64_t>(1, value - 1);
    case 3:
      return value + 1;
    case 4:
      return kPrimes[random.next_below(kPrimes.size())];
    default:
      return value;
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed) : seed_(seed), pool_(seed, "generic.pool") {}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  base::Philox random(seed_,
                      base::mix(base::mix(base::stream_id("generic.call"), base::stream_id(workload.uuid)), call));
  for (const Argument& argument : arguments) {
    if (const auto* view = std::get_if<tensor::View>(&argument)) {
      fill_random(random, pool_, *view);
    }
  }
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  ASSAY_CHECK(kind < kStressKinds.size());
  fill(workload, call, arguments);
  base::Philox random(seed_,
                      base::mix(base::mix(base::stream_id("generic.stress"), base::stream_id(workload.uuid)), call));
  for (const Argument& argument : arguments) {
    if (const auto* view = std::get_if<tensor::View>(&argument)) {
      make_difficult(random, static_cast<Kind>(kind), *view);
    }
  }
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  std::vector<const tensor::View*> floating;
  for (const Argument& argument : arguments) {
    const auto* view = std::get_if<tensor::View>(&argument);
    if (view != nullptr && tensor::is_floating(view->dtype) && tensor::element_count(view->shape) > 0) {
      floating.push_back(view);
    }
  }
  if (floating.empty()) {
    return;
  }
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("generic.perturb"), which), call));
  const tensor::View& view = *floating[which % floating.size()];
  const std::size_t at = random.next_below(tensor::element_count(view.shape));
  const auto old = static_cast<float>(tensor::element(tensor::as_const(view), at));
  // Another sign and another size: what depends on it at all mostly shows.
  set_element(view, at, old > 0 ? -old - 4 : 4 - old);
}

StressTrial make_stress_trial(const task::Definition& definition, std::span<const task::Workload> examples,
                              std::uint64_t seed, std::uint64_t index, std::uint64_t largest_bytes) {
  ASSAY_CHECK(!examples.empty());
  base::Philox random(seed, base::mix(base::stream_id("generic.stress_trial"), index));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  bool found = false;
  for (int draw = 0; draw < kDraws && !found; ++draw) {
    trial.workload = examples[random.next_below(examples.size())];
    for (auto& [name, value] : trial.workload.axes) {
      value = vary(random, value);
    }
    const auto bytes = bytes_needed(definition, trial.workload.axes);
    found = bytes && *bytes <= largest_bytes && constraints_hold(definition, trial.workload.axes);
  }
  if (!found) {
    trial.workload = examples[smallest_example(definition, examples)];
  }
  trial.workload.uuid = fmt::format("stress-{}-{:x}-{}", definition.name, seed, index);
  return trial;
}

tensor::ComparisonRule rule(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::float64:
      return {.relative = 1e-9, .absolute_of_rms = 1e-9, .norm = 1e-9, .norm_axes = 0};
    case tensor::DType::float32:
      return {.relative = 1e-4,
              .absolute_of_rms = 1e-4,
              .norm = 5e-5,
              .norm_axes = 0,
              .error_ratio = 3,
              .working = 1e-5,
              .usual_part = 0.75};
    case tensor::DType::float16:
      return {.relative = 0x1p-9,
              .absolute_of_rms = 0x1p-9,
              .norm = 0x1p-10,
              .norm_axes = 0,
              .error_ratio = 2,
              .working = 0x1p-12,
              .usual_part = 0.75};
    case tensor::DType::bfloat16:
      return {.relative = 0x1p-6,
              .absolute_of_rms = 0x1p-6,
              .norm = 0x1p-7,
              .norm_axes = 0,
              .error_ratio = 2,
              .working = 0x1p-9,
              .usual_part = 0.75};
    case tensor::DType::float8_e4m3fn:
      return {.relative = 0x1p-3, .absolute_of_rms = 0x1p-5, .norm = 0x1p-4, .norm_axes = 0};
    case tensor::DType::float8_e5m2:
      return {.relative = 0x1p-2, .absolute_of_rms = 0x1p-4, .norm = 0x1p-3, .norm_axes = 0};
    case tensor::DType::float4_e2m1:
      return {.relative = 0x1p-1, .absolute_of_rms = 0x1p-2, .norm = 0x1p-2, .norm_axes = 0};
    default:
      return {};  // Integers and booleans are compared exactly.
  }
}

}  // namespace assay::operators::generic
