#include <assay/operators/gdn_prefill/generator.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <assay/base/error.hpp>
#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_prefill/lengths.hpp>
#include <assay/operators/gdn_prefill/sequence_contents.hpp>

namespace assay::operators::gdn_prefill {
namespace {

constexpr std::uint64_t kCallKinds = 8;
constexpr std::uint64_t kSparseStateKind = 1;
constexpr std::uint64_t kZeroStateKind = 3;
constexpr std::uint64_t kLargeStateKind = 6;
constexpr std::size_t kTokensARun = 64;
// To write down what is to be cut takes less time than to start a thread.
constexpr std::size_t kRunsAThread = 8;

std::uint64_t workload_stream(const task::Workload& workload) {
  return base::mix(base::stream_id("gdn_prefill.call"), base::stream_id(workload.uuid));
}

void fill_decays(base::Philox& random, std::span<float> a_log, std::span<float> dt_bias) {
  for (float& value : a_log) {
    value = static_cast<float>(std::log(1.0 + 15.0 * random.next_uniform()));
  }
  for (float& value : dt_bias) {
    const double step = std::exp(std::log(1e-3) + random.next_uniform() * std::log(1e-1 / 1e-3));
    value = static_cast<float>(step + std::log(-std::expm1(-step)));  // softplus(dt_bias) = step
  }
}

/// A run of tokens of one sequence.
struct Run {
  std::size_t sequence;
  std::size_t first_token;
  std::size_t tokens;
  std::size_t number;  ///< In its sequence.
};

std::vector<Run> cut_into_runs(std::span<const std::int64_t> lengths) {
  std::vector<Run> runs;
  std::size_t token = 0;
  for (std::size_t sequence = 0; sequence < lengths.size(); ++sequence) {
    const auto length = static_cast<std::size_t>(lengths[sequence]);
    for (std::size_t done = 0; done < length; done += kTokensARun) {
      runs.push_back({sequence, token + done, std::min(kTokensARun, length - done), done / kTokensARun});
    }
    token += length;
  }
  return runs;
}

}  // namespace

Generator::Generator(const Dimensions& dimensions, std::uint64_t seed)
    : dimensions_(dimensions), seed_(seed), pool_(seed) {}

void Generator::fill(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments) {
  device::CopyPlan plan;
  compose(workload, call, arguments, plan);
  plan.settle();
}

void Generator::compose(const task::Workload& workload, std::uint64_t call, std::span<Argument> arguments,
                        device::CopyPlan& plan) {
  const std::uint64_t stream = workload_stream(workload);
  // The phase differs from workload to workload, so that a short session sees every kind somewhere.
  const std::uint64_t kind = (call % kCallKinds + base::mix(seed_, stream) % kCallKinds) % kCallKinds;
  std::vector<Recipe> recipes(sequence_lengths(workload).size());
  base::Philox random(seed_, base::mix(base::mix(stream, call), base::stream_id("gdn_prefill.recipes")));
  if (!recipes.empty() && (kind == kZeroStateKind || kind == kSparseStateKind)) {
    recipes[random.next_below(recipes.size())].state =
        kind == kZeroStateKind ? Recipe::State::zero : Recipe::State::sparse;
  }
  if (kind == kLargeStateKind) {
    std::for_each(recipes.begin(), recipes.end(), [](Recipe& recipe) { recipe.state_factor = 8; });
  }
  compose_sequences(workload, base::mix(stream, call), recipes, arguments, plan);
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
  const std::uint64_t stream = base::mix(workload_stream(workload), call);
  base::Philox random(seed_, base::mix(stream, base::stream_id("gdn_prefill.recipes")));
  std::vector<Recipe> recipes(sequence_lengths(workload).size());
  std::generate(recipes.begin(), recipes.end(), [&] { return draw_recipe(kind, random); });
  compose_sequences(workload, stream, recipes, arguments, plan);
}

void Generator::compose_sequences(const task::Workload& workload, std::uint64_t stream, std::span<const Recipe> recipes,
                                  std::span<Argument> arguments, device::CopyPlan& plan) const {
  ASSAY_CHECK(arguments.size() == kInputCount);
  const std::vector<std::int64_t> lengths = sequence_lengths(workload);
  const std::vector<std::int64_t> starts = cumulative(lengths);
  const auto tokens = static_cast<std::size_t>(starts.back());
  const std::size_t heads = dimensions_.value_heads;
  const std::size_t token_queries = dimensions_.query_heads * dimensions_.head_size;
  const std::size_t token_values = heads * dimensions_.head_size;
  const auto q = elements_of<std::uint16_t>(arguments, kQ);
  const auto k = elements_of<std::uint16_t>(arguments, kK);
  const auto v = elements_of<std::uint16_t>(arguments, kV);
  const auto a = elements_of<std::uint16_t>(arguments, kA);
  const auto b = elements_of<std::uint16_t>(arguments, kB);
  const auto state = elements_of<float>(arguments, kState);
  const auto cu_seqlens = elements_of<std::int64_t>(arguments, kCuSeqlens);
  const auto a_log = elements_of<float>(arguments, kALog);
  const auto dt_bias = elements_of<float>(arguments, kDtBias);
  ASSAY_CHECK(q.size() == tokens * token_queries && k.size() == q.size());
  ASSAY_CHECK(v.size() == tokens * token_values && a.size() == tokens * heads && b.size() == a.size());
  ASSAY_CHECK(state.size() == lengths.size() * heads * dimensions_.state_size());
  ASSAY_CHECK(cu_seqlens.size() == starts.size() && a_log.size() == heads && dt_bias.size() == heads);

  std::copy(starts.begin(), starts.end(), cu_seqlens.begin());
  base::Philox random(seed_, stream);
  fill_decays(random, a_log, dt_bias);
  const auto stream_of = [&](std::size_t sequence) { return base::mix(stream, sequence + 1); };
  const std::vector<Run> runs = cut_into_runs(lengths);
  const auto contents_of = [&](const Run& run) {
    const auto& [sequence, first, count, number] = run;
    return TokenContents{q.subspan(first * token_queries, count * token_queries),
                         k.subspan(first * token_queries, count * token_queries),
                         v.subspan(first * token_values, count * token_values), a.subspan(first * heads, count * heads),
                         b.subspan(first * heads, count * heads)};
  };
  if (std::all_of(recipes.begin(), recipes.end(), is_cut)) {
    for (const Input input : {kQ, kK, kV, kA, kB}) {
      plan.leave(bytes_of(arguments, input));
    }
    std::vector<std::size_t> starts_at = {0};
    for (const Run& run : runs) {
      starts_at.push_back(starts_at.back() + piece_count(dimensions_, contents_of(run)));
    }
    const std::span<device::CopyPlan::Piece> pieces = plan.append(starts_at.back());
    base::parallel_for((runs.size() + kRunsAThread - 1) / kRunsAThread, [&](std::size_t part) {
      for (std::size_t i = part * kRunsAThread; i < std::min(runs.size(), (part + 1) * kRunsAThread); ++i) {
        compose_tokens(dimensions_, pool_, seed_, stream_of(runs[i].sequence), runs[i].number, contents_of(runs[i]),
                       pieces.subspan(starts_at[i], starts_at[i + 1] - starts_at[i]));
      }
    });
  } else {
    base::parallel_for(runs.size(), [&](std::size_t i) {
      fill_tokens(dimensions_, pool_, recipes[runs[i].sequence], seed_, stream_of(runs[i].sequence), runs[i].number,
                  contents_of(runs[i]));
    });
  }
  const auto state_of = [&](std::size_t i) {
    return state.subspan(i * dimensions_.state_size(), dimensions_.state_size());
  };
  const auto random_of_state = [&](std::size_t i) {
    return base::Philox(seed_, base::mix(stream_of(i / heads), base::stream_id("gdn_prefill.state") + i % heads));
  };
  if (std::none_of(recipes.begin(), recipes.end(), [](const Recipe& recipe) { return recipe.denormals > 0; })) {
    plan.leave(bytes_of(arguments, kState));
    for (std::size_t i = 0; i < lengths.size() * heads; ++i) {
      base::Philox state_random = random_of_state(i);
      compose_head_state(pool_, recipes[i / heads], state_random, state_of(i), plan);
    }
  } else {
    base::parallel_for(lengths.size() * heads, [&](std::size_t i) {
      base::Philox state_random = random_of_state(i);
      fill_head_state(pool_, recipes[i / heads], state_random, state_of(i));
    });
  }
  // Its absence means the usual scale. A 0 is passed on: the definition gives it a meaning that a candidate must know.
  arguments[kScale] =
      Scalar(workload_scalar(workload, "scale", 1.0 / std::sqrt(static_cast<double>(dimensions_.head_size))));
}

void Generator::perturb(std::uint64_t which, std::uint64_t call, std::span<Argument> arguments) {
  ASSAY_CHECK(arguments.size() == kInputCount);
  base::Philox random(seed_, base::mix(base::mix(base::stream_id("gdn_prefill.perturb"), which), call));
  // Those whose one element surely shows. A gate or a decay of one head may be so near 0 or 1 that nothing shows, and
  // other sequence lengths are another workload.
  constexpr std::array<Input, 4> kTensors = {kQ, kK, kV, kState};
  const std::uint64_t choice = which % (kTensors.size() + 1);
  if (choice == kTensors.size()) {
    arguments[kScale] = changed_scale(std::get<Scalar>(arguments[kScale]));
    return;
  }
  const Input input = kTensors[choice];
  if (input == kState) {
    // The state of an empty sequence decides nothing.
    const auto starts = elements_of<std::int64_t>(arguments, kCuSeqlens);
    std::vector<std::size_t> sequences;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      if (starts[i + 1] > starts[i]) {
        sequences.push_back(i);
      }
    }
    ASSAY_CHECK(!sequences.empty());
    const std::size_t sequence_size = dimensions_.value_heads * dimensions_.state_size();
    const std::size_t sequence = sequences[random.next_below(sequences.size())];
    elements_of<float>(arguments, kState)[sequence * sequence_size + random.next_below(sequence_size)] += 32.0F;
    return;
  }
  const auto values = elements_of<std::uint16_t>(arguments, input);
  std::uint16_t& bits = values[random.next_below(values.size())];
  bits = tensor::to_bfloat16(tensor::from_bfloat16(bits) + (input == kV ? 4.0F : 0.5F));
}

}  // namespace assay::operators::gdn_prefill
