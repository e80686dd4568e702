#include <assay/worker/device_program.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <assay/base/random.hpp>

namespace assay::worker {

namespace {

namespace cuda = device::cuda;

// As float32 and, in both halves' places, as bfloat16 no number; the low bits are new each time.
constexpr std::uint32_t kPoison = 0xffc00000U;
constexpr std::uint32_t kPoisonBits = 0x003fffffU;
constexpr std::size_t kWordBytes = 4;

// Says how a kernel's parameters differ from what its launch gives; empty: they do not. A driver reads as many
// arguments as the kernel has parameters, wherever they are.
std::string difference(const cuda::Driver& driver, cuda::abi::FunctionHandle function, const KernelUse& use) {
  for (std::size_t at = 0;; ++at) {
    std::size_t offset = 0;
    std::size_t size = 0;
    const cuda::abi::Result result = driver.cuFuncGetParamInfo(function, at, &offset, &size);
    const bool is_there = result == cuda::abi::kSuccess;
    if (!is_there && result != cuda::abi::kInvalidValue) {
      return fmt::format("the driver does not tell the parameters of kernel {}: {}", use.name,
                         cuda::status_text(result));
    }
    if (!is_there && at == use.argument_sizes.size()) {
      return "";
    }
    if (!is_there || at == use.argument_sizes.size()) {
      return fmt::format("kernel {} has {} {} parameter{}, and its launch gives {} argument{}", use.name,
                         is_there ? "more than" : "only", at, at == 1 ? "" : "s", use.argument_sizes.size(),
                         use.argument_sizes.size() == 1 ? "" : "s");
    }
    if (size != use.argument_sizes[at]) {
      return fmt::format("parameter {} of kernel {} (from 0) has {} bytes, and its launch gives {}", at, use.name, size,
                         use.argument_sizes[at]);
    }
  }
}

}  // namespace

DeviceProgram::Loaded DeviceProgram::load(std::span<const std::byte> cubin, const LoadKernelsRequest& request) {
  const auto failed = [](LoadStatus status, std::string text) { return Loaded{nullptr, {status, std::move(text)}}; };
  const base::Result<const cuda::Driver*> driver = cuda::open_driver();
  if (!driver) {
    return failed(LoadStatus::refused_by_loader, driver.error().text());
  }
  base::Result<cuda::Module> module = cuda::Module::load(cubin);
  if (!module) {
    return failed(LoadStatus::refused_by_loader, module.error().text());
  }
  std::unique_ptr<DeviceProgram> program(new DeviceProgram());
  program->driver_ = *driver;
  program->module_ = std::move(*module);
  program->poison_ = base::entropy_seed();
  for (const KernelUse& use : request.kernels) {
    const base::Result<cuda::abi::FunctionHandle> function = program->module_.function(use.name.c_str());
    if (!function) {
      return failed(LoadStatus::symbol_missing, use.name);
    }
    if (std::string words = difference(**driver, *function, use); !words.empty()) {
      return failed(LoadStatus::arguments_differ, std::move(words));
    }
    program->kernels_.push_back({*function, use.argument_sizes, 0});
  }
  return {std::move(program), {}};
}

DeviceProgram::~DeviceProgram() {
  if (scratch_ != 0) {
    static_cast<void>(driver_->cuMemFree_v2(scratch_));
  }
}

bool DeviceProgram::fits(const Call& call) const {
  return call.launches.size() == kernels_.size() &&
         std::equal(call.launches.begin(), call.launches.end(), kernels_.begin(),
                    [](const Launch& launch, const Kernel& kernel) {
                      return std::equal(launch.arguments.begin(), launch.arguments.end(), kernel.argument_sizes.begin(),
                                        kernel.argument_sizes.end(),
                                        [](const KernelArgument& argument, std::uint8_t size) {
                                          const auto* value = std::get_if<KernelValue>(&argument);
                                          return size == (value == nullptr ? sizeof(void*) : value->size);
                                        });
                    });
}

cuda::abi::Result DeviceProgram::make_ready(const Call& call, Scratch scratch, cuda::abi::StreamHandle stream) {
  refused_ = 0;
  if (const cuda::abi::Result allowed = allow_shared_memory(call); allowed != cuda::abi::kSuccess) {
    return allowed;
  }
  const bool is_of_its_own = scratch == Scratch::untouched;
  if (scratch_bytes_ < call.scratch_bytes || (is_of_its_own && scratch_ != 0)) {
    static_cast<void>(driver_->cuMemFree_v2(std::exchange(scratch_, 0)));
    scratch_bytes_ = 0;
  }
  if (scratch_ == 0 && call.scratch_bytes > 0) {
    if (const cuda::abi::Result made = driver_->cuMemAlloc_v2(&scratch_, call.scratch_bytes);
        made != cuda::abi::kSuccess) {
      scratch_ = 0;
      return made;
    }
    scratch_bytes_ = call.scratch_bytes;
    return is_of_its_own ? cuda::abi::kSuccess : poison(stream);
  }
  return cuda::abi::kSuccess;
}

cuda::abi::Result DeviceProgram::poison(cuda::abi::StreamHandle stream) {
  if (scratch_ == 0) {
    return cuda::abi::kSuccess;
  }
  poison_ = base::mix(poison_, 1);
  const auto word = kPoison | (static_cast<std::uint32_t>(poison_) & kPoisonBits);
  const std::size_t words = scratch_bytes_ / kWordBytes;
  const cuda::abi::Result filled = driver_->cuMemsetD32Async(scratch_, word, words, stream);
  const std::size_t rest = scratch_bytes_ % kWordBytes;
  return filled != cuda::abi::kSuccess || rest == 0
             ? filled
             : driver_->cuMemsetD8Async(scratch_ + words * kWordBytes, 0xff, rest, stream);
}

cuda::abi::Result DeviceProgram::allow_shared_memory(const Call& call) {
  for (std::size_t at = 0; at < kernels_.size(); ++at) {
    const std::uint32_t wanted = call.launches[at].shared_bytes;
    if (wanted <= kernels_[at].allowed_shared_bytes) {
      continue;
    }
    const cuda::abi::FunctionHandle function = kernels_[at].function;
    const cuda::abi::Result allowed =
        driver_->cuFuncSetAttribute(function, cuda::abi::kMaximumDynamicSharedMemory, static_cast<int>(wanted));
    if (allowed != cuda::abi::kSuccess) {
      refused_ = static_cast<std::uint32_t>(at + 1);
      return allowed;
    }
    for (Kernel& kernel : kernels_) {  // One may be launched several times.
      kernel.allowed_shared_bytes = kernel.function == function ? wanted : kernel.allowed_shared_bytes;
    }
  }
  return cuda::abi::kSuccess;
}

void DeviceProgram::assemble(const Call& call, CallFrame& frame, cuda::abi::StreamHandle stream) {
  ready_.clear();
  ready_.resize(call.launches.size());
  for (std::size_t i = 0; i < call.launches.size(); ++i) {
    const Launch& launch = call.launches[i];
    Ready& ready = ready_[i];
    for (const KernelArgument& argument : launch.arguments) {
      if (const auto* tensor = std::get_if<TensorPointer>(&argument)) {
        ready.values.push_back(reinterpret_cast<std::uint64_t>(frame.data_of(tensor->argument)));
      } else if (const auto* scratch = std::get_if<ScratchPointer>(&argument)) {
        ready.values.push_back(scratch_ + scratch->offset);
      } else {
        ready.values.push_back(std::get<KernelValue>(argument).bits);
      }
    }
    for (std::uint64_t& value : ready.values) {
      ready.arguments.push_back(&value);
    }
    std::copy(launch.grid.begin(), launch.grid.end(), ready.configuration.grid);
    std::copy(launch.block.begin(), launch.block.end(), ready.configuration.block);
    ready.configuration.shared_bytes = launch.shared_bytes;
    ready.configuration.stream = stream;
    ready.configuration.attributes = ready.attributes.data();
    unsigned& count = ready.configuration.attribute_count;
    if (launch.cluster[0] != 0) {
      cuda::abi::LaunchAttribute& attribute = ready.attributes.at(count++);
      attribute.id = cuda::abi::kLaunchClusterDimension;
      std::copy(launch.cluster.begin(), launch.cluster.end(), attribute.value.extents);
    }
    if (launch.cooperative) {
      cuda::abi::LaunchAttribute& attribute = ready.attributes.at(count++);
      attribute.id = cuda::abi::kLaunchCooperative;
      attribute.value.flag = 1;
    }
  }
}

std::int32_t DeviceProgram::launch() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const cuda::abi::Result launched =
        driver_->cuLaunchKernelEx(&ready_[i].configuration, kernels_[i].function, ready_[i].arguments.data(), nullptr);
    if (launched != cuda::abi::kSuccess) {
      refused_ = static_cast<std::uint32_t>(i + 1);
      return launched;
    }
  }
  return cuda::abi::kSuccess;
}

}  // namespace assay::worker
