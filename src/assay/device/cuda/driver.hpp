#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <assay/base/error.hpp>
#include <assay/device/cuda/driver_abi.hpp>
#include <assay/os/fd.hpp>

/// The CUDA driver, opened at run time: nothing here is linked with CUDA, and a machine without a GPU gets an
/// environment error that says what is missing. Every call is checked; an error names the call and the driver's words.
/// Link only from code that runs in a process of its own: forking after the driver is initialised breaks the child.
namespace assay::device::cuda {

using DevicePointer = abi::DevicePointer;

/// The functions of libcuda.so.1 that are used, each the newest version that CUDA 12 has too.
struct Driver {
  abi::Result (*cuInit)(unsigned);
  abi::Result (*cuDriverGetVersion)(int*);
  abi::Result (*cuGetErrorName)(abi::Result, const char**);
  abi::Result (*cuGetErrorString)(abi::Result, const char**);
  abi::Result (*cuDeviceGetCount)(int*);
  abi::Result (*cuDeviceGet)(abi::Device*, int);
  abi::Result (*cuDeviceGetName)(char*, int, abi::Device);
  abi::Result (*cuDeviceGetUuid_v2)(abi::Uuid*, abi::Device);
  abi::Result (*cuDeviceGetPCIBusId)(char*, int, abi::Device);
  abi::Result (*cuDeviceTotalMem_v2)(std::size_t*, abi::Device);
  abi::Result (*cuDeviceGetAttribute)(int*, int, abi::Device);
  abi::Result (*cuDevicePrimaryCtxRetain)(abi::ContextHandle*, abi::Device);
  abi::Result (*cuDevicePrimaryCtxRelease_v2)(abi::Device);
  abi::Result (*cuCtxSetCurrent)(abi::ContextHandle);
  abi::Result (*cuCtxSynchronize)();
  abi::Result (*cuCtxResetPersistingL2Cache)();
  abi::Result (*cuCtxSetLimit)(int, std::size_t);
  abi::Result (*cuMemGetAllocationGranularity)(std::size_t*, const abi::AllocationProperties*, int);
  abi::Result (*cuMemCreate)(abi::MemoryHandle*, std::size_t, const abi::AllocationProperties*, unsigned long long);
  abi::Result (*cuMemRelease)(abi::MemoryHandle);
  abi::Result (*cuMemAddressReserve)(DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long);
  abi::Result (*cuMemAddressFree)(DevicePointer, std::size_t);
  abi::Result (*cuMemMap)(DevicePointer, std::size_t, std::size_t, abi::MemoryHandle, unsigned long long);
  abi::Result (*cuMemUnmap)(DevicePointer, std::size_t);
  abi::Result (*cuMemSetAccess)(DevicePointer, std::size_t, const abi::AccessDescription*, std::size_t);
  abi::Result (*cuMemExportToShareableHandle)(void*, abi::MemoryHandle, int, unsigned long long);
  abi::Result (*cuMemImportFromShareableHandle)(abi::MemoryHandle*, void*, int);
  abi::Result (*cuMemAlloc_v2)(DevicePointer*, std::size_t);
  abi::Result (*cuMemFree_v2)(DevicePointer);
  abi::Result (*cuMemHostRegister_v2)(void*, std::size_t, unsigned);
  abi::Result (*cuMemHostGetDevicePointer_v2)(DevicePointer*, void*, unsigned);
  abi::Result (*cuMemHostUnregister)(void*);
  abi::Result (*cuMemcpyHtoDAsync_v2)(DevicePointer, const void*, std::size_t, abi::StreamHandle);
  abi::Result (*cuMemcpyDtoHAsync_v2)(void*, DevicePointer, std::size_t, abi::StreamHandle);
  abi::Result (*cuMemcpyDtoDAsync_v2)(DevicePointer, DevicePointer, std::size_t, abi::StreamHandle);
  abi::Result (*cuMemsetD8Async)(DevicePointer, unsigned char, std::size_t, abi::StreamHandle);
  abi::Result (*cuMemsetD32Async)(DevicePointer, unsigned, std::size_t, abi::StreamHandle);
  abi::Result (*cuStreamCreate)(abi::StreamHandle*, unsigned);
  abi::Result (*cuStreamDestroy_v2)(abi::StreamHandle);
  abi::Result (*cuStreamSynchronize)(abi::StreamHandle);
  abi::Result (*cuEventCreate)(abi::EventHandle*, unsigned);
  abi::Result (*cuEventDestroy_v2)(abi::EventHandle);
  abi::Result (*cuEventRecord)(abi::EventHandle, abi::StreamHandle);
  abi::Result (*cuEventSynchronize)(abi::EventHandle);
  abi::Result (*cuEventElapsedTime)(float*, abi::EventHandle, abi::EventHandle);
  abi::Result (*cuModuleLoadData)(abi::ModuleHandle*, const void*);
  abi::Result (*cuModuleUnload)(abi::ModuleHandle);
  abi::Result (*cuModuleGetFunction)(abi::FunctionHandle*, abi::ModuleHandle, const char*);
  abi::Result (*cuFuncSetAttribute)(abi::FunctionHandle, int, int);
  abi::Result (*cuFuncGetParamInfo)(abi::FunctionHandle, std::size_t, std::size_t*, std::size_t*);
  abi::Result (*cuLaunchKernel)(abi::FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, abi::StreamHandle, void**, void**);
  abi::Result (*cuLaunchKernelEx)(const abi::LaunchConfiguration*, abi::FunctionHandle, void**, void**);
  abi::Result (*cuStreamBeginCapture_v2)(abi::StreamHandle, int);
  abi::Result (*cuStreamEndCapture)(abi::StreamHandle, abi::GraphHandle*);
  abi::Result (*cuGraphInstantiateWithFlags)(abi::GraphExecHandle*, abi::GraphHandle, unsigned long long);
  abi::Result (*cuGraphUpload)(abi::GraphExecHandle, abi::StreamHandle);
  abi::Result (*cuGraphLaunch)(abi::GraphExecHandle, abi::StreamHandle);
  abi::Result (*cuGraphExecDestroy)(abi::GraphExecHandle);
  abi::Result (*cuGraphDestroy)(abi::GraphHandle);
};

/// Opens libcuda and initialises it, once a process. No library, no device or a driver that is too old is an environment
/// error with the remedy.
[[nodiscard]] base::Result<const Driver*> open_driver();

/// Whether the library and a device are there, without keeping an error: for tests that skip.
[[nodiscard]] bool has_device();

/// Turns a driver's answer into an environment error "call: NAME (words)".
[[nodiscard]] base::Result<void> check(abi::Result result, const char* call);

/// A driver's answer for people: "NAME (words)", or its number where no driver is open.
[[nodiscard]] std::string status_text(abi::Result result);

/// What a device is.
struct DeviceFacts {
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-…", as nvidia-smi prints it.
  std::string pci;
  int driver_version = 0;  ///< 13000 is CUDA 13.0.
  int major = 0;           ///< Compute capability.
  int minor = 0;
  int multiprocessors = 0;
  int l2_bytes = 0;
  int shared_memory_optin_bytes = 0;
  std::size_t memory_bytes = 0;
};
[[nodiscard]] base::Result<DeviceFacts> describe_device(int ordinal);

/// The primary context of a device (the one that CUDA's runtime library uses too), current on the calling thread.
class Context {
 public:
  [[nodiscard]] static base::Result<Context> retain(int ordinal);
  ~Context();
  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Makes it current on the calling thread, which each thread must before it uses anything else here.
  [[nodiscard]] base::Result<void> make_current() const;
  /// Waits for all work of all streams of the context.
  [[nodiscard]] base::Result<void> synchronize() const;
  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] abi::ContextHandle handle() const { return handle_; }

 private:
  Context() = default;
  abi::ContextHandle handle_ = nullptr;
  int ordinal_ = -1;
};

enum class MemoryAccess : std::uint8_t { read_only, read_write };

/// Device memory that can be shown to another process as a descriptor, at an address of this process. Sizes are rounded
/// up to the device's granularity (2 MiB). The bytes live as long as any process holds them.
class Memory {
 public:
  Memory() = default;
  /// Allocates; contents are arbitrary. Ours is always writable.
  [[nodiscard]] static base::Result<Memory> create(const Context& context, std::size_t size);
  /// Maps what another process exported. With read_only a kernel that writes to it dies of an illegal address.
  [[nodiscard]] static base::Result<Memory> import(const Context& context, const os::Fd& descriptor, std::size_t size,
                                                   MemoryAccess access);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] base::Result<os::Fd> export_descriptor() const;
  [[nodiscard]] DevicePointer address() const { return address_; }
  [[nodiscard]] std::size_t size() const { return size_; }  ///< As asked for.

 private:
  [[nodiscard]] base::Result<void> map(const Context& context, MemoryAccess access);
  abi::MemoryHandle handle_ = 0;
  DevicePointer address_ = 0;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;
};

/// Whether work of a stream and work of the context's default stream wait for each other.
enum class StreamKind : std::uint8_t { independent, with_default_stream };

class Stream {
 public:
  [[nodiscard]] static base::Result<Stream> create(StreamKind kind = StreamKind::independent);
  [[nodiscard]] base::Result<void> synchronize() const;
  [[nodiscard]] abi::StreamHandle handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(abi::StreamHandle handle) const;
  };
  std::unique_ptr<abi::StreamObject, Destroy> handle_;
};

class Event {
 public:
  [[nodiscard]] static base::Result<Event> create();
  [[nodiscard]] base::Result<void> record(const Stream& stream) const;
  [[nodiscard]] base::Result<void> synchronize() const;
  [[nodiscard]] abi::EventHandle handle() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(abi::EventHandle handle) const;
  };
  std::unique_ptr<abi::EventObject, Destroy> handle_;
};

/// A graph that can be launched again and again.
struct DestroyGraphExec {
  void operator()(abi::GraphExecHandle handle) const;
};
using GraphExec = std::unique_ptr<abi::GraphExecObject, DestroyGraphExec>;

/// Nanoseconds between two recorded and finished events.
[[nodiscard]] base::Result<std::int64_t> elapsed_ns(const Event& start, const Event& stop);

/// Code for the device: a cubin, a fatbin or PTX, loaded into the current context.
class Module {
 public:
  [[nodiscard]] static base::Result<Module> load(std::span<const std::byte> image);
  /// Finds a kernel by its name in the image (extern "C").
  [[nodiscard]] base::Result<abi::FunctionHandle> function(const char* name) const;

 private:
  struct Unload {
    void operator()(abi::ModuleHandle handle) const;
  };
  std::unique_ptr<abi::ModuleObject, Unload> handle_;
};

struct LaunchShape {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared_bytes = 0;  ///< More than 48 KiB must have been allowed by `allow_shared_memory`.
};

[[nodiscard]] base::Result<void> allow_shared_memory(abi::FunctionHandle function, unsigned bytes);

/// Launches a kernel with these arguments, each passed by its address; their types must be those of its parameters.
template <class... Arguments>
[[nodiscard]] base::Result<void> launch(abi::FunctionHandle function, const LaunchShape& shape, const Stream& stream,
                                        Arguments... arguments);

/// Copies; the caller keeps host memory alive until the stream has come so far.
[[nodiscard]] base::Result<void> copy_to_device(DevicePointer to, std::span<const std::byte> from,
                                                const Stream& stream);
[[nodiscard]] base::Result<void> copy_from_device(std::span<std::byte> to, DevicePointer from, const Stream& stream);

namespace detail {
[[nodiscard]] base::Result<void> launch(abi::FunctionHandle function, const LaunchShape& shape, const Stream& stream,
                                        void** arguments);
}

template <class... Arguments>
base::Result<void> launch(abi::FunctionHandle function, const LaunchShape& shape, const Stream& stream,
                          Arguments... arguments) {
  std::array<void*, sizeof...(Arguments) + 1> addresses{static_cast<void*>(&arguments)..., nullptr};
  return detail::launch(function, shape, stream, addresses.data());
}

}  // namespace assay::device::cuda
