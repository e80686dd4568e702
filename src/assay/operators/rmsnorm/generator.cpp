#include <assay/operators/rmsnorm/generator.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/half_elements.hpp>

namespace assay::operators::rmsnorm {
namespace {

enum Kind : std::size_t { kRandom, kWideRange, kTiny, kOneHuge, kZeroRows, kOffset, kCancellation, kRoundedSquares };

constexpr float kHuge = 30000;  // Its square is beyond float16.
constexpr float kOffsetSize = 50;
constexpr int kTries = 16;

/// Rows of hidden states and, where there is one, of the residual.
struct Rows {
  std::vector<HalfElements> tensors;
  std::size_t count = 0;
  std::size_t width = 0;

  // Calls `change(value)` for each element of a row, of each tensor.
  template <class Change>
  void change_row(std::size_t row, Change change) const {
    for (const HalfElements& elements : tensors) {
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        elements.set(i, change(elements.get(i)));
      }
    }
  }
};

Rows rows_of(std::span<Argument> arguments, const Variant& variant, tensor::DType dtype) {
  const auto& view = std::get<tensor::View>(arguments[kHiddenStates]);
  Rows rows;
  rows.count = static_cast<std::size_t>(view.shape[0]);
  rows.width = static_cast<std::size_t>(view.shape[1]);
  for (std::size_t position = 0; position < variant.weight(); ++position) {
    rows.tensors.emplace_back(bytes_of(arguments, position), dtype);
  }
  return rows;
}

void scale_row(const Rows& rows, std::size_t row, float factor) {
  rows.change_row(row, [factor](float value) { return value * factor; });
}

// Squares must stay within float32: bfloat16 rows reach 2^40, float16 ones what float16 holds.
void differ_in_size(base::Philox& random, const Rows& rows, tensor::DType dtype) {
  const int largest = dtype == tensor::DType::float16 ? 8 : 40;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto choice = random.next_below(static_cast<std::uint64_t>(2 * largest + 1));
    scale_row(rows, row, std::ldexp(1.0F, static_cast<int>(choice) - largest));
  }
}

void make_tiny(base::Philox& random, const Rows& rows, const Variant& variant, tensor::DType dtype) {
  const auto of_epsilon = static_cast<float>(std::sqrt(variant.epsilon));
  const float far_below = dtype == tensor::DType::float16 ? 0x1p-16F : 0x1p-40F;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::uint64_t choice = random.next_below(3);
    scale_row(rows, row, choice == 0 ? far_below : choice == 1 ? of_epsilon : 0.25F * of_epsilon);
  }
}

void make_few(base::Philox& random, const Rows& rows) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::uint64_t choice = random.next_below(3);
    if (choice == 2) {
      continue;
    }
    scale_row(rows, row, 0);
    if (choice == 1) {
      rows.tensors[0].set(row * rows.width + random.next_below(rows.width), 3);
    }
  }
}

void cancel(base::Philox& random, const Rows& rows) {
  if (rows.tensors.size() < 2) {
    return;
  }
  for (std::size_t i = 0; i < rows.count * rows.width; ++i) {
    // What is left has digits below the last one that 16 bits have for the sum's parts.
    const float other = 0x1p-5F * static_cast<float>(random.next_normal());
    rows.tensors[kResidual].set(i, -rows.tensors[kHiddenStates].get(i) + other);
  }
}

// Two magnitudes whose squares lie half way between two bfloat16 numbers, the lower of which is even: each square that is
// rounded loses 0.3 %, and their sum as much. Outputs begin with 1.0 or 1.1, where the rounding of bfloat16 is coarsest,
// so that some of them show it.
void halve_squares(base::Philox& random, const Rows& rows, const HalfElements& weight) {
  constexpr float kSmall = 1.0625F;
  constexpr float kLarge = 1.1875F;
  constexpr float kRoot = 1.1267F;  // Of the mean of both squares.
  const auto sign = [&] { return random.next_below(2) == 0 ? 1.0F : -1.0F; };
  for (std::size_t row = 0; row < rows.count; ++row) {
    const float factor = std::ldexp(1.0F, static_cast<int>(random.next_below(9)) - 4);
    const float share = factor / static_cast<float>(rows.tensors.size());
    for (std::size_t i = row * rows.width; i < (row + 1) * rows.width; ++i) {
      const float value = sign() * (random.next_below(2) == 0 ? kSmall : kLarge) * share;
      for (const HalfElements& elements : rows.tensors) {
        elements.set(i, value);
      }
    }
  }
  for (std::size_t i = 0; i < rows.width; ++i) {
    weight.set(i, sign() * kRoot / kSmall * (1 + 0.06F * static_cast<float>(random.next_uniform())));
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed, const Variant& variant, tensor::DType dtype)
    : seed_(seed), variant_(variant), dtype_(dtype), pool_(seed, "rmsnorm.pool") {}

StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t row_bytes,
                              std::uint64_t largest_bytes) {
  constexpr std::array<std::int64_t, 14> kSizes = {1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 64, 65, 127};
  base::Philox random(seed, base::mix(base::stream_id("rmsnorm.stress"), index));
  const auto most =
      static_cast<std::int64_t>(std::max<std::uint64_t>(1, largest_bytes / std::max<std::uint64_t>(1, row_bytes)));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  trial.workload.uuid = fmt::format("stress-rmsnorm-{:x}-{}", seed, index);
  trial.workload.axes = {{"batch_size", std::min(most, kSizes[random.next_below(kSizes.size())])}};
  return trial;
}

base::Philox Generator::draw(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == variant_.inputs());
  base::Philox random(seed_,
                      base::mix(base::mix(base::stream_id("rmsnorm.call"), base::stream_id(workload.uuid)), call));
  for (std::size_t position = 0; position < arguments.size(); ++position) {
    pool_.fill(random, dtype_, bytes_of(arguments, position));
  }
  return random;
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  static_cast<void>(draw(workload, call, arguments));
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  ASSAY_CHECK(kind < kStressKinds.size());
  base::Philox random = draw(workload, call, arguments);
  const Rows rows = rows_of(arguments, variant_, dtype_);
  if (rows.count * rows.width == 0) {
    return;
  }
  switch (static_cast<Kind>(kind)) {
    case kRandom:
      break;
    case kWideRange:
      differ_in_size(random, rows, dtype_);
      break;
    case kTiny:
      make_tiny(random, rows, variant_, dtype_);
      break;
    case kOneHuge:
      for (std::size_t row = 0; row < rows.count; ++row) {
        rows.tensors[0].set(row * rows.width + random.next_below(rows.width), kHuge);
      }
      break;
    case kZeroRows:
      make_few(random, rows);
      break;
    case kOffset:
      for (std::size_t row = 0; row < rows.count; ++row) {
        rows.change_row(row, [](float value) { return value + kOffsetSize; });
      }
      break;
    case kCancellation:
      cancel(random, rows);
      break;
    case kRoundedSquares:
      halve_squares(random, rows, HalfElements(bytes_of(arguments, variant_.weight()), dtype_));
      break;
  }
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == variant_.inputs());
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("rmsnorm.perturb"), which), call));
  const std::size_t changed = which % variant_.inputs();
  const Rows rows = rows_of(arguments, variant_, dtype_);
  const HalfElements elements(bytes_of(arguments, changed), dtype_);
  if (changed != variant_.weight()) {
    const std::size_t at = random.next_below(elements.size());
    elements.set(at, elements.get(at) + 64.0F);
    return;
  }
  // A weight shows where the rows have something: of a few columns the one where the first row has most.
  std::size_t best = 0;
  float largest = -1;
  for (int i = 0; i < kTries; ++i) {
    const std::size_t column = random.next_below(rows.width);
    float sum = 0;
    for (const HalfElements& tensor : rows.tensors) {
      sum += tensor.get(column);
    }
    if (std::fabs(sum) > largest) {
      largest = std::fabs(sum);
      best = column;
    }
  }
  elements.set(best, elements.get(best) + 4.0F);
}

}  // namespace assay::operators::rmsnorm
