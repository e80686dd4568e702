#include <assay/operators/cuda/device_check.hpp>

#include <fmt/format.h>
#include <algorithm>

#include <assay/operators/cuda/dsa_topk_check.hpp>
#include <assay/operators/cuda/gdn_prefill_check.hpp>

namespace assay::operators::cuda {
namespace {

using device::cuda::CompareRequest;
using device::cuda::Comparison;
using device::cuda::ElementFormat;

enum class Scope : std::uint8_t { tensor, row };

/// By ComparisonRule, output by output.
class RuleCheck final : public DeviceCheck {
 public:
  /// `scope`: of what the rule's RMS and norm are taken, the rule's own blocks or each row of the first axis by itself.
  RuleCheck(const Operator& op, Scope scope) : op_(&op), scope_(scope) {}

  [[nodiscard]] base::Result<std::size_t> scratch_bytes(const task::AxisValues& /*axes*/) const override { return 0; }

  [[nodiscard]] base::Result<void> enqueue(const DeviceCheckInput& call, device::cuda::TrustedKernels& kernels,
                                           const device::cuda::Stream& stream,
                                           std::span<std::byte> result) const override {
    ASSAY_CHECK(call.expected.size() >= call.outputs.size());
    std::vector<CompareRequest> requests = requests_for(call.outputs);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].expected = call.expected[i];
    }
    return kernels.enqueue_compare_all(requests, result, stream);
  }

  [[nodiscard]] DeviceVerdict read(std::span<const DeviceTensor> outputs,
                                   std::span<const std::byte> result) const override {
    const std::vector<CompareRequest> requests = requests_for(outputs);
    if (requests.size() < outputs.size()) {
      return {false, fmt::format("{} has elements that no kernel reads", name_of(requests.size()))};
    }
    const std::vector<Comparison> compared = device::cuda::TrustedKernels::compared(requests, result);
    std::optional<tensor::LargestErrors> errors;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (tensor::is_floating(outputs[i].dtype)) {
        errors = errors.value_or(tensor::LargestErrors{});
        errors->add({compared[i].totals.sums.largest_absolute, compared[i].totals.sums.largest_relative});
      }
    }
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (!compared[i].surely_right) {
        return {false,
                fmt::format("{}: {} of its blocks may be off by their norm, or elements by themselves", name_of(i),
                            compared[i].totals.norm_unsure),
                errors};
      }
    }
    return {true, "", errors};
  }

 private:
  // Without what is expected. They end before the first output that no kernel reads.
  [[nodiscard]] std::vector<CompareRequest> requests_for(std::span<const DeviceTensor> outputs) const {
    std::vector<CompareRequest> requests;
    for (const DeviceTensor& output : outputs) {
      const auto format = element_format(output.dtype);
      if (!format) {
        break;
      }
      device::cuda::DeviceRule rule = device_rule(op_->rule(requests.size()), output.shape);
      if (scope_ == Scope::row) {
        rule.rms_of_block = 1;
        rule.block_elements = row_elements(output.shape);
      }
      requests.push_back({output.address, *format, 0, tensor::element_count(output.shape), rule});
    }
    return requests;
  }

  [[nodiscard]] const std::string& name_of(std::size_t output) const { return op_->interface().outputs[output].first; }
  static std::size_t row_elements(const tensor::Shape& shape) {
    return shape.empty() || shape[0] == 0 ? 1 : tensor::element_count(shape) / static_cast<std::size_t>(shape[0]);
  }

  const Operator* op_;
  Scope scope_;
};

}  // namespace

base::Result<DeviceVerdict> DeviceCheck::check(const DeviceCheckInput& call, device::cuda::TrustedKernels& kernels,
                                               const device::cuda::Stream& stream) const {
  const std::size_t bytes = std::max<std::size_t>(1, call.outputs.size()) * kResultBytes;
  ASSAY_TRY_ASSIGN(const auto result, device::cuda::PinnedMemory::create(bytes));
  ASSAY_TRY(enqueue(call, kernels, stream, result.bytes()));
  ASSAY_TRY(stream.synchronize());
  return read(call.outputs, result.bytes());
}

std::optional<ElementFormat> element_format(tensor::DType dtype) {
  using enum tensor::DType;
  switch (dtype) {
    case float64:
      return ElementFormat::float64;
    case float32:
      return ElementFormat::float32;
    case float16:
      return ElementFormat::float16;
    case bfloat16:
      return ElementFormat::bfloat16;
    case float8_e4m3fn:
      return ElementFormat::float8_e4m3fn;
    case float8_e5m2:
      return ElementFormat::float8_e5m2;
    case int64:
      return ElementFormat::int64;
    case int32:
      return ElementFormat::int32;
    case int16:
      return ElementFormat::int16;
    case int8:
      return ElementFormat::int8;
    case uint32:
      return ElementFormat::uint32;
    case uint8:
      return ElementFormat::uint8;
    case boolean:
      return ElementFormat::boolean;
    default:
      return std::nullopt;
  }
}

device::cuda::DeviceRule device_rule(const tensor::ComparisonRule& rule, const tensor::Shape& shape) {
  ASSAY_CHECK(rule.norm_axes >= 0 && static_cast<std::size_t>(rule.norm_axes) <= shape.size());
  const tensor::Shape inner(shape.begin() + rule.norm_axes, shape.end());
  // Where every element is usual, none are too many and none lie side by side.
  return {.relative = rule.usual_part * rule.relative,
          .absolute_of_rms = rule.usual_part * rule.absolute_of_rms,
          .norm = rule.norm,
          .block_elements = std::max<std::uint64_t>(1, tensor::element_count(inner)),
          .error_ratio = rule.error_ratio,
          .working = rule.working};
}

base::Result<std::unique_ptr<DeviceCheck>> make_device_check(const Operator& op) {
  const std::string_view name = op.definition_name();
  if (name.starts_with("dsa_topk_indexer")) {
    return make_topk_check(name);
  }
  if (name.starts_with("gdn_prefill")) {
    return make_prefill_check(name);
  }
  // The mixture of experts holds each token's row by itself; a row of another legal choice of experts is not surely right.
  const bool by_row = name.starts_with("moe_fp8_block_scale");
  return std::make_unique<RuleCheck>(op, by_row ? Scope::row : Scope::tensor);
}

}  // namespace assay::operators::cuda
