#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay::operators::moe_fp8_block_scale {

/// Returns the subsets of `take` indices, each ascending, that are a choice of the largest scores when scores may be off
/// by half of `margin`: the smallest score inside is at least the largest one outside minus `margin`. At least
/// one; nullopt if there are more than `most`. 0 < take <= scores.size().
[[nodiscard]] std::optional<std::vector<std::vector<std::size_t>>> largest_subsets(std::span<const double> scores,
                                                                                   std::size_t take, double margin,
                                                                                   std::size_t most);

}  // namespace assay::operators::moe_fp8_block_scale
