#include <assay/operators/gdn_decode/generator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
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
}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  const std::uint64_t stream = base::mix(base::stream_id("gdn_decode.call"), base::stream_id(workload.uuid));
  // The phase differs from workload to workload, so that a short session sees every kind somewhere.
  fill_kind((call % kKinds + base::mix(seed_, stream) % kKinds) % kKinds, workload, call, arguments);
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  constexpr std::array<std::uint64_t, kFirstChangedKind> kOfStress = {kZeroStateKind, kSparseStateKind,
                                                                      kLargeStateKind};
  ASSAY_CHECK(kind < kStressKinds.size());
  if (kind < kOfStress.size()) {
    return fill_kind(kOfStress[kind], workload, call, arguments);
  }
  fill_kind(kUsualKind, workload, call, arguments);
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("gdn_decode.difficult"), call), base::stream_id(workload.uuid)));
  make_difficult(kind, random, normals_, arguments);
}

void Generator::fill_kind(std::uint64_t kind, const task::Workload& workload, std::uint64_t call,
                          std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  const std::uint64_t stream = base::mix(base::stream_id("gdn_decode.call"), base::stream_id(workload.uuid));
  base::Philox random(seed_, base::mix(stream, call));

  fill_queries_and_keys(random, bytes_of(arguments, kQ), bytes_of(arguments, kK));
  const std::span<std::byte> v = bytes_of(arguments, kV);
  constexpr std::size_t kVBytes = kValueHeads * kHeadSize * sizeof(std::uint16_t);
  for (std::size_t at = 0; at + kVBytes <= v.size(); at += kVBytes) {
    std::memcpy(v.data() + at, normals_bfloat16_.data() + place(random, kValueHeads * kHeadSize), kVBytes);
  }
  fill_state(random, kind, bytes_of(arguments, kState));
  fill_decays(random, bytes_of(arguments, kALog), bytes_of(arguments, kDtBias));
  fill_normals(random, bytes_of(arguments, kA));
  fill_normals(random, bytes_of(arguments, kB));
  // Its absence means the usual scale. A 0 is passed on: the definition gives it a meaning that a candidate must know.
  arguments[kScale] = Scalar(workload_scalar(workload, "scale", 1.0 / std::sqrt(static_cast<double>(kHeadSize))));
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

void Generator::fill_state(base::Philox& random, std::uint64_t kind, std::span<std::byte> state) const {
  constexpr std::size_t kHeadBytes = kStateSize * sizeof(float);
  ASSAY_CHECK(state.size() % (kValueHeads * kHeadBytes) == 0);
  const std::vector<float>& pool = kind == kLargeStateKind ? large_states_ : small_states_;
  std::vector<std::size_t> places(state.size() / kHeadBytes);
  std::generate(places.begin(), places.end(), [&] { return place(random, kStateSize); });
  base::parallel_for(places.size(), [&](std::size_t head) {
    std::memcpy(state.data() + head * kHeadBytes, pool.data() + places[head], kHeadBytes);
  });
  if (kind == kZeroStateKind || kind == kSparseStateKind) {
    const std::size_t entry_bytes = kValueHeads * kHeadBytes;
    const std::uint64_t entry = random.next_below(state.size() / entry_bytes);
    std::memset(state.data() + entry * entry_bytes, 0, entry_bytes);
    for (std::size_t head = 0; kind == kSparseStateKind && head < kValueHeads; ++head) {
      const std::size_t at = (entry * kValueHeads + head) * kStateSize + random.next_below(kStateSize);
      store(state, at, static_cast<float>(random.next_normal()));
    }
  }
}

}  // namespace assay::operators::gdn_decode
