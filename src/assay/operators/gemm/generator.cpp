#include <assay/operators/gemm/generator.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gemm/layout.hpp>
#include <assay/operators/half_elements.hpp>

namespace assay::operators::gemm {
namespace {

enum Kind : std::size_t { kRandom, kWideRange, kTiny, kCancellation, kPositive, kOneHuge, kZeroRows };

constexpr int kExponents = 6;
constexpr double kLargestFloat16 = 65504;
constexpr float kTinyFactor = 0x1p-16F;  // N(0, 1) times this is subnormal in float16 (below 2^-14), with 8 bits left.
constexpr float kHuge = 256;
constexpr float kHugeOfB = -240;    // Their product is one that float16 has.
constexpr std::uint64_t kOdds = 3;  // One of so many rows is made special.
constexpr int kTries = 16;

struct Matrix {
  HalfElements elements;
  std::size_t rows = 0;
  std::size_t width = 0;
  void scale_row(std::size_t row, float factor) const {
    for (std::size_t k = 0; k < width; ++k) {
      elements.set(row * width + k, elements.get(row * width + k) * factor);
    }
  }
};

Matrix matrix(std::span<Argument> arguments, std::size_t position, tensor::DType dtype) {
  const auto& view = std::get<tensor::View>(arguments[position]);
  return {HalfElements(view.bytes, dtype), static_cast<std::size_t>(view.shape[0]),
          static_cast<std::size_t>(view.shape[1])};
}

// Rows of 2^-6 to 2^6, or to less where the products of many terms would leave float16.
void differ_in_size(base::Philox& random, const Matrix& x) {
  const double room = kLargestFloat16 / (6 * std::sqrt(static_cast<double>(x.width)));
  const int largest = std::clamp(static_cast<int>(std::log2(room) / 2), 0, kExponents);
  for (std::size_t row = 0; row < x.rows; ++row) {
    const auto choice = random.next_below(static_cast<std::uint64_t>(kExponents + largest + 1));
    const int exponent = static_cast<int>(choice) - kExponents;
    x.scale_row(row, std::ldexp(1.0F, exponent));
  }
}

// The second half of each row of A undoes the first, where B repeats itself; a few elements are left alone.
void cancel(base::Philox& random, const Matrix& a, const Matrix& b) {
  const std::size_t half = a.width / 2;
  for (const Matrix* x : {&a, &b}) {
    const float sign = x == &a ? -1.0F : 1.0F;
    for (std::size_t row = 0; row < x->rows; ++row) {
      for (std::size_t k = 0; k < half; ++k) {
        x->elements.set(row * x->width + half + k, sign * x->elements.get(row * x->width + k));
      }
    }
  }
  for (std::size_t row = 0; row < a.rows && a.width > 0; ++row) {
    a.elements.set(row * a.width + random.next_below(a.width), static_cast<float>(random.next_normal()));
  }
}

void make_positive(const Matrix& x) {
  // U(0.5, 1) rather than |N(0, 1)|: every term counts.
  for (std::size_t i = 0; i < x.elements.size(); ++i) {
    const float value = std::fabs(x.elements.get(i));
    x.elements.set(i, 0.5F + 0.5F * std::fmod(value, 1.0F));
  }
}

void zero_some_rows(base::Philox& random, const Matrix& x) {
  for (std::size_t row = 0; row < x.rows; ++row) {
    const std::uint64_t choice = random.next_below(kOdds);
    if (choice == 0) {
      x.scale_row(row, 0);
    } else if (choice == 1) {
      x.scale_row(row, 0);
      x.elements.set(row * x.width + random.next_below(x.width), 1);
    }
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed, tensor::DType dtype) : seed_(seed), dtype_(dtype), pool_(seed, "gemm.pool") {}

StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t fixed_bytes,
                              std::uint64_t row_bytes, std::uint64_t largest_bytes) {
  constexpr std::array<std::int64_t, 20> kSizes = {1,  2,  3,  5,  7,  8,  9,  13,  15,  16,
                                                   17, 31, 32, 33, 61, 64, 65, 127, 129, 257};
  base::Philox random(seed, base::mix(base::stream_id("gemm.stress"), index));
  const std::uint64_t left = largest_bytes > fixed_bytes ? largest_bytes - fixed_bytes : 0;
  const auto most = static_cast<std::int64_t>(std::max<std::uint64_t>(1, left / std::max<std::uint64_t>(1, row_bytes)));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  trial.workload.uuid = fmt::format("stress-gemm-{:x}-{}", seed, index);
  trial.workload.axes = {{"M", std::min(most, kSizes[random.next_below(kSizes.size())])}};
  return trial;
}

base::Philox Generator::draw(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gemm.call"), base::stream_id(workload.uuid)), call));
  pool_.fill(random, dtype_, bytes_of(arguments, kA));
  pool_.fill(random, dtype_, bytes_of(arguments, kB));
  return random;
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  static_cast<void>(draw(workload, call, arguments));
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  ASSAY_CHECK(kind < kStressKinds.size());
  base::Philox random = draw(workload, call, arguments);
  const Matrix a = matrix(arguments, kA, dtype_);
  const Matrix b = matrix(arguments, kB, dtype_);
  if (a.elements.size() == 0 || b.elements.size() == 0) {
    return;
  }
  switch (static_cast<Kind>(kind)) {
    case kRandom:
      break;
    case kWideRange:
      differ_in_size(random, a);
      differ_in_size(random, b);
      break;
    case kTiny:
      for (std::size_t row = 0; row < a.rows; ++row) {
        a.scale_row(row, kTinyFactor);
      }
      break;
    case kCancellation:
      cancel(random, a, b);
      break;
    case kPositive:
      make_positive(a);
      make_positive(b);
      break;
    case kOneHuge:
      a.elements.set(random.next_below(a.elements.size()), kHuge);
      b.elements.set(random.next_below(b.elements.size()), kHugeOfB);
      break;
    case kZeroRows:
      zero_some_rows(random, a);
      zero_some_rows(random, b);
      break;
  }
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gemm.perturb"), which), call));
  const std::size_t changed = which % kInputCount;
  const Matrix x = matrix(arguments, changed, dtype_);
  const Matrix other = matrix(arguments, changed == kA ? kB : kA, dtype_);
  // What is added meets one column of the other matrix: one that has something there.
  std::size_t k = random.next_below(x.width);
  const auto largest_at = [&other](std::size_t column) {
    float largest = 0;
    for (std::size_t row = 0; row < other.rows; ++row) {
      largest = std::max(largest, std::fabs(other.elements.get(row * other.width + column)));
    }
    return largest;
  };
  float best = largest_at(k);
  for (int i = 1; i < kTries; ++i) {
    const std::size_t candidate = random.next_below(x.width);
    if (const float largest = largest_at(candidate); largest > best) {
      best = largest;
      k = candidate;
    }
  }
  const std::size_t at = random.next_below(x.rows) * x.width + k;
  x.elements.set(at, x.elements.get(at) + 64.0F);
}

}  // namespace assay::operators::gemm
