#pragma once

#include <span>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/operators/dsa_sparse_attention/layout.hpp>
#include <assay/operators/operator.hpp>

namespace assay::operators::dsa_sparse_attention {

/// Computes output and lse in double precision from the quantised inputs. For each row and head, over the slots of the
/// row that are not -1 (a token that two slots name counts twice):
///   l_t    = sm_scale * (q_nope . ckv_t + q_pe . kpe_t)
///   output = sum_t e^(l_t - m) ckv_t / s,  s = sum_t e^(l_t - m),  m = max_t l_t
///   lse    = (m + ln s) / ln 2
/// A row with no token gives output 0 and lse -infinity. Reads the tokens that the rows name and nothing else of the
/// caches. An index that is neither -1 nor a token is an input error that names it; arguments that do not fit the
/// definition are internal errors: the caller checked the workload.
[[nodiscard]] base::Result<void> compute_reference(const Dimensions& dimensions, const task::AxisValues& axes,
                                                   std::span<const ConstArgument> inputs,
                                                   std::vector<ExpectedValues>& outputs);

/// Reads sparse_indices, `rows` times topk of them, and checks that each is -1 or one of `tokens` tokens.
[[nodiscard]] base::Result<std::vector<std::int32_t>> read_indices(const Dimensions& dimensions,
                                                                   std::span<const ConstArgument> inputs,
                                                                   std::size_t rows, std::size_t tokens);

}  // namespace assay::operators::dsa_sparse_attention
