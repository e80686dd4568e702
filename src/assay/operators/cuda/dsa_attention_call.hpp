#pragma once

#include <cstdint>

/// What the GPU's reference of this operator shares with its kernels (dsa_sparse_attention.cu): C++17, passed as it is.
namespace assay::operators::cuda {

/// A call whose tensors lie in device memory; bfloat16 as its bits.
struct AttentionCall {
  const std::uint16_t* q_nope = nullptr;     ///< [rows, heads, ckv]
  const std::uint16_t* q_pe = nullptr;       ///< [rows, heads, kpe]
  const std::uint16_t* ckv_cache = nullptr;  ///< [tokens, ckv]
  const std::uint16_t* kpe_cache = nullptr;  ///< [tokens, kpe]
  const std::int32_t* indices = nullptr;     ///< [rows, topk]
  double sm_scale = 0;
  std::uint32_t rows = 0;
  std::uint32_t heads = 0;
  std::uint32_t ckv = 0;
  std::uint32_t kpe = 0;
  std::uint32_t topk = 0;
  std::uint32_t tokens = 0;
};

}  // namespace assay::operators::cuda
