#include <assay/operators/gdn_decode/generator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_decode/layout.hpp>

namespace assay::operators::gdn_decode {
namespace {

constexpr std::size_t kPoolSize = std::size_t{1} << 18U;  // Fits a cache, and is drawn in some 15 ms.
constexpr std::uint64_t kKinds = 8;
constexpr std::uint64_t kUsualKind = 0;
constexpr std::uint64_t kZeroStateKind = 3;
constexpr std::uint64_t kSparseStateKind = 1;
constexpr std::uint64_t kLargeStateKind = 6;
constexpr double kSmallestProduct = 0x1p-10;

using Direction = std::array<std::uint16_t, kHeadSize>;

/// Returns where a run of `count` pool elements starts.
std::size_t place(base::Philox& random, std::size_t count) {
  return static_cast<std::size_t>(random.next_below(kPoolSize - count + 1));
}

Direction draw_direction(base::Philox& random, const std::vector<float>& normals) {
  const std::size_t begin = place(random, kHeadSize);
  double square = 0;
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    const auto value = static_cast<double>(normals[begin + i]);
    square += value * value;
  }
  const auto factor = static_cast<float>(1.0 / std::sqrt(square));
  Direction direction;
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    direction[i] = tensor::to_bfloat16(normals[begin + i] * factor);
  }
  return direction;
}

double product(const Direction& x, const Direction& y) {
  double sum = 0;
  for (std::size_t i = 0; i < kHeadSize; ++i) {
    sum += static_cast<double>(tensor::from_bfloat16(x[i])) * static_cast<double>(tensor::from_bfloat16(y[i]));
  }
  return sum;
}

void fill_normals(base::Philox& random, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(std::uint16_t); ++i) {
    store(bytes, i, tensor::to_bfloat16(static_cast<float>(random.next_normal())));
  }
}

void fill_decays(base::Philox& random, std::span<std::byte> a_log, std::span<std::byte> dt_bias) {
  for (std::size_t head = 0; head < kValueHeads; ++head) {
    store(a_log, head, static_cast<float>(std::log(1.0 + 15.0 * random.next_uniform())));
    const double step = std::exp(std::log(1e-3) + random.next_uniform() * std::log(1e-1 / 1e-3));
    store(dt_bias, head,
          static_cast<float>(step + std::log(-std::expm1(-step))));  // softplus(dt_bias) = step
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed) : seed_(seed), normals_(kPoolSize), normals_bfloat16_(kPoolSize) {
  base::Philox random(seed, base::stream_id("gdn_decode.pool"));
  small_states_.reserve(kPoolSize);
  large_states_.reserve(kPoolSize);
  for (std::size_t i = 0; i < kPoolSize; ++i) {
    normals_[i] = static_cast<float>(random.next_normal());
    normals_bfloat16_[i] = tensor::to_bfloat16(normals_[i]);
    small_states_.push_back(0.1F * normals_[i]);
    large_states_.push_back(8.0F * normals_[i]);
  }
  values_ = device::pool_of(normals_bfloat16_);
  small_ = device::pool_of(small_states_);
  large_ = device::pool_of(large_states_);
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose(workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& plan) {
  const std::uint64_t stream = base::mix(base::stream_id("gdn_decode.call"), base::stream_id(workload.uuid));
  // The phase differs from workload to workload, so that a short session sees every kind somewhere.
  compose_kind((call % kKinds + base::mix(seed_, stream) % kKinds) % kKinds, workload, call, arguments, plan);
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose_stress(kind, workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                               std::span<Argument> arguments, device::CopyPlan& plan) {
  constexpr std::array<std::uint64_t, kFirstChangedKind> kOfStress = {kZeroStateKind, kSparseStateKind,
                                                                      kLargeStateKind};
  ASSAY_CHECK(kind < kStressKinds.size());
  if (kind < kOfStress.size()) {
    return compose_kind(kOfStress[kind], workload, call, arguments, plan);
  }
  compose_kind(kUsualKind, workload, call, arguments, plan);
  plan.settle();  // What is difficult is made of what lies there.
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("gdn_decode.difficult"), call), base::stream_id(workload.uuid)));
  make_difficult(kind, random, normals_, arguments);
}

void Generator::compose_kind(std::uint64_t kind, const task::Workload& workload, std::uint64_t call,
                             std::span<Argument> arguments, device::CopyPlan& plan) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  const std::uint64_t stream = base::mix(base::stream_id("gdn_decode.call"), base::stream_id(workload.uuid));
  base::Philox random(seed_, base::mix(stream, call));

  fill_queries_and_keys(random, bytes_of(arguments, kQ), bytes_of(arguments, kK));
  const std::span<std::byte> v = bytes_of(arguments, kV);
  plan.leave(v);
  constexpr std::size_t kVBytes = kValueHeads * kHeadSize * sizeof(std::uint16_t);
  for (std::size_t at = 0; at + kVBytes <= v.size(); at += kVBytes) {
    plan.copy(v.subspan(at, kVBytes), values_, place(random, kValueHeads * kHeadSize) * sizeof(std::uint16_t));
  }
  compose_state(random, kind, bytes_of(arguments, kState), plan);
  fill_decays(random, bytes_of(arguments, kALog), bytes_of(arguments, kDtBias));
  fill_normals(random, bytes_of(arguments, kA));
  fill_normals(random, bytes_of(arguments, kB));
  // Its absence means the usual scale. A 0 is passed on: the definition gives it a meaning that a candidate must know.
  arguments[kScale] = Scalar(workload_scalar(workload, "scale", 1.0 / std::sqrt(static_cast<double>(kHeadSize))));
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gdn_decode.perturb"), which), call));
  // Those whose one element surely shows. A gate or a decay of one head may be so near 0 or 1 that nothing shows.
  constexpr std::array<Input, 4> kTensors = {kQ, kK, kV, kState};
  const std::uint64_t choice = which % (kTensors.size() + 1);
  if (choice == kTensors.size()) {
    arguments[kScale] = changed_scale(std::get<Scalar>(arguments[kScale]));
    return;
  }
  const Input input = kTensors[choice];
  const std::span<std::byte> bytes = bytes_of(arguments, input);
  if (input == kState) {
    const std::size_t at = random.next_below(bytes.size() / sizeof(float));
    float value = 0;
    std::memcpy(&value, bytes.data() + at * sizeof value, sizeof value);
    store(bytes, at, value + 32.0F);
    return;
  }
  const std::size_t at = random.next_below(bytes.size() / sizeof(std::uint16_t));
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + at * sizeof bits, sizeof bits);
  store(bytes, at, tensor::to_bfloat16(tensor::from_bfloat16(bits) + (input == kV ? 4.0F : 0.5F)));
}

void Generator::fill_queries_and_keys(base::Philox& random, std::span<std::byte> q, std::span<std::byte> k) const {
  ASSAY_CHECK(q.size() == k.size() && q.size() % sizeof(Direction) == 0);
  for (std::size_t head = 0; head < q.size() / sizeof(Direction); ++head) {
    const Direction key = draw_direction(random, normals_);
    Direction query = draw_direction(random, normals_);
    while (std::fabs(product(query, key)) < kSmallestProduct) {
      query = draw_direction(random, normals_);
    }
    store(k, head, key);
    store(q, head, query);
  }
}

void Generator::compose_state(base::Philox& random, std::uint64_t kind, std::span<std::byte> state,
                              device::CopyPlan& plan) const {
  constexpr std::size_t kHeadBytes = kStateSize * sizeof(float);
  ASSAY_CHECK(state.size() % (kValueHeads * kHeadBytes) == 0);
  const device::Pool& pool = kind == kLargeStateKind ? large_ : small_;
  const std::size_t heads = state.size() / kHeadBytes;
  std::vector<std::size_t> places(heads);
  std::generate(places.begin(), places.end(), [&] { return place(random, kStateSize); });
  const bool has_zeros = kind == kZeroStateKind || kind == kSparseStateKind;
  const std::size_t zero_entry = has_zeros ? random.next_below(heads / kValueHeads) : heads;
  plan.leave(state);
  for (std::size_t head = 0; head < heads; ++head) {
    const std::span<std::byte> to = state.subspan(head * kHeadBytes, kHeadBytes);
    if (head / kValueHeads == zero_entry) {
      plan.zero(to);
    } else {
      plan.copy(to, pool, places[head] * sizeof(float));
    }
  }
  for (std::size_t head = 0; kind == kSparseStateKind && head < kValueHeads; ++head) {
    const std::size_t at = (zero_entry * kValueHeads + head) * kStateSize + random.next_below(kStateSize);
    const auto value = static_cast<float>(random.next_normal());
    plan.set(state.subspan(at * sizeof value, sizeof value), std::as_bytes(std::span(&value, 1)));
  }
}

}  // namespace assay::operators::gdn_decode
