#pragma once

#include <memory>
#include <string_view>

#include <assay/base/error.hpp>
#include <assay/operators/cuda/device_reference.hpp>

/// One maker an operator: nullptr if the definition is not of this operator, before anything of a GPU is touched. A new
/// operator adds its maker here and to the list in device_reference.cpp.
namespace assay::operators::cuda {

using Made = base::Result<std::unique_ptr<DeviceReference>>;

/// Expected: output and new_state. Float64 throughout.
[[nodiscard]] Made make_gdn_decode(std::string_view definition_name);

/// Expected: gdn_prefill::Kept, as the CPU's reference leaves them. Float64 throughout. Contest and small sibling.
[[nodiscard]] Made make_gdn_prefill(std::string_view definition_name);

/// Expected: the output of the nominal selection of experts, and one value a token: 1 if its scores leave another
/// selection open, else 0. What differs from the output at a token of 1 may be right all the same; only the CPU's
/// comparison can tell, which has all legal selections. Float64 throughout. Contest and small sibling. Scratch grows
/// with the tokens up to 4096 of them (2.4 GB at the contest's sizes).
[[nodiscard]] Made make_moe_fp8_block_scale(std::string_view definition_name);

/// Expected: dsa_topk_indexer::Expected, laid out by what the axes allow rather than by the lengths, which lie on the
/// device:
///  - kIndices: none. Which tokens are right is a set that need not be unique; what the check needs are scores;
///  - kScores and kSlacks: batch_size rows of max_num_pages * page_size each, the values that the CPU's reference leaves,
///    bit by bit where its compiler does not fuse products and sums; NaN and infinity behind a row's end and in rows of
///    at most topk tokens.
/// A length or a page that is out of range is no error: the check is in doubt, and the CPU's reference names it.
[[nodiscard]] Made make_dsa_topk_indexer(std::string_view definition_name);

/// Expected: output and lse. Float64 throughout. An index that is neither -1 nor a token makes its row NaN: the CPU's
/// reference names it. Scratch holds a double for each slot of each head. Contest and small sibling.
[[nodiscard]] Made make_dsa_sparse_attention(std::string_view definition_name);

}  // namespace assay::operators::cuda
