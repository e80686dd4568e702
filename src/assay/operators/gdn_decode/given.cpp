#include <assay/base/parallel.hpp>
#include <assay/operators/arguments.hpp>
#include <assay/operators/gdn_decode/generator.hpp>
#include <assay/operators/gdn_decode/layout.hpp>
#include <assay/operators/sign_flips.hpp>

namespace assay::operators::gdn_decode {

// With a variation the batch entries are turned, and signs are flipped: those of a head's keys, queries and the state's
// columns, and those of values and the state's rows. The rule knows neither; the output's signs are those of the rows.
void Generator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                           std::span<Argument> arguments) {
  fill(workload, call, arguments);
  const std::uint64_t stream = base::mix(base::stream_id("gdn_decode.given"), base::stream_id(workload.uuid));
  base::Philox random(seed_, base::mix(stream, call));
  const std::size_t entries = bytes_of(arguments, kB).size() / (kValueHeads * sizeof(std::uint16_t));
  const std::size_t turn = given.varied() ? random.next_below(entries) : 0;
  for (const Input input : {kQ, kK, kV, kState, kA, kB}) {
    copy_given_turned(given, input, entries, turn, arguments);
  }
  copy_given(given, kALog, arguments);
  copy_given(given, kDtBias, arguments);
  if (!given.varied()) {
    return;
  }
  const Signs columns = draw_signs(random, entries * kQueryHeads * kHeadSize);
  const Signs rows = draw_signs(random, entries * kValueHeads * kHeadSize);
  flip(elements_of<std::uint16_t>(arguments, kQ), columns);
  flip(elements_of<std::uint16_t>(arguments, kK), columns);
  flip(elements_of<std::uint16_t>(arguments, kV), rows);
  const std::span<float> state = elements_of<float>(arguments, kState);
  base::parallel_for(entries * kValueHeads, [&](std::size_t head) {
    flip(state.subspan(head * kStateSize, kStateSize), std::span(rows).subspan(head * kHeadSize, kHeadSize),
         std::span(columns).subspan(head / kValueHeadsPerQueryHead * kHeadSize, kHeadSize));
  });
}

}  // namespace assay::operators::gdn_decode
