#include <assay/operators/dsa_sparse_attention/generator.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <assay/base/error.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/dsa_sparse_attention/rows.hpp>
#include <assay/operators/dsa_sparse_attention/stress.hpp>

namespace assay::operators::dsa_sparse_attention {
namespace {

/// Elements of the keys' pool: 2^18 for the contest, which fit a cache, and 2^16 for smaller keys.
std::size_t pool_size(const Dimensions& dimensions) { return std::max<std::size_t>(512 * dimensions.ckv, 1U << 16U); }

std::vector<std::uint16_t> draw_pool(std::uint64_t seed, std::string_view name, std::size_t size) {
  base::Philox random(seed, base::stream_id(name));
  std::vector<std::uint16_t> pool(size);
  std::generate(pool.begin(), pool.end(),
                [&] { return tensor::to_bfloat16(static_cast<float>(random.next_normal())); });
  return pool;
}

/// Returns where in a pool of bfloat16 elements so many are cut, in bytes.
std::size_t draw_cut(base::Philox& random, const device::Pool& pool, std::size_t elements) {
  return sizeof(std::uint16_t) * random.next_below(pool.bytes().size() / sizeof(std::uint16_t) - elements + 1);
}

float logit(const CallView& call, std::size_t row, std::size_t head, std::size_t token) {
  const auto dot = [](const Elements& x, const Elements& y) {
    float sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += x[i] * y[i];
    }
    return sum;
  };
  return dot(call.q_nope(row, head), call.ckv(token)) + dot(call.q_pe(row, head), call.kpe(token));
}

/// Returns the place of an element that is at least one half away from 0, if a few draws find one.
std::size_t place_of_large(base::Philox& random, const Elements& elements) {
  std::size_t at = random.next_below(elements.size());
  for (int tries = 0; tries < 1000 && std::fabs(elements[at]) < 0.5F; ++tries) {
    at = random.next_below(elements.size());
  }
  return at;
}

/// A row, one of its slots and one of its heads.
struct Place {
  std::size_t row = 0;
  std::size_t head = 0;
  std::size_t slot = 0;
};

/// Returns a random place that refers to a token; nullopt if no row does.
std::optional<Place> draw_place(const CallView& call, base::Philox& random) {
  const std::size_t first = random.next_below(call.rows());
  for (std::size_t i = 0; i < call.rows(); ++i) {
    const std::size_t row = (first + i) % call.rows();
    const std::vector<std::size_t> slots = call.valid_slots(row);
    if (!slots.empty()) {
      return Place{row, random.next_below(call.dimensions().heads), slots[random.next_below(slots.size())]};
    }
  }
  return std::nullopt;
}

/// Lets the row name another token in place of the one that matters most to a head.
void replace_dominant(const CallView& call, const Place& place) {
  const std::vector<std::size_t> slots = call.valid_slots(place.row);
  std::size_t dominant = slots.front();
  float largest = logit(call, place.row, place.head, call.token(place.row, dominant));
  bool names_first = false;
  for (const std::size_t slot : slots) {
    const float value = logit(call, place.row, place.head, call.token(place.row, slot));
    names_first = names_first || call.token(place.row, slot) == 0;
    if (value > largest) {
      largest = value;
      dominant = slot;
    }
  }
  // Token 0 is written, and no sequence's where there is more than one page.
  call.set_index(place.row, dominant, names_first ? kNoToken : 0);
}

}  // namespace

Generator::Generator(const Dimensions& dimensions, std::uint64_t seed)
    : dimensions_(dimensions),
      seed_(seed),
      keys_(draw_pool(seed, "dsa_sparse_attention.keys", pool_size(dimensions))),
      queries_(draw_pool(seed, "dsa_sparse_attention.queries", pool_size(dimensions) / 4)),
      key_pool_(device::pool_of(keys_)),
      query_pool_(device::pool_of(queries_)) {}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose(workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& plan) {
  const CallView view(dimensions_, arguments);
  const std::uint64_t stream = base::mix(base::stream_id("dsa_sparse_attention.call"), base::stream_id(workload.uuid));
  base::Philox random(seed_, base::mix(stream, call));
  fill_indices(view, sequence_lengths(dimensions_, workload), random);
  compose_queries(view, random, plan);
  compose_keys(view, random, plan);
  arguments[kSmScale] = Scalar(workload_scalar(workload, "sm_scale", dimensions_.sm_scale));
}

void Generator::fill_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                            std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose_stress(kind, workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose_stress(std::size_t kind, const task::Workload& workload, std::uint64_t call,
                               std::span<Argument> arguments, device::CopyPlan& plan) {
  ASSAY_CHECK(kind < kStressKinds.size());
  const CallView view(dimensions_, arguments);
  const std::uint64_t stream = base::mix(base::stream_id(kStressKinds[kind].name), base::stream_id(workload.uuid));
  base::Philox random(seed_, base::mix(stream, call));
  const double sm_scale = workload_scalar(workload, "sm_scale", dimensions_.sm_scale);
  fill_stress_indices(kind, view, random);
  compose_queries(view, random, plan);
  compose_keys(view, random, plan);
  plan.settle();  // What is hard is made of what lies there.
  make_hard(kind, view, sm_scale, random);
  arguments[kSmScale] = Scalar(sm_scale);
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  const CallView view(dimensions_, arguments);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("dsa_sparse_attention.perturb"), which), call));
  auto& scalar = std::get<Scalar>(arguments[kSmScale]);
  const double scale = std::visit([](auto value) { return static_cast<double>(value); }, scalar);
  const Input input = static_cast<Input>(which % kInputCount);
  if (input == kSmScale) {
    scalar = Scalar(static_cast<double>(static_cast<float>(scale == 0 ? 0.25 : scale * 1.5)));
    return;
  }
  const std::optional<Place> place = draw_place(view, random);
  if (!place) {
    return;  // No row names a token: the outputs depend on nothing.
  }
  const std::size_t token = view.token(place->row, place->slot);
  const bool nope = input == kQNope || input == kCkvCache;
  Elements query = nope ? view.q_nope(place->row, place->head) : view.q_pe(place->row, place->head);
  Elements key = nope ? view.ckv(token) : view.kpe(token);
  switch (input) {
    case kQNope:
    case kQPe: {
      // Moves this token's logit by at least 2, and the others' by something else.
      const std::size_t at = place_of_large(random, key);
      query.set(at, query[at] + static_cast<float>(4 / scale));
      return;
    }
    case kCkvCache:
    case kKpeCache: {
      // Moves this token's logit up by about 40: whatever it was, this head now attends to it alone.
      const std::size_t at = place_of_large(random, query);
      const double step = 40 / (scale * static_cast<double>(std::max(std::fabs(query[at]), 0.01F)));
      key.set(at, key[at] + static_cast<float>(query[at] < 0 ? -step : step));
      return;
    }
    default:
      replace_dominant(view, *place);
  }
}

void Generator::compose_queries(const CallView& call, base::Philox& random, device::CopyPlan& plan) const {
  call.leave_queries(plan);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (std::size_t head = 0; head < dimensions_.heads; ++head) {
      plan.copy(call.q_nope(row, head).bytes(), query_pool_, draw_cut(random, query_pool_, dimensions_.ckv));
      plan.copy(call.q_pe(row, head).bytes(), query_pool_, draw_cut(random, query_pool_, dimensions_.kpe));
    }
  }
}

void Generator::compose_keys(const CallView& call, base::Philox& random, device::CopyPlan& plan) {
  struct Cut {
    std::size_t token;
    std::size_t ckv;
    std::size_t kpe;
  };
  std::vector<Cut> cuts;
  cuts.reserve(2 + call.rows() * dimensions_.topk);
  const auto draw = [&](std::size_t token) {
    const std::size_t ckv = draw_cut(random, key_pool_, dimensions_.ckv);
    cuts.push_back({token, ckv, draw_cut(random, key_pool_, dimensions_.kpe)});
  };
  draw(0);
  draw(call.tokens() - 1);
  for (std::size_t row = 0; row < call.rows(); ++row) {
    for (std::size_t slot = 0; slot < dimensions_.topk; ++slot) {
      if (call.index(row, slot) != kNoToken) {
        draw(call.token(row, slot));
      }
    }
  }
  // Of a token that several rows name the last cut counts.
  call.leave_keys(plan);
  is_placed_.resize(std::max(is_placed_.size(), call.tokens()));
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
    if (!is_placed_[cut->token]) {
      is_placed_[cut->token] = true;
      plan.copy(call.ckv(cut->token).bytes(), key_pool_, cut->ckv);
      plan.copy(call.kpe(cut->token).bytes(), key_pool_, cut->kpe);
    }
  }
  for (const Cut& cut : cuts) {
    is_placed_[cut.token] = false;
  }
}

}  // namespace assay::operators::dsa_sparse_attention
