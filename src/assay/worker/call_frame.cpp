#include <assay/worker/call_frame.hpp>

namespace assay::worker {

bool CallFrame::assemble(const Call& call, const Region& inputs, const Region& outputs, DLDevice device, void* stream) {
  device_ = device;
  call_.stream = stream;
  const std::size_t count = call.inputs.size() + call.outputs.size();
  tensors_.assign(count, DLTensor{});
  shapes_.assign(count, {});
  strides_.assign(count, {});
  arguments_.assign(count, assay_argument{});
  std::size_t at = 0;
  for (const auto* list : {&call.inputs, &call.outputs}) {
    for (const CallArgument& argument : *list) {
      if (!place(argument, inputs, outputs, at++)) {
        return false;
      }
    }
  }
  call_.abi_version = ASSAY_ABI_VERSION;
  call_.input_count = static_cast<std::int32_t>(call.inputs.size());
  call_.output_count = static_cast<std::int32_t>(call.outputs.size());
  call_.inputs = arguments_.data();
  call_.outputs = arguments_.data() + call.inputs.size();
  return true;
}

std::vector<DLTensor*> CallFrame::input_tensors() { return tensors(0, call_.input_count); }

std::vector<DLTensor*> CallFrame::output_tensors() {
  return tensors(call_.input_count, call_.input_count + call_.output_count);
}

std::vector<DLTensor*> CallFrame::tensors(std::int32_t from, std::int32_t to) {
  std::vector<DLTensor*> found;
  for (auto at = static_cast<std::size_t>(from); at < static_cast<std::size_t>(to); ++at) {
    if (arguments_[at].kind == ASSAY_TENSOR) {
      found.push_back(&tensors_[at]);
    }
  }
  return found;
}

bool CallFrame::place(const CallArgument& argument, const Region& inputs, const Region& outputs, std::size_t at) {
  assay_argument& slot = arguments_[at];
  if (const auto* real = std::get_if<FloatArgument>(&argument)) {
    slot.kind = ASSAY_FLOAT;
    slot.value.float_value = real->value;
    return true;
  }
  if (const auto* integer = std::get_if<IntegerArgument>(&argument)) {
    slot.kind = ASSAY_INTEGER;
    slot.value.integer_value = integer->value;
    return true;
  }
  if (const auto* boolean = std::get_if<BooleanArgument>(&argument)) {
    slot.kind = ASSAY_BOOLEAN;
    slot.value.integer_value = boolean->value ? 1 : 0;
    return true;
  }
  const auto& tensor = std::get<TensorArgument>(argument);
  const Region& memory = tensor.memory == Memory::inputs ? inputs : outputs;
  if (memory.data == nullptr || tensor.offset > memory.size) {
    return false;
  }
  shapes_[at] = tensor.shape;
  DLTensor& view = tensors_[at];
  view.data = memory.data + tensor.offset;
  view.device = device_;
  view.ndim = static_cast<std::int32_t>(shapes_[at].size());
  view.dtype = DLDataType{tensor.type_code, tensor.type_bits, 1};
  view.shape = shapes_[at].data();
  // DLPack 1.3 wants them, in elements, for every rank but 0.
  strides_[at].assign(tensor.shape.size(), 1);
  for (std::size_t axis = tensor.shape.size(); axis > 1; --axis) {
    strides_[at][axis - 2] = strides_[at][axis - 1] * tensor.shape[axis - 1];
  }
  view.strides = strides_[at].data();
  view.byte_offset = 0;
  slot.kind = ASSAY_TENSOR;
  slot.value.tensor = &view;
  return true;
}

}  // namespace assay::worker
