#include <assay/operators/gdn_prefill/stress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include <assay/base/error.hpp>
#include <assay/operators/gdn_prefill/lengths.hpp>

namespace assay::operators::gdn_prefill {
namespace {

enum Kind : std::size_t {
  kEmptyAndSingle,
  kTileEdges,
  kOneLong,
  kRemembering,
  kRepeatedKeys,
  kForgetting,
  kExtremeBeta,
  kLongChain,
  kLargeState,
  kMixed,
  kManySequences,
  kZeroKeys,
  kTinyValues,
};
static_assert(kTinyValues + 1 == kStressKinds.size());

constexpr std::array<LengthPlan, kStressKinds.size()> kPlans = {
    LengthPlan::empty_and_single, LengthPlan::tile_edges, LengthPlan::one_long, LengthPlan::chains,
    LengthPlan::several,          LengthPlan::several,    LengthPlan::several,  LengthPlan::chains,
    LengthPlan::tile_edges,       LengthPlan::several,    LengthPlan::many,     LengthPlan::tile_edges,
    LengthPlan::several,
};

}  // namespace

Recipe draw_recipe(std::size_t kind, base::Philox& random) {
  Recipe recipe;
  switch (kind) {
    case kRemembering:
      recipe.usual_a = recipe.usual_b = false;
      recipe.a = {-12, -8};
      recipe.b = {-12, -6};
      recipe.state_factor = 1;
      break;
    case kRepeatedKeys:
      recipe.distinct_keys = 1 + random.next_below(3);
      recipe.usual_a = recipe.usual_b = false;
      recipe.a = {-7, -2};
      recipe.b = {-1, 4};
      break;
    case kForgetting:
      recipe.usual_a = false;
      recipe.a = {10, 24};
      break;
    case kExtremeBeta:
      recipe.usual_b = false;
      recipe.b = {6, 20};
      recipe.b_of_either_sign = true;
      break;
    case kLongChain:
      recipe.key_correlation = 0.6;
      recipe.usual_a = false;
      recipe.a = {-10, -5};
      break;
    case kLargeState:
      recipe.state_factor = 8;
      recipe.one_head_keeps = true;
      break;
    case kMixed: {
      constexpr std::array<Kind, 8> kParts = {kTileEdges,   kRemembering, kRepeatedKeys, kForgetting,
                                              kExtremeBeta, kLongChain,   kLargeState,   kZeroKeys};
      recipe = draw_recipe(kParts[random.next_below(kParts.size())], random);
      const double magnitude = std::exp2(static_cast<double>(random.next_below(25)) - 16.0);
      recipe.value_factor *= magnitude;
      recipe.state_factor *= magnitude;
      break;
    }
    case kZeroKeys:
      recipe.zero_keys = 0.5;
      break;
    case kTinyValues:
      recipe.value_factor = 0x1p-100;
      recipe.state_factor = 0x1p-100;
      recipe.denormals = 0.1;
      break;
    default: {  // It is the lengths that are difficult; a sequence may start with nothing in its state.
      ASSAY_CHECK(kind == kEmptyAndSingle || kind == kTileEdges || kind == kOneLong || kind == kManySequences);
      recipe.one_head_keeps = kind == kTileEdges || kind == kOneLong;
      const std::uint64_t state = random.next_below(4);
      recipe.state = state == 0 ? Recipe::State::zero : state == 1 ? Recipe::State::sparse : Recipe::State::usual;
      break;
    }
  }
  return recipe;
}

StressTrial make_stress_trial(const Dimensions& dimensions, std::string_view definition, std::uint64_t seed,
                              std::uint64_t index, std::uint64_t largest_bytes) {
  base::Philox random(seed, base::mix(base::stream_id("gdn_prefill.stress"), index));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  // Half of the bytes for states, half for tokens; a third of the trials is half as large, a third a quarter.
  const std::uint64_t half = (largest_bytes >> random.next_below(3)) / 2;
  const std::uint64_t most_sequences = std::max<std::uint64_t>(1, half / dimensions.sequence_bytes());
  // At least one sequence there must be; where it alone takes more than half, tokens get what it leaves.
  const std::uint64_t left = largest_bytes - std::min<std::uint64_t>(largest_bytes, dimensions.sequence_bytes());
  const std::uint64_t most_tokens = std::max<std::uint64_t>(1, std::min(half, left) / dimensions.token_bytes());
  auto& workload = trial.workload;
  workload.lengths = draw_lengths(kPlans[trial.kind], random, most_sequences, most_tokens);
  const auto sequences = static_cast<std::int64_t>(workload.lengths.size());
  workload.uuid = fmt::format("stress-{}-{:x}-{}", definition, seed, index);
  workload.axes = {
      {"total_seq_len", std::accumulate(workload.lengths.begin(), workload.lengths.end(), std::int64_t{0})},
      {"num_seqs", sequences},
      {"len_cu_seqlens", sequences + 1}};
  workload.inputs = {{"scale", task::ScalarInput{random.next_below(4) == 0 ? 0.0 : 0.05 + random.next_uniform()}}};
  return trial;
}

}  // namespace assay::operators::gdn_prefill
