#include <assay/operators/gdn_decode/stress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_decode/chain.hpp>
#include <assay/operators/gdn_decode/layout.hpp>

namespace assay::operators::gdn_decode {
namespace {

enum Kind : std::size_t {
  kForgetting = kFirstChangedKind,
  kRemembering,
  kExtremeBeta,
  kLongChain,
  kMixedMagnitudes,
  kTinyValues,
  kZeroKeys,
  kRepeatedKeys,
  kUndecayed,
};
static_assert(kUndecayed == kUndecayedKind && kUndecayed + 1 == kStressKinds.size());

float read(std::uint16_t bits) { return tensor::from_bfloat16(bits); }

double within(base::Philox& random, double low, double high) { return low + (high - low) * random.next_uniform(); }

void fill_uniform(base::Philox& random, std::span<std::uint16_t> values, double low, double high) {
  for (std::uint16_t& value : values) {
    value = tensor::to_bfloat16(static_cast<float>(within(random, low, high)));
  }
}

/// Makes every decay a weak one, so that the state that is left can be held to its digits: the relative error of a
/// float32 decay is in proportion to its logarithm.
void decay_weakly(std::span<std::uint16_t> a) {
  for (std::uint16_t& value : a) {
    value = static_cast<std::uint16_t>(value | 0x8000U);
  }
}

/// What belongs to one batch entry.
struct Entry {
  std::span<std::uint16_t> q;
  std::span<std::uint16_t> k;
  std::span<std::uint16_t> v;
  std::span<float> state;
};

std::vector<Entry> entries_of(std::span<Argument> arguments) {
  constexpr std::size_t kQueries = kQueryHeads * kHeadSize;
  constexpr std::size_t kValues = kValueHeads * kHeadSize;
  constexpr std::size_t kStates = kValueHeads * kStateSize;
  const auto q = elements_of<std::uint16_t>(arguments, kQ);
  const auto k = elements_of<std::uint16_t>(arguments, kK);
  const auto v = elements_of<std::uint16_t>(arguments, kV);
  const auto state = elements_of<float>(arguments, kState);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < v.size() / kValues; ++i) {
    entries.push_back({q.subspan(i * kQueries, kQueries), k.subspan(i * kQueries, kQueries),
                       v.subspan(i * kValues, kValues), state.subspan(i * kStates, kStates)});
  }
  return entries;
}

void scale_entry(const Entry& entry, float factor) {
  for (std::uint16_t& value : entry.v) {
    value = tensor::to_bfloat16(read(value) * factor);
  }
  for (float& value : entry.state) {
    value *= factor;
  }
}

void sprinkle_denormals(base::Philox& random, const Entry& entry) {
  constexpr std::uint64_t kOneIn = 16;
  const auto denormal = [&] { return static_cast<float>(within(random, -0x1p-127, 0x1p-127)); };
  for (std::size_t i = random.next_below(kOneIn); i < entry.v.size(); i += 1 + random.next_below(2 * kOneIn)) {
    entry.v[i] = tensor::to_bfloat16(denormal());
  }
  for (std::size_t i = random.next_below(kOneIn); i < entry.state.size(); i += 1 + random.next_below(2 * kOneIn)) {
    entry.state[i] = denormal();
  }
}

/// Chooses about half of the entries, at least one.
std::vector<Entry> some_of(base::Philox& random, const std::vector<Entry>& entries) {
  std::vector<Entry> chosen;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(chosen),
               [&](const Entry&) { return random.next_below(2) == 0; });
  if (chosen.empty()) {
    chosen.push_back(entries[random.next_below(entries.size())]);
  }
  return chosen;
}

/// The key of a value head, and where its state begins.
std::span<std::uint16_t> key_of(const Entry& entry, std::size_t head) {
  return entry.k.subspan(head / kValueHeadsPerQueryHead * kHeadSize, kHeadSize);
}
std::span<float> state_of(const Entry& entry, std::size_t head) {
  return entry.state.subspan(head * kStateSize, kStateSize);
}

void hold_value_at_key(base::Philox& random, std::span<const float> normals, const Entry& entry) {
  std::copy(entry.k.begin(), entry.k.end(), entry.q.begin());
  for (std::size_t head = 0; head < kValueHeads; ++head) {
    const std::span<const float> value = normals.subspan(random.next_below(normals.size() - kHeadSize), kHeadSize);
    const auto key = key_of(entry, head);
    const auto state = state_of(entry, head);
    for (std::size_t i = 0; i < kStateSize; ++i) {
      state[i] = value[i / kHeadSize] * read(key[i % kHeadSize]);
    }
  }
}

void leave_chains(base::Philox& random, std::span<const float> normals, const std::vector<Entry>& entries) {
  constexpr std::size_t kSteps = 64;
  const std::uint64_t seed = random.next_u64();
  base::parallel_for(entries.size() * kValueHeads, [&](std::size_t i) {
    const Entry& entry = entries[i / kValueHeads];
    const std::size_t head = i % kValueHeads;
    base::Philox chain_random(seed, i);
    leave_chain(kSteps, chain_random, normals, key_of(entry, head), state_of(entry, head));
  });
}

}  // namespace

StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t largest_bytes) {
  constexpr std::uint64_t kBytesAnEntry = 2 * kValueHeads * kStateSize * sizeof(float);
  constexpr std::array<std::int64_t, 8> kBatches = {1, 2, 3, 5, 9, 17, 31, 65};
  base::Philox random(seed, base::mix(base::stream_id("gdn_decode.stress"), index));
  const auto most = static_cast<std::int64_t>(std::max<std::uint64_t>(1, largest_bytes / kBytesAnEntry));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  trial.workload.uuid = fmt::format("stress-gdn_decode-{:x}-{}", seed, index);
  trial.workload.axes = {{"batch_size", std::min(most, kBatches[random.next_below(kBatches.size())])}};
  trial.workload.inputs = {{"scale", task::ScalarInput{random.next_below(4) == 0 ? 0.0 : random.next_uniform()}}};
  return trial;
}

void make_difficult(std::size_t kind, base::Philox& random, std::span<const float> normals,
                    std::span<Argument> arguments) {
  const auto a = elements_of<std::uint16_t>(arguments, kA);
  const auto b = elements_of<std::uint16_t>(arguments, kB);
  const std::vector<Entry> entries = entries_of(arguments);
  switch (kind) {
    case kForgetting:
      return fill_uniform(random, a, 10, 24);
    case kRemembering:
      return fill_uniform(random, a, -12, -5);
    case kExtremeBeta:
      decay_weakly(a);
      for (std::uint16_t& value : b) {
        const double magnitude = within(random, 6, 20);
        value = tensor::to_bfloat16(static_cast<float>(random.next_below(2) == 0 ? magnitude : -magnitude));
      }
      return;
    case kLongChain:
      return leave_chains(random, normals, entries);
    case kMixedMagnitudes:
      for (const Entry& entry : entries) {
        scale_entry(entry, static_cast<float>(std::exp2(static_cast<double>(random.next_below(31)) - 20.0)));
      }
      return;
    case kTinyValues:
      for (const Entry& entry : some_of(random, entries)) {
        scale_entry(entry, 0x1p-100F);
        sprinkle_denormals(random, entry);
      }
      return;
    case kZeroKeys:
      decay_weakly(a);
      for (const Entry& entry : some_of(random, entries)) {
        std::fill(entry.k.begin(), entry.k.end(), std::uint16_t{0});
      }
      return;
    case kRepeatedKeys:
      for (const Entry& entry : entries) {
        hold_value_at_key(random, normals, entry);
      }
      return;
    case kUndecayed:
      std::fill(a.begin(), a.end(), tensor::to_bfloat16(-40.0F));
      return;
    default:
      base::check_failed("a kind that changes usual contents", __FILE__, __LINE__);
  }
}

}  // namespace assay::operators::gdn_decode
