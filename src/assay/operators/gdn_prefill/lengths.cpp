#include <assay/operators/gdn_prefill/lengths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <assay/base/error.hpp>

namespace assay::operators::gdn_prefill {
namespace {

std::int64_t axis(const task::Workload& workload, std::string_view name) {
  const std::int64_t* value = task::find(workload.axes, name);
  ASSAY_CHECK(value != nullptr && *value >= 0);
  return *value;
}

std::vector<std::int64_t> lengths_like_a_models(std::uint64_t uuid, std::int64_t sequences, std::int64_t tokens) {
  base::Philox random(uuid, base::stream_id("gdn_prefill.lengths"));
  const auto count = static_cast<std::size_t>(sequences);
  std::vector<std::int64_t> lengths(count, 0);
  for (std::size_t i = 0; i < std::min(count, static_cast<std::size_t>(tokens)); ++i) {
    lengths[i] = 1;
  }
  std::int64_t left = std::max<std::int64_t>(0, tokens - sequences);
  if (count == 0 || left == 0) {
    return lengths;
  }
  const std::size_t longest = random.next_below(count);
  const double share = count == 1 ? 1.0 : 0.3 + 0.4 * random.next_uniform();
  std::vector<double> weights(count);
  std::generate(weights.begin(), weights.end(), [&] { return std::exp(random.next_normal()); });
  weights[longest] = 0;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto shared = static_cast<double>(left) * (1.0 - share);
  for (std::size_t i = 0; i < count && sum > 0; ++i) {
    const auto more = static_cast<std::int64_t>(shared * weights[i] / sum);
    lengths[i] += more;
    left -= more;
  }
  lengths[longest] += left;
  return lengths;
}

std::int64_t one_of(base::Philox& random, std::span<const std::int64_t> choices) {
  return choices[random.next_below(choices.size())];
}

std::int64_t below(base::Philox& random, std::uint64_t bound) {
  return static_cast<std::int64_t>(random.next_below(bound));
}

std::int64_t draw_length(LengthPlan plan, base::Philox& random, std::uint64_t most_tokens) {
  static constexpr std::array<std::int64_t, 8> kTiny = {0, 1, 0, 1, 1, 2, 0, 3};
  static constexpr std::array<std::int64_t, 12> kEdges = {63, 64, 65, 127, 128, 129, 64, 128, 15, 17, 31, 33};
  static constexpr std::array<std::int64_t, 16> kAnything = {0,  1,  2,  3,  5,   7,   13,  31,
                                                             63, 64, 65, 97, 127, 128, 129, 191};
  switch (plan) {
    case LengthPlan::empty_and_single:
      return one_of(random, kTiny);
    case LengthPlan::tile_edges:
      return one_of(random, kEdges);
    case LengthPlan::one_long:
      return below(random, 9);
    case LengthPlan::several:
      return one_of(random, kAnything);
    case LengthPlan::chains:
      return static_cast<std::int64_t>(most_tokens) - below(random, 1 + most_tokens / 4);
    case LengthPlan::many:
      return below(random, 6);
  }
  base::check_failed("a LengthPlan", __FILE__, __LINE__);
}

std::uint64_t draw_count(LengthPlan plan, base::Philox& random, std::uint64_t most) {
  switch (plan) {
    case LengthPlan::chains:
      return std::min<std::uint64_t>(most, 1 + random.next_below(2));
    case LengthPlan::many:
      return most;
    case LengthPlan::tile_edges:
      return 1 + random.next_below(std::min<std::uint64_t>(most, 4));
    default:
      return std::min<std::uint64_t>(most, 2 + random.next_below(7));
  }
}

}  // namespace

std::vector<std::int64_t> sequence_lengths(const task::Workload& workload) {
  const std::int64_t sequences = axis(workload, "num_seqs");
  const std::int64_t tokens = axis(workload, "total_seq_len");
  if (workload.lengths.empty()) {
    return lengths_like_a_models(base::stream_id(workload.uuid), sequences, tokens);
  }
  const auto& lengths = workload.lengths;
  ASSAY_CHECK(static_cast<std::int64_t>(lengths.size()) == sequences);
  ASSAY_CHECK(std::all_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length >= 0; }));
  ASSAY_CHECK(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) == tokens);
  return lengths;
}

std::vector<std::int64_t> cumulative(std::span<const std::int64_t> lengths) {
  std::vector<std::int64_t> starts{0};
  for (const std::int64_t length : lengths) {
    starts.push_back(starts.back() + length);
  }
  return starts;
}

std::vector<std::int64_t> draw_lengths(LengthPlan plan, base::Philox& random, std::uint64_t most_sequences,
                                       std::uint64_t most_tokens) {
  ASSAY_CHECK(most_sequences > 0 && most_tokens > 0);
  std::vector<std::int64_t> lengths(draw_count(plan, random, most_sequences));
  auto left = static_cast<std::int64_t>(most_tokens);
  for (std::int64_t& length : lengths) {
    length = std::min(left, draw_length(plan, random, most_tokens));
    left -= length;
  }
  std::int64_t& chosen = lengths[random.next_below(lengths.size())];
  if (plan == LengthPlan::one_long) {
    chosen += left - below(random, 1 + static_cast<std::uint64_t>(left) / 2);
  }
  if (plan == LengthPlan::empty_and_single && lengths.size() > 1) {
    chosen = 0;
  }
  if (std::all_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length == 0; })) {
    (&chosen == &lengths.front() ? lengths.back() : lengths.front()) = 1;
  }
  return lengths;
}

}  // namespace assay::operators::gdn_prefill
