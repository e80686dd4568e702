#pragma once

#include <fmt/format.h>
#include <string>

#include <assay/task/definition.hpp>

namespace assay::operators::for_test {

inline task::Axis variable() { return {}; }
inline task::Axis constant(std::int64_t value) { return {task::Axis::Kind::constant, value, std::nullopt}; }

/// Test only: C = A B^T as the public dataset defines it.
inline task::Definition gemm_definition(std::int64_t n, std::int64_t k, tensor::DType dtype) {
  task::Definition definition;
  definition.name = fmt::format("gemm_n{}_k{}", n, k);
  definition.op_type = "gemm";
  definition.axes = {{"M", variable()}, {"N", constant(n)}, {"K", constant(k)}};
  using Shape = std::vector<std::string>;
  definition.inputs = {{"A", {Shape{"M", "K"}, dtype, std::nullopt}}, {"B", {Shape{"N", "K"}, dtype, std::nullopt}}};
  definition.outputs = {{"C", {Shape{"M", "N"}, dtype, std::nullopt}}};
  definition.reference = "import torch\n\ndef run(A, B):\n    C = torch.matmul(A, B.T)\n    return C";
  return definition;
}

/// Test only: RMSNorm, with or without a residual, as the public dataset defines it.
inline task::Definition rmsnorm_definition(std::int64_t width, bool adds_residual, tensor::DType dtype,
                                           const std::string& epsilon = "1e-6") {
  task::Definition definition;
  definition.name = fmt::format("{}rmsnorm_h{}", adds_residual ? "fused_add_" : "", width);
  definition.op_type = "rmsnorm";
  definition.axes = {{"batch_size", variable()}, {"hidden_size", constant(width)}};
  const std::vector<std::string> row = {"batch_size", "hidden_size"};
  definition.inputs.emplace_back("hidden_states", task::TensorSpec{row, dtype, std::nullopt});
  if (adds_residual) {
    definition.inputs.emplace_back("residual", task::TensorSpec{row, dtype, std::nullopt});
  }
  definition.inputs.emplace_back("weight",
                                 task::TensorSpec{std::vector<std::string>{"hidden_size"}, dtype, std::nullopt});
  definition.outputs = {{"output", {row, dtype, std::nullopt}}};
  definition.reference = fmt::format(
      "import torch\n\n@torch.no_grad()\ndef run(hidden_states, {}weight):\n    batch_size, hidden_size = "
      "hidden_states.shape\n    # Check constants\n    assert hidden_size == {}\n\n    EPS = {}\n\n    x = "
      "hidden_states.to(torch.float32){}\n    inv_rms = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + EPS)\n    y "
      "= (x * inv_rms) * weight.to(torch.float32)\n    return y.to(hidden_states.dtype)",
      adds_residual ? "residual, " : "", width, epsilon, adds_residual ? " + residual.to(torch.float32)" : "");
  return definition;
}

}  // namespace assay::operators::for_test
