#pragma once

#include <cstddef>

namespace assay::operators::gdn_decode {

/// Constant axes of gdn_decode_qk4_v8_d128_k_last.
inline constexpr std::size_t kQueryHeads = 4;  ///< As many key heads.
inline constexpr std::size_t kValueHeads = 8;
inline constexpr std::size_t kHeadSize = 128;
/// Elements of one head's state: 128 rows of the value dimension, each with 128 contiguous keys.
inline constexpr std::size_t kStateSize = kHeadSize * kHeadSize;
/// Value heads 2i and 2i + 1 share query and key head i.
inline constexpr std::size_t kValueHeadsPerQueryHead = kValueHeads / kQueryHeads;

/// Positions of the arguments in calling order.
enum Input : std::size_t { kQ, kK, kV, kState, kALog, kA, kDtBias, kB, kScale, kInputCount };
enum Output : std::size_t { kOutput, kNewState, kOutputCount };

}  // namespace assay::operators::gdn_decode
