#include <assay/operators/moe_fp8_block_scale/stress.hpp>

#include <fmt/format.h>
#include <algorithm>

#include <assay/base/random.hpp>

namespace assay::operators::moe_fp8_block_scale {

StressTrial make_stress_trial(const Dimensions& dimensions, std::uint64_t seed, std::uint64_t index,
                              std::uint64_t largest_bytes) {
  // One, one more and one less than the tiles of kernels, primes.
  constexpr std::array<std::int64_t, 24> kTokens = {1,  2,  3,  5,  7,  8,  9,  13, 15,  16,  17,  23,
                                                    31, 32, 33, 47, 63, 64, 65, 97, 127, 128, 129, 257};
  const std::uint64_t bytes_a_token =
      (dimensions.experts + dimensions.hidden_blocks()) * sizeof(float) + 3 * dimensions.hidden;
  const auto most = static_cast<std::int64_t>(std::max<std::uint64_t>(1, largest_bytes / bytes_a_token));
  const auto fitting = std::upper_bound(kTokens.begin(), kTokens.end(), most) - kTokens.begin();
  base::Philox random(seed, base::mix(base::stream_id("moe_fp8_block_scale.stress"), index));
  StressTrial trial;
  trial.kind = index % kStressKinds.size();
  trial.workload.uuid = fmt::format("stress-moe_fp8_block_scale-{:x}-{}", seed, index);
  trial.workload.axes = {{"seq_len", kTokens[random.next_below(static_cast<std::uint64_t>(fitting))]}};
  const std::uint64_t shards = dimensions.experts / dimensions.local_experts;
  const std::uint64_t shard = random.next_below(shards);
  trial.workload.inputs = {
      {"local_expert_offset", task::ScalarInput{static_cast<std::int64_t>(shard * dimensions.local_experts)}},
      {"routed_scaling_factor", task::ScalarInput{random.next_below(4) == 0 ? 0.5 + random.next_uniform() : 2.5}}};
  return trial;
}

}  // namespace assay::operators::moe_fp8_block_scale
