#pragma once

#include <cstddef>
#include <cstdint>

/// What Assay uses of the C interface of TVM-FFI (tvm/ffi/c_api.h and extra/c_env_api.h of the Python package
/// apache-tvm-ffi 0.1), declared here so that the worker is built without its headers and started without its library.
/// A test holds sizes, places and numbers against the real header.
namespace assay::worker::tvm_ffi {

/// What an Any holds. Object types begin at `kFirstObject`.
enum TypeIndex : std::int32_t { kNone = 0, kInteger = 1, kBoolean = 2, kFloat = 3, kTensorPointer = 7 };
inline constexpr std::int32_t kFirstObject = 64;

/// One packed argument or result.
struct Any {
  std::int32_t type_index = kNone;
  std::uint32_t zero = 0;
  union {
    std::int64_t integer = 0;  ///< Booleans too.
    double real;
    void* pointer;
  };
};

struct ByteArray {
  const char* data = nullptr;
  std::size_t size = 0;
};

/// An object's head, and what of an error lies behind it.
struct ObjectHead {
  std::uint64_t references = 0;
  std::int32_t type_index = 0;
  std::uint32_t padding = 0;
  void (*deleter)(void* self, int flags) = nullptr;
};
struct ErrorObject {
  ObjectHead head;
  ByteArray kind;
  ByteArray message;
  ByteArray backtrace;
};

/// The type of an exported function `__tvm_ffi_<name>`; 0 is success, else an error was raised.
using Entry = int (*)(void* self, const Any* arguments, std::int32_t count, Any* result);
using MoveRaisedError = void (*)(void** result);  ///< TVMFFIErrorMoveFromRaised
using ReleaseObject = int (*)(void* object);      ///< TVMFFIObjectDecRef
using SetStream = int (*)(std::int32_t device_type, std::int32_t device, void* stream,
                          void** previous);  ///< TVMFFIEnvSetStream

}  // namespace assay::worker::tvm_ffi
