#include <assay/evaluate/call_description.hpp>

#include <dlpack/dlpack.h>

#include <assay/base/error.hpp>

namespace assay::evaluate {

namespace {

struct WireType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
};

WireType wire_type(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::float32:
      return {kDLFloat, 32};
    case tensor::DType::float16:
      return {kDLFloat, 16};
    case tensor::DType::bfloat16:
      return {kDLBfloat, 16};
    case tensor::DType::float8_e4m3fn:
      return {kDLFloat8_e4m3fn, 8};
    case tensor::DType::float8_e5m2:
      return {kDLFloat8_e5m2, 8};
    case tensor::DType::float4_e2m1:
      return {kDLFloat4_e2m1fn, 4};
    case tensor::DType::int64:
      return {kDLInt, 64};
    case tensor::DType::int32:
      return {kDLInt, 32};
    case tensor::DType::int16:
      return {kDLInt, 16};
    case tensor::DType::int8:
      return {kDLInt, 8};
    case tensor::DType::boolean:
      return {kDLBool, 8};
    case tensor::DType::uint8:
      return {kDLUInt, 8};
    case tensor::DType::uint32:
      return {kDLUInt, 32};
    case tensor::DType::float64:
      return {kDLFloat, 64};
    case tensor::DType::unknown:
    case tensor::DType::string:
    case tensor::DType::element_type:
      base::check_failed("a dtype with storage", __FILE__, __LINE__);
  }
  return {};
}

worker::TensorArgument tensor_argument(const verify::Place& place, worker::Memory memory) {
  const WireType type = wire_type(place.dtype);
  return {memory, type.code, type.bits, place.offset, place.shape};
}

worker::CallArgument scalar_argument(const operators::Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return worker::IntegerArgument{*integer};
  }
  if (const auto* real = std::get_if<double>(&scalar)) {
    return worker::FloatArgument{*real};
  }
  return worker::BooleanArgument{std::get<bool>(scalar)};
}

}  // namespace

worker::Call describe_call(const verify::Layout& layout, std::span<const operators::Argument> inputs,
                           const base::Timing& timing) {
  worker::Call call;
  call.timing = timing;
  for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
    if (layout.inputs[i]) {
      call.inputs.emplace_back(tensor_argument(*layout.inputs[i], worker::Memory::inputs));
    } else {
      call.inputs.push_back(scalar_argument(std::get<operators::Scalar>(inputs[i])));
    }
  }
  for (const verify::Place& place : layout.outputs) {
    call.outputs.emplace_back(tensor_argument(place, worker::Memory::outputs));
  }
  return call;
}

base::Result<worker::Call> describe_call(const Contestant& contestant, const task::Definition& definition,
                                         const task::AxisValues& axes, const verify::Layout& layout,
                                         std::span<const operators::Argument> inputs, const base::Timing& timing) {
  worker::Call call = describe_call(layout, inputs, timing);
  if (contestant.plan) {
    ASSAY_TRY(add_launches(*contestant.plan, definition, axes, inputs, call));
  }
  return call;
}

}  // namespace assay::evaluate
