#include <cstring>

#include <assay/operators/dsa_sparse_attention/generator.hpp>
#include <assay/operators/dsa_sparse_attention/rows.hpp>

namespace assay::operators::dsa_sparse_attention {

// With a variation all ids lie some pages further on, from the last to the first: neighbours stay neighbours.
void Generator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                           std::span<Argument> arguments) {
  const CallView view(dimensions_, arguments);
  base::Philox random(
      seed_, base::mix(base::mix(base::stream_id("dsa_sparse_attention.given"), base::stream_id(workload.uuid)), call));
  if (given.has(kSparseIndices)) {
    copy_given(given, kSparseIndices, arguments);
    const std::size_t turn = given.varied() ? random.next_below(view.pages()) * dimensions_.page_size : 0;
    for (std::size_t row = 0; turn != 0 && row < view.rows(); ++row) {
      for (std::size_t slot = 0; slot < dimensions_.topk; ++slot) {
        if (view.index(row, slot) != kNoToken) {
          view.set_index(row, slot, static_cast<std::int32_t>((view.token(row, slot) + turn) % view.tokens()));
        }
      }
    }
  } else {
    fill_indices(view, sequence_lengths(dimensions_, workload), random);
  }
  device::CopyPlan plan;
  compose_queries(view, random, plan);
  compose_keys(view, random, plan);
  plan.settle();
  for (const Input values : {kQNope, kQPe, kCkvCache, kKpeCache}) {
    if (!given.varied()) {
      copy_given(given, values, arguments);
    }
  }
  arguments[kSmScale] = Scalar(workload_scalar(workload, "sm_scale", dimensions_.sm_scale));
}

}  // namespace assay::operators::dsa_sparse_attention
