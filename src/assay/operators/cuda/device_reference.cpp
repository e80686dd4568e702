#include <assay/operators/cuda/device_reference.hpp>

#include <assay/operators/cuda/makers.hpp>

namespace assay::operators::cuda {
namespace {

using Maker = Made (*)(std::string_view definition_name);

/// The makers of all operators, one a line.
constexpr Maker kMakers[] = {
    make_gdn_decode, make_gdn_prefill, make_moe_fp8_block_scale, make_dsa_topk_indexer, make_dsa_sparse_attention,
};

}  // namespace

base::Result<std::unique_ptr<DeviceReference>> make_device_reference(std::string_view definition_name) {
  for (const Maker make : kMakers) {
    Made made = make(definition_name);
    if (!made || *made != nullptr) {
      return made;
    }
  }
  return nullptr;
}

}  // namespace assay::operators::cuda
