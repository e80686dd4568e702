#include <assay/operators/gdn_prefill/given.hpp>

#include <fmt/format.h>

#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_prefill/generator.hpp>
#include <assay/operators/sign_flips.hpp>

namespace assay::operators::gdn_prefill {

base::Result<void> check_given_starts(const task::Workload& workload, std::span<const std::byte> cu_seqlens) {
  const std::int64_t tokens = *task::find(workload.axes, "total_seq_len");
  const std::size_t count = cu_seqlens.size() / sizeof(std::int64_t);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = load<std::int64_t>(cu_seqlens, i);
    if (start < before || (i == 0 && start != 0) || (i + 1 == count && start != tokens)) {
      return base::input_error(
          "given.contents",
          fmt::format("cu_seqlens[{}] is {}, and they must go from 0 to total_seq_len = {} without falling", i, start,
                      tokens));
    }
    before = start;
  }
  return {};
}

// With a variation signs are flipped, of each sequence and head: those of keys, queries and the state's columns, and those
// of values and the state's rows. The rule knows neither; the output's signs are those of the rows.
void Generator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                           std::span<Argument> arguments) {
  fill(workload, call, arguments);
  for (const Input input : {kQ, kK, kV, kState, kALog, kA, kDtBias, kB, kCuSeqlens}) {
    copy_given(given, input, arguments);
  }
  if (!given.varied()) {
    return;
  }
  const Dimensions& d = dimensions_;
  const auto starts = elements_of<std::int64_t>(arguments, kCuSeqlens);
  const auto q = elements_of<std::uint16_t>(arguments, kQ);
  const auto k = elements_of<std::uint16_t>(arguments, kK);
  const auto v = elements_of<std::uint16_t>(arguments, kV);
  const auto state = elements_of<float>(arguments, kState);
  const std::size_t keys = d.query_heads * d.head_size;
  const std::size_t values = d.value_heads * d.head_size;
  const std::uint64_t stream = base::mix(base::stream_id("gdn_prefill.given"), base::stream_id(workload.uuid));
  base::parallel_for(starts.size() - 1, [&](std::size_t sequence) {
    base::Philox random(seed_, base::mix(base::mix(stream, call), sequence));
    const Signs columns = draw_signs(random, keys);
    const Signs rows = draw_signs(random, values);
    for (auto token = static_cast<std::size_t>(starts[sequence]);
         token < static_cast<std::size_t>(starts[sequence + 1]); ++token) {
      flip(q.subspan(token * keys, keys), columns);
      flip(k.subspan(token * keys, keys), columns);
      flip(v.subspan(token * values, values), rows);
    }
    for (std::size_t head = 0; head < d.value_heads; ++head) {
      flip(state.subspan((sequence * d.value_heads + head) * d.state_size(), d.state_size()),
           std::span(rows).subspan(head * d.head_size, d.head_size),
           std::span(columns).subspan(d.query_head_of(head) * d.head_size, d.head_size));
    }
  });
}

}  // namespace assay::operators::gdn_prefill
