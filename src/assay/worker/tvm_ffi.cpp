#include <assay/worker/tvm_ffi.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <string_view>

namespace assay::worker {

namespace {

std::string_view text_of(const tvm_ffi::ByteArray& bytes) {
  return bytes.data == nullptr ? std::string_view() : std::string_view(bytes.data, bytes.size);
}

template <class Function>
base::Result<void> find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr
             ? base::Result<void>()
             : base::environment_error("worker.tvm_ffi",
                                       fmt::format("libtvm_ffi.so has no {}: carry the one of deps/pip.txt", name));
}

tvm_ffi::Any pack_argument(const assay_argument& argument) {
  tvm_ffi::Any any;
  switch (argument.kind) {
    case ASSAY_TENSOR:
      any.type_index = tvm_ffi::kTensorPointer;
      any.pointer = const_cast<DLTensor*>(argument.value.tensor);
      break;
    case ASSAY_FLOAT:
      any.type_index = tvm_ffi::kFloat;
      any.real = argument.value.float_value;
      break;
    case ASSAY_BOOLEAN:
      any.type_index = tvm_ffi::kBoolean;
      any.integer = argument.value.integer_value;
      break;
    default:
      any.type_index = tvm_ffi::kInteger;
      any.integer = argument.value.integer_value;
  }
  return any;
}

}  // namespace

base::Result<TvmFfi> TvmFfi::open(const std::string& file) {
  // Global: a candidate's object names its functions without saying where they are. Never closed.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* words = dlerror();
    return base::environment_error("worker.tvm_ffi", fmt::format("the loader refused libtvm_ffi.so: {}",
                                                                 words == nullptr ? "it does not say why" : words));
  }
  TvmFfi opened;
  ASSAY_TRY(find(library, "TVMFFIErrorMoveFromRaised", opened.move_raised_error_));
  ASSAY_TRY(find(library, "TVMFFIObjectDecRef", opened.release_object_));
  ASSAY_TRY(find(library, "TVMFFIEnvSetStream", opened.set_stream_));
  return opened;
}

void TvmFfi::set_stream(DLDevice device, void* stream) const {
  static_cast<void>(set_stream_(device.device_type, device.device_id, stream, nullptr));
}

std::vector<tvm_ffi::Any> TvmFfi::pack(const assay_call& call) {
  std::vector<tvm_ffi::Any> packed;
  packed.reserve(static_cast<std::size_t>(call.input_count) + static_cast<std::size_t>(call.output_count));
  for (std::int32_t i = 0; i < call.input_count; ++i) {
    packed.push_back(pack_argument(call.inputs[i]));
  }
  for (std::int32_t i = 0; i < call.output_count; ++i) {
    packed.push_back(pack_argument(call.outputs[i]));
  }
  return packed;
}

std::int32_t TvmFfi::invoke(tvm_ffi::Entry entry, const std::vector<tvm_ffi::Any>& arguments) const {
  tvm_ffi::Any result;  // The callee may look at it before it writes: it must say "nothing".
  const int code = entry(nullptr, arguments.data(), static_cast<std::int32_t>(arguments.size()), &result);
  if (code == 0 && result.type_index >= tvm_ffi::kFirstObject) {
    static_cast<void>(release_object_(result.pointer));
  }
  return code;
}

std::string TvmFfi::take_error(std::string& trace) const {
  void* object = nullptr;
  move_raised_error_(&object);
  if (object == nullptr) {
    return "it failed and raised no error";
  }
  const auto* error = static_cast<const tvm_ffi::ErrorObject*>(object);
  std::string words = fmt::format("{}: {}", text_of(error->kind), text_of(error->message));
  trace = text_of(error->backtrace);
  static_cast<void>(release_object_(object));
  return words;
}

}  // namespace assay::worker
