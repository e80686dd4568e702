#include <assay/worker/loaded_candidate.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace assay::worker {

namespace {

base::Result<std::string> copy_of(const os::Fd& object) {
  std::string path = "/tmp/candidate-XXXXXX";
  const os::Fd copy(mkostemp(path.data(), O_CLOEXEC));
  struct stat facts{};
  if (!copy.valid() || fstat(object.get(), &facts) != 0) {
    return base::system_error("worker.load", "cannot copy an object into the private folder", errno);
  }
  off_t offset = 0;
  while (offset < facts.st_size &&
         sendfile(copy.get(), object.get(), &offset, static_cast<std::size_t>(facts.st_size - offset)) > 0) {
  }
  return path;
}

// Where no /proc could be mounted: by way of a file in our private folder. No candidate has run yet.
void* open_copy(const os::Fd& object) {
  const base::Result<std::string> path = copy_of(object);
  if (!path) {
    return dlopen("/proc/self/fd", RTLD_NOW);  // Says why.
  }
  void* library = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path->c_str());
  return library;
}

std::string path_of(const os::Fd& object) { return "/proc/self/fd/" + std::to_string(object.get()); }

base::Result<TvmFfi> open_tvm_ffi(const os::Fd& library) {
  const std::string path = path_of(library);
  if (access(path.c_str(), R_OK) == 0) {
    return TvmFfi::open(path);
  }
  const base::Result<std::string> copy = copy_of(library);
  if (!copy) {
    return tl::unexpected(copy.error());
  }
  base::Result<TvmFfi> opened = TvmFfi::open(*copy);
  unlink(copy->c_str());
  return opened;
}

}  // namespace

LoadReply LoadedCandidate::load(const os::Fd& object, const os::Fd* tvm_ffi_library, const LoadRequest& request,
                                CudaCalls* cuda) {
  cuda_ = cuda;
  if (tvm_ffi_library != nullptr) {
    // Objects of that binding name functions of the driver too, which their own build links with.
    if (cuda != nullptr) {
      static_cast<void>(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD));
    }
    base::Result<TvmFfi> opened = open_tvm_ffi(*tvm_ffi_library);
    if (!opened) {
      return {LoadStatus::runtime_missing, opened.error().message};
    }
    tvm_ffi_ = *opened;
  }
  // The judge hashed these very bytes and sealed them: what is loaded is what was built.
  const std::string path = path_of(object);
  void* library = access(path.c_str(), R_OK) == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : open_copy(object);
  if (library == nullptr) {
    const char* words = dlerror();
    return {LoadStatus::refused_by_loader, words == nullptr ? "" : words};
  }
  function_ = reinterpret_cast<assay_kernel_function>(dlsym(library, request.symbol.c_str()));
  if (function_ == nullptr && tvm_ffi_) {
    packed_function_ = reinterpret_cast<tvm_ffi::Entry>(dlsym(library, request.tvm_ffi_symbol.c_str()));
  }
  return is_loaded() ? LoadReply{} : LoadReply{LoadStatus::symbol_missing, request.symbol};
}

std::optional<LoadReply> LoadedCandidate::load_kernels(const os::Fd& cubin, const LoadKernelsRequest& request,
                                                       CudaCalls& cuda) {
  struct stat facts{};
  if (fstat(cubin.get(), &facts) != 0) {
    return std::nullopt;
  }
  // And a zero behind it: the driver takes an address alone, and for text what does not look like code.
  const auto size = static_cast<std::size_t>(facts.st_size);
  std::vector<std::byte> code(size + 1);
  if (pread(cubin.get(), code.data(), size, 0) != facts.st_size) {
    return std::nullopt;
  }
  cuda_ = &cuda;
  DeviceProgram::Loaded loaded = DeviceProgram::load(code, request);
  program_ = std::move(loaded.program);
  return std::move(loaded.reply);
}

std::vector<tvm_ffi::Any> LoadedCandidate::pack(const CallFrame& frame) const {
  if (packed_function_ == nullptr) {
    return {};
  }
  if (cuda_ != nullptr) {
    tvm_ffi_->set_stream({kDLCUDA, cuda_->ordinal()}, cuda_->stream());
  }
  return TvmFfi::pack(*frame.call());
}

bool LoadedCandidate::make_ready(const Call& call, CallFrame& frame, DeviceMemory memory, CallReply& result) {
  if (program_ == nullptr) {
    return true;
  }
  const bool copies = memory == DeviceMemory::copied;
  result.device_status = program_->make_ready(
      call, copies ? DeviceProgram::Scratch::untouched : DeviceProgram::Scratch::poisoned, stream());
  if (result.device_status != device::cuda::abi::kSuccess) {
    result.refused_launch = program_->refused();
    return false;
  }
  if (!copies) {
    assemble(call, frame);
  }
  return true;
}

void LoadedCandidate::assemble(const Call& call, CallFrame& frame) {
  if (program_ != nullptr) {
    program_->assemble(call, frame, stream());
  }
}

void LoadedCandidate::poison() {
  if (program_ != nullptr) {
    static_cast<void>(program_->poison(stream()));
  }
}

void LoadedCandidate::note_failure(CallReply& result) const {
  // A launch that was refused while the device is well; else an earlier one brought it down, and the driver says so.
  const bool is_well =
      result.device_status == device::cuda::abi::kSuccess || result.timing_status == TimingStatus::not_capturable;
  if (program_ != nullptr && result.return_code != 0) {
    if (is_well) {
      result.refused_launch = program_->refused();
      result.device_status = result.return_code;
      result.timing_status = TimingStatus::timed;
    }
    result.return_code = 0;
  }
  if (packed_function_ != nullptr && result.return_code != 0) {
    std::string trace;
    result.text = tvm_ffi_->take_error(trace);
    fmt::print(stderr, "{}\n{}\n", result.text, trace);
  }
}

}  // namespace assay::worker
