#include <assay/operators/operator.hpp>

#include <fmt/format.h>
#include <vector>

#include <assay/operators/dsa_sparse_attention/operator.hpp>
#include <assay/operators/dsa_topk_indexer/operator.hpp>
#include <assay/operators/gdn_decode/operator.hpp>
#include <assay/operators/gdn_prefill/operator.hpp>
#include <assay/operators/gemm/operator.hpp>
#include <assay/operators/moe_fp8_block_scale/operator.hpp>
#include <assay/operators/rmsnorm/operator.hpp>
#include <assay/tensor/official_comparison.hpp>
#include <assay/tensor/rounding.hpp>

namespace assay::operators {
namespace {

/// Every operator that Assay knows: those of the contest, and small siblings for trials by the thousand on a CPU.
const std::vector<const Operator*>& all_operators() {
  static const std::vector<const Operator*> kAll = [] {
    std::vector<const Operator*> all = {&gdn_decode::instance()};
    for (const std::span<const Operator* const> instances :
         {dsa_sparse_attention::instances(), dsa_topk_indexer::instances(), gdn_prefill::instances(),
          moe_fp8_block_scale::instances()}) {
      all.insert(all.end(), instances.begin(), instances.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace

void InputGenerator::fill_given(const task::Workload& workload, std::uint64_t call, const GivenInputs& given,
                                std::span<Argument> arguments) {
  fill(workload, call, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* view = std::get_if<tensor::View>(&arguments[i]);
    if (view != nullptr && !(given.varied() && tensor::is_floating(view->dtype))) {
      copy_given(given, i, arguments);
    }
  }
}

std::optional<tensor::Mismatch> Operator::compare(const task::AxisValues& /*axes*/,
                                                  std::span<const ConstArgument> /*inputs*/, std::size_t output,
                                                  const tensor::ConstView& got,
                                                  std::span<const ExpectedValues> expected) const {
  return tensor::compare(got, expected[output], rule(output));
}

int Operator::working_bits(std::size_t output) const {
  const tensor::DType dtype = interface().outputs[output].second.dtype;
  return tensor::is_floating(dtype) ? tensor::significant_bits(dtype) : 0;
}

OfficialRule Operator::official_rule(std::size_t /*output*/) const { return {}; }

std::optional<tensor::Mismatch> Operator::official_compare(const task::AxisValues& /*axes*/,
                                                           std::span<const ConstArgument> /*inputs*/,
                                                           std::size_t output, const tensor::ConstView& got,
                                                           std::span<const ExpectedValues> expected) const {
  const OfficialRule official = official_rule(output);
  return tensor::compare_officially(got, expected[output], official.absolute, official.relative,
                                    official.matched_ratio);
}

const Operator* find_operator(std::string_view definition_name) {
  for (const Operator* candidate : all_operators()) {
    if (candidate->definition_name() == definition_name) {
      return candidate;
    }
  }
  return nullptr;
}

std::shared_ptr<const Operator> find_operator(const task::Definition& definition) {
  if (const Operator* named = find_operator(definition.name)) {
    return {std::shared_ptr<void>(), named};  // Lives for ever: owned by nobody.
  }
  if (std::shared_ptr<const Operator> product = gemm::recognise(definition)) {
    return product;
  }
  return rmsnorm::recognise(definition);
}

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const Operator* known : all_operators()) {
    names.push_back(known->definition_name());
  }
  return names;
}

}  // namespace assay::operators
