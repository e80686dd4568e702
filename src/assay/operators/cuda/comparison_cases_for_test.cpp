#include <assay/operators/cuda/comparison_cases_for_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <assay/operators/cuda/device_check.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::operators::cuda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T, std::size_t n>
T choose(base::Philox& random, const std::array<T, n>& values) {
  return values[random.next_below(n)];
}

/// 1 and a bit less or more.
double near_one(base::Philox& random) {
  const double distance = choose(random, std::array<double, 6>{0, 1e-12, 1e-9, 1e-7, 2e-6, 1e-3});
  return random.next_below(2) == 0 ? 1 - distance : 1 + distance;
}

std::vector<std::byte> stored(tensor::DType dtype, const tensor::Shape& shape, const std::vector<double>& values) {
  std::vector<std::byte> bytes(tensor::byte_size(dtype, values.size()));
  if (dtype == tensor::DType::float64) {
    std::copy_n(std::as_bytes(std::span(values)).data(), bytes.size(), bytes.data());
  } else {
    tensor::write_rounded({"y", dtype, shape, bytes}, values);
  }
  return bytes;
}

tensor::Shape draw_shape(base::Philox& random) {
  if (random.next_below(4) == 0) {
    return {static_cast<std::int64_t>(1 + random.next_below(5000))};
  }
  return {static_cast<std::int64_t>(1 + random.next_below(6)), static_cast<std::int64_t>(1 + random.next_below(5)),
          static_cast<std::int64_t>(1 + random.next_below(80))};
}

tensor::ComparisonRule draw_rule(base::Philox& random, const tensor::Shape& shape) {
  tensor::ComparisonRule rule;
  rule.relative = choose(random, std::array<double, 4>{0, 0x1p-7, 4e-6, 0.3});
  rule.absolute_of_rms = choose(random, std::array<double, 4>{0, 0x1p-5, 4e-5, 1e-12});
  rule.norm = choose(random, std::array<double, 4>{0, 0x1p-7, 1e-4, kInfinity});
  rule.norm_axes = static_cast<int>(random.next_below(shape.size() + 1));
  rule.error_ratio = choose(random, std::array<double, 4>{0, 0, 1.5, 4});
  rule.working = choose(random, std::array<double, 3>{0, 0x1p-8, 0.1});
  rule.usual_part = choose(random, std::array<double, 3>{1, 1, 0.8});
  return rule;
}

/// Moves elements by about what the rule allows each, or scales all errors to about the norm that it allows.
void add_errors(base::Philox& random, const ComparisonCase& one, std::vector<double>& values) {
  const double absolute = one.rule.absolute_of_rms * tensor::root_mean_square(one.expected);
  const std::size_t kind = random.next_below(4);
  if (kind == 0) {
    return;
  }
  const double edge = near_one(random);
  const double part = kind == 1 ? edge : kind == 2 ? 0.01 : 0.3;
  double error = 0;
  double square = 0;
  std::vector<double> moved = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (random.next_below(3) != 0 || !std::isfinite(values[i])) {
      continue;
    }
    const double sign = random.next_below(2) == 0 ? 1 : -1;
    moved[i] += sign * part * (absolute + one.rule.relative * std::fabs(values[i]));
    error += (moved[i] - values[i]) * (moved[i] - values[i]);
    square += values[i] * values[i];
  }
  if (kind == 3 && error > 0 && std::isfinite(one.rule.norm) && std::isfinite(error) && std::isfinite(square)) {
    const double factor = edge * one.rule.norm * std::sqrt(square / error);
    for (std::size_t i = 0; i < values.size(); ++i) {
      moved[i] = std::isfinite(values[i]) ? values[i] + factor * (moved[i] - values[i]) : values[i];
    }
  }
  values = std::move(moved);
}

}  // namespace

ComparisonCase draw_case(std::uint64_t seed, std::uint64_t index) {
  using enum tensor::DType;
  base::Philox random(seed, base::mix(base::stream_id("comparison_case"), index));
  ComparisonCase one;
  one.dtype = choose(random, std::array{float32, bfloat16, float16, float64, float32, float64, float8_e4m3fn});
  one.shape = draw_shape(random);
  one.rule = draw_rule(random, one.shape);
  const double scale = one.dtype == float64
                           ? choose(random, std::array<double, 7>{1, 1e-3, 1e150, 1e160, 1e-160, 1e-170, 1e-300})
                           : choose(random, std::array<double, 4>{1, 1, 1e-3, 1e3});
  const std::size_t special = random.next_below(4);
  one.expected.resize(tensor::element_count(one.shape));
  for (double& value : one.expected) {
    value = scale * random.next_normal();
    if (random.next_below(50) == 0) {
      value = choose(random, std::array<double, 3>{0, -0.0, scale});
    } else if (special == 0 && random.next_below(60) == 0) {
      value = choose(random, std::array<double, 3>{kInfinity, -kInfinity, std::nan("")});
    }
  }
  // What is expected need not be a number of the type; half of the time it is.
  if (random.next_below(2) == 0 && one.dtype != float64) {
    one.bytes = stored(one.dtype, one.shape, one.expected);
    for (std::size_t i = 0; i < one.expected.size(); ++i) {
      one.expected[i] = tensor::element(one.view(), i);
    }
  }
  std::vector<double> values = one.expected;
  add_errors(random, one, values);
  if (special == 1 && random.next_below(2) == 0) {
    values[random.next_below(values.size())] =
        choose(random, std::array<double, 3>{kInfinity, -kInfinity, std::nan("")});
  }
  one.bytes = stored(one.dtype, one.shape, values);
  return one;
}

ComparisonCase draw_integer_case(std::uint64_t seed, std::uint64_t index) {
  using enum tensor::DType;
  base::Philox random(seed, base::mix(base::stream_id("integer_case"), index));
  ComparisonCase one;
  one.dtype = choose(random, std::array{int64, int32, int16, int8, boolean});
  one.shape = draw_shape(random);
  one.expected.resize(tensor::element_count(one.shape));
  for (double& value : one.expected) {
    value = one.dtype == boolean ? static_cast<double>(random.next_below(2)) : std::round(60 * random.next_uniform());
  }
  one.bytes = stored(one.dtype, one.shape, one.expected);
  if (random.next_below(2) == 0) {
    const std::size_t wrong = random.next_below(one.expected.size());
    one.expected[wrong] += choose(random, std::array<double, 4>{1, -1, 0.25, std::nan("")});
  }
  return one;
}

device::cuda::CompareTotals emulate(const ComparisonCase& one, const device::cuda::DeviceRule& rule) {
  using namespace device::cuda;
  constexpr std::size_t kStrands = 32;
  const ElementFormat format = element_format(one.dtype).value();
  CompareTotals totals;
  for (std::size_t begin = 0; begin < one.expected.size(); begin += rule.block_elements) {
    std::array<CompareSums, kStrands> strands;
    for (std::size_t at = begin; at < begin + rule.block_elements; ++at) {
      CompareSums& sums = strands[at % kStrands];
      if (is_floating(format)) {
        compare_floating(format, read_floating(format, one.bytes.data(), at), one.expected[at], rule.relative, sums);
      } else {
        compare_integer(read_integer(format, one.bytes.data(), at), one.expected[at], sums);
      }
    }
    CompareSums block;
    for (std::size_t strand = kStrands; strand-- > 0;) {
      combine(block, strands[strand]);
    }
    add_block(totals, block, rule);
  }
  return totals;
}

}  // namespace assay::operators::cuda
