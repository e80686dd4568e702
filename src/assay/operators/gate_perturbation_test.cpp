#include <assay/operators/gate_perturbation.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace assay::operators {
namespace {

using tensor::from_bfloat16;
using tensor::to_bfloat16;

TEST(GatePerturbation, BetaChangesByAtLeastOneHalf) {
  for (const float value : {-40.0F, -2.0F, -0.01F, 0.0F, 0.01F, 2.0F, 40.0F}) {
    std::uint16_t b = to_bfloat16(value);
    const double before = sigmoid(static_cast<double>(from_bfloat16(b)));
    perturb_beta(b);
    EXPECT_GE(std::fabs(sigmoid(static_cast<double>(from_bfloat16(b))) - before), 0.499) << value;
  }
}

TEST(GatePerturbation, TheDecayChangesByAtLeastOneHalfThroughEachPart) {
  for (const DecayPart part : {DecayPart::a_log, DecayPart::a, DecayPart::dt_bias}) {
    for (const float value : {-3.0F, -1.0F, 0.0F, 1.0F}) {
      float a_log = value;
      std::uint16_t a = to_bfloat16(value / 2);
      float dt_bias = -value;
      const auto now = [&] {
        return decay(static_cast<double>(a_log), static_cast<double>(from_bfloat16(a)), static_cast<double>(dt_bias));
      };
      const float a_log_before = a_log;
      const std::uint16_t a_before = a;
      const float dt_bias_before = dt_bias;
      const double before = now();
      perturb_decay({a_log, a, dt_bias}, part);
      EXPECT_GE(std::fabs(now() - before), 0.49) << static_cast<int>(part) << " " << value;
      EXPECT_EQ(a_log != a_log_before, part == DecayPart::a_log);
      EXPECT_EQ(a != a_before, part == DecayPart::a);
      EXPECT_EQ(dt_bias != dt_bias_before, part == DecayPart::dt_bias);
    }
  }
}

}  // namespace
}  // namespace assay::operators
