#pragma once

#include <cstdint>

#include <assay/operators/gated_delta_rule.hpp>
#include <assay/tensor/dtype.hpp>

namespace assay::operators {

/// Changes of a gated delta rule's gates that no honest kernel can miss, for one token or step and one value head.

/// What is written becomes nothing, or all of it: beta changes by at least one half. `b` is a bfloat16.
inline void perturb_beta(std::uint16_t& b) { b = tensor::to_bfloat16(tensor::from_bfloat16(b) > 0 ? -30.0F : 30.0F); }

/// What the decay is made of. `a` is a bfloat16.
struct DecayGate {
  float& a_log;
  std::uint16_t& a;
  float& dt_bias;
};
enum class DecayPart : std::uint8_t { a_log, a, dt_bias };

/// The state stays, or is forgotten: the decay changes by at least one half, through one of its parts.
inline void perturb_decay(const DecayGate& gate, DecayPart part) {
  const bool forget = decay(static_cast<double>(gate.a_log), static_cast<double>(tensor::from_bfloat16(gate.a)),
                            static_cast<double>(gate.dt_bias)) > 0.5;
  switch (part) {
    case DecayPart::a_log:
      gate.a_log = forget ? 16.0F : -40.0F;
      break;
    case DecayPart::a:
      gate.a = tensor::to_bfloat16(forget ? 40.0F : -40.0F);
      break;
    case DecayPart::dt_bias:
      gate.dt_bias = forget ? 40.0F : -40.0F;
      break;
  }
}

}  // namespace assay::operators
