#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <assay/base/random.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::gdn_decode {

/// Kinds of stress, in an order that never changes.
inline constexpr std::array<StressKind, 12> kStressKinds = {{
    {"zero_state", "a batch entry whose state is all zeros, as that of a sequence that starts here"},
    {"sparse_state",
     "a batch entry whose state is zero but for one element a head: what begins with zeros need not be"},
    {"large_state", "states of 8 N(0, 1): outputs of order 1"},
    {"forgetting", "gates near 0: nothing of the old state may be left"},
    {"remembering", "gates near 1: the old state must keep its float32 digits"},
    {"extreme_beta", "betas within 0.3 % of 0 or 1: a token that writes nothing, or replaces all of its key's value"},
    {"long_chain", "states that 64 steps with correlated keys left behind"},
    {"mixed_magnitudes", "batch entries whose values and states differ by up to 2^30"},
    {"tiny_values", "batch entries with values and states of 2^-100, denormals among them"},
    {"zero_keys", "keys that are all zeros: the state only decays"},
    {"repeated_keys", "a state that holds one value, at the key that now comes again and that the query asks for"},
    {"undecayed", "gates of 1: but for the key's part, the state stays as it is, digit for digit"},
}};

/// Chains are made of this kind: with decays of 1 there is no error in them that could add up.
inline constexpr std::size_t kUndecayedKind = 11;

/// Kinds from this one on are usual contents that `make_difficult` then changes; those before are kinds of calls.
inline constexpr std::size_t kFirstChangedKind = 3;

[[nodiscard]] StressTrial make_stress_trial(std::uint64_t seed, std::uint64_t index, std::uint64_t largest_bytes);

/// Changes usual contents into those of a kind, kFirstChangedKind or later. `normals` is a pool of N(0, 1) to cut from.
void make_difficult(std::size_t kind, base::Philox& random, std::span<const float> normals,
                    std::span<Argument> arguments);

}  // namespace assay::operators::gdn_decode
