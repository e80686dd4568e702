#include <assay/device/cuda/driver.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <mutex>

#include <assay/base/text.hpp>
#include <assay/device/call_memory.hpp>
#include <assay/os/library.hpp>
#include <assay/os/process.hpp>

namespace assay::device::cuda {

namespace {

struct Opened {
  Driver driver{};
  bool good = false;
  std::string code;
  std::string message;
};

base::Result<void> fill_table(void* library, Driver& driver) {
  os::FunctionFinder finder(library);
#define ASSAY_FIND(name) finder.find(driver.name, #name)
  ASSAY_FIND(cuInit);
  ASSAY_FIND(cuDriverGetVersion);
  ASSAY_FIND(cuGetErrorName);
  ASSAY_FIND(cuGetErrorString);
  ASSAY_FIND(cuDeviceGetCount);
  ASSAY_FIND(cuDeviceGet);
  ASSAY_FIND(cuDeviceGetName);
  ASSAY_FIND(cuDeviceGetUuid_v2);
  ASSAY_FIND(cuDeviceGetPCIBusId);
  ASSAY_FIND(cuDeviceTotalMem_v2);
  ASSAY_FIND(cuDeviceGetAttribute);
  ASSAY_FIND(cuDevicePrimaryCtxRetain);
  ASSAY_FIND(cuDevicePrimaryCtxRelease_v2);
  ASSAY_FIND(cuCtxSetCurrent);
  ASSAY_FIND(cuCtxSynchronize);
  ASSAY_FIND(cuCtxResetPersistingL2Cache);
  ASSAY_FIND(cuCtxSetLimit);
  ASSAY_FIND(cuMemGetAllocationGranularity);
  ASSAY_FIND(cuMemCreate);
  ASSAY_FIND(cuMemRelease);
  ASSAY_FIND(cuMemAddressReserve);
  ASSAY_FIND(cuMemAddressFree);
  ASSAY_FIND(cuMemMap);
  ASSAY_FIND(cuMemUnmap);
  ASSAY_FIND(cuMemSetAccess);
  ASSAY_FIND(cuMemExportToShareableHandle);
  ASSAY_FIND(cuMemImportFromShareableHandle);
  ASSAY_FIND(cuMemAlloc_v2);
  ASSAY_FIND(cuMemFree_v2);
  ASSAY_FIND(cuMemHostRegister_v2);
  ASSAY_FIND(cuMemHostGetDevicePointer_v2);
  ASSAY_FIND(cuMemHostUnregister);
  ASSAY_FIND(cuMemcpyHtoDAsync_v2);
  ASSAY_FIND(cuMemcpyDtoHAsync_v2);
  ASSAY_FIND(cuMemcpyDtoDAsync_v2);
  ASSAY_FIND(cuMemsetD8Async);
  ASSAY_FIND(cuMemsetD32Async);
  ASSAY_FIND(cuStreamCreate);
  ASSAY_FIND(cuStreamDestroy_v2);
  ASSAY_FIND(cuStreamSynchronize);
  ASSAY_FIND(cuEventCreate);
  ASSAY_FIND(cuEventDestroy_v2);
  ASSAY_FIND(cuEventRecord);
  ASSAY_FIND(cuEventSynchronize);
  ASSAY_FIND(cuEventElapsedTime);
  ASSAY_FIND(cuModuleLoadData);
  ASSAY_FIND(cuModuleUnload);
  ASSAY_FIND(cuModuleGetFunction);
  ASSAY_FIND(cuFuncSetAttribute);
  ASSAY_FIND(cuFuncGetParamInfo);
  ASSAY_FIND(cuLaunchKernel);
  ASSAY_FIND(cuLaunchKernelEx);
  ASSAY_FIND(cuStreamBeginCapture_v2);
  ASSAY_FIND(cuStreamEndCapture);
  ASSAY_FIND(cuGraphInstantiateWithFlags);
  ASSAY_FIND(cuGraphUpload);
  ASSAY_FIND(cuGraphLaunch);
  ASSAY_FIND(cuGraphExecDestroy);
  ASSAY_FIND(cuGraphDestroy);
#undef ASSAY_FIND
  if (!finder.missing().empty()) {
    return base::environment_error(
        "cuda.driver", fmt::format("the NVIDIA driver's libcuda.so.1 has no {}: update the driver to one for CUDA 12.4 "
                                   "or newer",
                                   finder.missing()));
  }
  return {};
}

base::Result<void> open_into(Driver& driver) {
  // Never closed: the driver keeps threads.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* words = dlerror();
    return base::environment_error(
        "cuda.driver",
        fmt::format("the NVIDIA driver's library cannot be opened ({}): install the driver, or show it to "
                    "this machine (a container needs --gpus)",
                    words == nullptr ? "libcuda.so.1" : base::printable(words)));
  }
  ASSAY_TRY(fill_table(library, driver));
  const os::UnhardenedScope scope;  // Nothing else runs yet: workers are started by who has opened the device.
  if (const abi::Result started = driver.cuInit(0); started != abi::kSuccess) {
    const char* name = nullptr;
    driver.cuGetErrorName(started, &name);
    return base::environment_error("cuda.device", fmt::format("the NVIDIA driver finds no usable device (cuInit: {}): "
                                                              "see what nvidia-smi says",
                                                              name == nullptr ? "unknown error" : name));
  }
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != abi::kSuccess || count == 0) {
    return base::environment_error("cuda.device", "the NVIDIA driver finds no device: see what nvidia-smi says");
  }
  return {};
}

const Opened& opened() {
  static const Opened once = [] {
    Opened result;
    const base::Result<void> good = open_into(result.driver);
    result.good = good.has_value();
    if (!good) {
      result.code = good.error().code;
      result.message = good.error().message;
    }
    return result;
  }();
  return once;
}

// For destructors and classes that exist only once the driver was opened.
const Driver& driver() { return opened().driver; }

std::string uuid_text(const abi::Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

abi::AllocationProperties properties_for(int ordinal) {
  abi::AllocationProperties properties{};
  properties.type = abi::kAllocationPinned;
  properties.requested_handle_types = abi::kHandlePosixDescriptor;
  properties.location = {abi::kLocationDevice, ordinal};
  return properties;
}

base::Result<std::size_t> rounded(int ordinal, std::size_t size) {
  const abi::AllocationProperties properties = properties_for(ordinal);
  std::size_t granularity = 0;
  ASSAY_TRY(check(driver().cuMemGetAllocationGranularity(&granularity, &properties, abi::kGranularityMinimum),
                  "cuMemGetAllocationGranularity"));
  return (size + granularity - 1) / granularity * granularity;
}

}  // namespace

base::Result<const Driver*> open_driver() {
  const Opened& result = opened();
  if (!result.good) {
    return base::environment_error(result.code, result.message);
  }
  return &result.driver;
}

bool has_device() { return opened().good; }

base::Result<void> check(abi::Result result, const char* call) {
  if (result == abi::kSuccess) {
    return {};
  }
  return base::environment_error(result == abi::kOutOfMemory ? device::kOutOfMemory : "cuda.call",
                                 fmt::format("{}: {}", call, status_text(result)));
}

std::string status_text(abi::Result result) {
  const char* name = nullptr;
  const char* words = nullptr;
  if (has_device()) {
    driver().cuGetErrorName(result, &name);
    driver().cuGetErrorString(result, &words);
  }
  return name == nullptr ? fmt::format("error {}", result)
                         : fmt::format("{} ({})", name, words == nullptr ? "no words" : words);
}

base::Result<DeviceFacts> describe_device(int ordinal) {
  ASSAY_TRY_ASSIGN(const Driver* table, open_driver());
  int count = 0;
  ASSAY_TRY(check(table->cuDeviceGetCount(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count) {
    return base::environment_error(
        "cuda.device",
        fmt::format("there is no device cuda:{}: this machine has {} (cuda:0 to cuda:{})", ordinal, count, count - 1));
  }
  abi::Device device = 0;
  ASSAY_TRY(check(table->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  DeviceFacts facts;
  std::array<char, 256> text{};
  ASSAY_TRY(check(table->cuDeviceGetName(text.data(), text.size(), device), "cuDeviceGetName"));
  facts.name = text.data();
  ASSAY_TRY(check(table->cuDeviceGetPCIBusId(text.data(), text.size(), device), "cuDeviceGetPCIBusId"));
  facts.pci = text.data();
  abi::Uuid uuid{};
  ASSAY_TRY(check(table->cuDeviceGetUuid_v2(&uuid, device), "cuDeviceGetUuid"));
  facts.uuid = uuid_text(uuid);
  ASSAY_TRY(check(table->cuDriverGetVersion(&facts.driver_version), "cuDriverGetVersion"));
  ASSAY_TRY(check(table->cuDeviceTotalMem_v2(&facts.memory_bytes, device), "cuDeviceTotalMem"));
  for (const auto& [value, attribute] : {std::pair<int*, int>{&facts.major, abi::kMajor},
                                         {&facts.minor, abi::kMinor},
                                         {&facts.multiprocessors, abi::kMultiprocessorCount},
                                         {&facts.l2_bytes, abi::kL2CacheSize},
                                         {&facts.shared_memory_optin_bytes, abi::kSharedMemoryOptIn}}) {
    ASSAY_TRY(check(table->cuDeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute"));
  }
  int exports = 0;
  ASSAY_TRY(check(table->cuDeviceGetAttribute(&exports, abi::kPosixDescriptors, device), "cuDeviceGetAttribute"));
  if (exports == 0) {
    return base::environment_error(
        "cuda.device", fmt::format("cuda:{} ({}) cannot share memory between processes as descriptors, which "
                                   "Assay needs: use another device",
                                   ordinal, facts.name));
  }
  return facts;
}

base::Result<Context> Context::retain(int ordinal) {
  ASSAY_TRY_ASSIGN(const Driver* table, open_driver());
  abi::Device device = 0;
  ASSAY_TRY(check(table->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  Context context;
  const os::UnhardenedScope scope;
  ASSAY_TRY(check(table->cuDevicePrimaryCtxRetain(&context.handle_, device), "cuDevicePrimaryCtxRetain"));
  context.ordinal_ = ordinal;
  ASSAY_TRY(context.make_current());
  return context;
}

Context::~Context() {
  if (handle_ != nullptr) {
    driver().cuDevicePrimaryCtxRelease_v2(ordinal_);
  }
}

Context::Context(Context&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), ordinal_(std::exchange(other.ordinal_, -1)) {}

Context& Context::operator=(Context&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(ordinal_, other.ordinal_);
  return *this;
}

base::Result<void> Context::make_current() const { return check(driver().cuCtxSetCurrent(handle_), "cuCtxSetCurrent"); }

base::Result<void> Context::synchronize() const { return check(driver().cuCtxSynchronize(), "cuCtxSynchronize"); }

base::Result<Memory> Memory::create(const Context& context, std::size_t size) {
  Memory memory;
  memory.size_ = size;
  ASSAY_TRY_ASSIGN(memory.mapped_, rounded(context.ordinal(), size));
  const abi::AllocationProperties properties = properties_for(context.ordinal());
  ASSAY_TRY(check(driver().cuMemCreate(&memory.handle_, memory.mapped_, &properties, 0), "cuMemCreate"));
  ASSAY_TRY(memory.map(context, MemoryAccess::read_write));
  return memory;
}

base::Result<Memory> Memory::import(const Context& context, const os::Fd& descriptor, std::size_t size,
                                    MemoryAccess access) {
  Memory memory;
  memory.size_ = size;
  ASSAY_TRY_ASSIGN(memory.mapped_, rounded(context.ordinal(), size));
  // The driver takes the descriptor in the place of a pointer.
  void* const as_pointer = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor.get()));
  ASSAY_TRY(check(driver().cuMemImportFromShareableHandle(&memory.handle_, as_pointer, abi::kHandlePosixDescriptor),
                  "cuMemImportFromShareableHandle"));
  ASSAY_TRY(memory.map(context, access));
  return memory;
}

base::Result<void> Memory::map(const Context& context, MemoryAccess access) {
  ASSAY_TRY(check(driver().cuMemAddressReserve(&address_, mapped_, 0, 0, 0), "cuMemAddressReserve"));
  if (const auto mapped = check(driver().cuMemMap(address_, mapped_, 0, handle_, 0), "cuMemMap"); !mapped) {
    driver().cuMemAddressFree(std::exchange(address_, 0), mapped_);
    return mapped;
  }
  const abi::AccessDescription description{
      {abi::kLocationDevice, context.ordinal()},
      access == MemoryAccess::read_only ? abi::kProtectionRead : abi::kProtectionReadWrite};
  return check(driver().cuMemSetAccess(address_, mapped_, &description, 1), "cuMemSetAccess");
}

Memory::~Memory() {
  if (address_ != 0) {
    driver().cuMemUnmap(address_, mapped_);
    driver().cuMemAddressFree(address_, mapped_);
  }
  if (handle_ != 0) {
    driver().cuMemRelease(handle_);
  }
}

Memory::Memory(Memory&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

base::Result<os::Fd> Memory::export_descriptor() const {
  int descriptor = -1;
  ASSAY_TRY(check(driver().cuMemExportToShareableHandle(&descriptor, handle_, abi::kHandlePosixDescriptor, 0),
                  "cuMemExportToShareableHandle"));
  return os::Fd(descriptor);
}

base::Result<Stream> Stream::create(StreamKind kind) {
  abi::StreamHandle handle = nullptr;
  const unsigned flags = kind == StreamKind::independent ? abi::kStreamNonBlocking : 0;
  ASSAY_TRY(check(driver().cuStreamCreate(&handle, flags), "cuStreamCreate"));
  Stream stream;
  stream.handle_.reset(handle);
  return stream;
}

void Stream::Destroy::operator()(abi::StreamHandle handle) const { driver().cuStreamDestroy_v2(handle); }

base::Result<void> Stream::synchronize() const {
  return check(driver().cuStreamSynchronize(handle_.get()), "cuStreamSynchronize");
}

base::Result<Event> Event::create() {
  abi::EventHandle handle = nullptr;
  ASSAY_TRY(check(driver().cuEventCreate(&handle, 0), "cuEventCreate"));
  Event event;
  event.handle_.reset(handle);
  return event;
}

void DestroyGraphExec::operator()(abi::GraphExecHandle handle) const { driver().cuGraphExecDestroy(handle); }

void Event::Destroy::operator()(abi::EventHandle handle) const { driver().cuEventDestroy_v2(handle); }

base::Result<void> Event::record(const Stream& stream) const {
  return check(driver().cuEventRecord(handle_.get(), stream.handle()), "cuEventRecord");
}

base::Result<void> Event::synchronize() const {
  return check(driver().cuEventSynchronize(handle_.get()), "cuEventSynchronize");
}

base::Result<std::int64_t> elapsed_ns(const Event& start, const Event& stop) {
  float milliseconds = 0;
  ASSAY_TRY(check(driver().cuEventElapsedTime(&milliseconds, start.handle(), stop.handle()), "cuEventElapsedTime"));
  return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

base::Result<Module> Module::load(std::span<const std::byte> image) {
  abi::ModuleHandle handle = nullptr;
  ASSAY_TRY(check(driver().cuModuleLoadData(&handle, image.data()), "cuModuleLoadData"));
  Module module;
  module.handle_.reset(handle);
  return module;
}

void Module::Unload::operator()(abi::ModuleHandle handle) const { driver().cuModuleUnload(handle); }

base::Result<abi::FunctionHandle> Module::function(const char* name) const {
  abi::FunctionHandle function = nullptr;
  ASSAY_TRY(base::with_context(
      check(driver().cuModuleGetFunction(&function, handle_.get(), name), "cuModuleGetFunction"), name));
  return function;
}

base::Result<void> allow_shared_memory(abi::FunctionHandle function, unsigned bytes) {
  return check(driver().cuFuncSetAttribute(function, abi::kMaximumDynamicSharedMemory, static_cast<int>(bytes)),
               "cuFuncSetAttribute");
}

base::Result<void> copy_to_device(DevicePointer to, std::span<const std::byte> from, const Stream& stream) {
  return check(driver().cuMemcpyHtoDAsync_v2(to, from.data(), from.size(), stream.handle()), "cuMemcpyHtoDAsync");
}

base::Result<void> copy_from_device(std::span<std::byte> to, DevicePointer from, const Stream& stream) {
  return check(driver().cuMemcpyDtoHAsync_v2(to.data(), from, to.size(), stream.handle()), "cuMemcpyDtoHAsync");
}

base::Result<void> detail::launch(abi::FunctionHandle function, const LaunchShape& shape, const Stream& stream,
                                  void** arguments) {
  return check(
      driver().cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                              shape.block[2], shape.shared_bytes, stream.handle(), arguments, nullptr),
      "cuLaunchKernel");
}

}  // namespace assay::device::cuda
