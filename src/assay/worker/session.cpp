#include <assay/worker/session.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <assay/candidate.h>

#include <assay/os/shared_memory.hpp>
#include <assay/os/socket.hpp>
#include <assay/worker/call_frame.hpp>
#include <assay/worker/cuda_calls.hpp>
#include <assay/worker/device_program.hpp>
#include <assay/worker/fault_report.hpp>
#include <assay/worker/protocol.hpp>
#include <assay/worker/tvm_ffi.hpp>

namespace assay::worker {

namespace {

using Clock = std::chrono::steady_clock;

// The judge owns every deadline and kills us; these only keep a broken pipe from blocking for ever.
constexpr std::chrono::hours kPatience{24};
// Inaccessible bytes on both sides of a memory: a stray access there faults and is reported with its place.
constexpr std::size_t kGuard = std::size_t{256} * 1024;

struct ReceivedCommand {
  Header header;
  std::vector<std::byte> payload;
  std::vector<os::Fd> descriptors;
};

class Session {
 public:
  Session() : socket_(kSocketDescriptor) {}

  int run() {
    install_fault_handlers();
    while (true) {
      std::optional<ReceivedCommand> command = receive();
      if (!command) {
        return closed_ ? 0 : 1;
      }
      announce_command(command->header.sequence, command->header.nonce);
      if (!answer(*command)) {
        return 1;
      }
    }
  }

 private:
  std::optional<ReceivedCommand> receive() {
    std::array<std::byte, kHeaderSize> raw{};
    ReceivedCommand command;
    const auto got = os::receive_all(socket_, raw, &command.descriptors, 2, kPatience, std::exchange(spin_, {}));
    if (!got || *got != os::Transfer::done) {
      closed_ = got && *got == os::Transfer::closed;
      return std::nullopt;
    }
    const std::optional<Header> header = decode_header(raw);
    if (!header) {
      return std::nullopt;
    }
    command.header = *header;
    command.payload.resize(header->payload_size);
    const auto body = os::receive_all(socket_, command.payload, &command.descriptors, 2, kPatience);
    if (!body || *body != os::Transfer::done) {
      return std::nullopt;
    }
    return command;
  }

  bool reply(const ReceivedCommand& command, std::span<const std::byte> payload) {
    std::vector<std::byte> frame(kHeaderSize + payload.size());
    const Header header{static_cast<std::uint16_t>(command.header.kind | kReplyBit),
                        static_cast<std::uint32_t>(payload.size()), command.header.sequence, command.header.nonce};
    encode_header(header, std::span<std::byte, kHeaderSize>(frame.data(), kHeaderSize));
    std::copy(payload.begin(), payload.end(), frame.begin() + kHeaderSize);
    const auto sent = os::send_all(socket_, frame, {}, kPatience);
    return sent && *sent == os::Transfer::done;
  }

  bool answer(ReceivedCommand& command) {
    switch (static_cast<Kind>(command.header.kind)) {
      case Kind::hello:
        return decode_version(command.payload) == kProtocolVersion && reply(command, encode_version(kProtocolVersion));
      case Kind::load:
        return load(command);
      case Kind::load_kernels:
        return load_kernels(command);
      case Kind::map:
        return map(command);
      case Kind::call:
        return call(command);
      case Kind::prepare:
        return prepare(command);
      case Kind::collect:
        return collect(command);
      case Kind::series:
        return series(command);
      case Kind::floor:
        return floor(command);
      case Kind::rouse:
        spin_ = kSpin;
        return command.payload.empty() && reply(command, {});
      case Kind::wake:
        return wake(command);
      case Kind::device:
        return open_device(command);
      case Kind::fault:
        return false;
    }
    return false;
  }

  // Where no /proc could be mounted: by way of a file in our private folder. No candidate has run yet.
  static void* open_copy(const os::Fd& object) {
    const base::Result<std::string> path = copy_of(object);
    if (!path) {
      return dlopen("/proc/self/fd", RTLD_NOW);  // Says why.
    }
    void* library = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(path->c_str());
    return library;
  }

  static base::Result<std::string> copy_of(const os::Fd& object) {
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

  static std::string path_of(const os::Fd& object) { return "/proc/self/fd/" + std::to_string(object.get()); }

  bool load(ReceivedCommand& command) {
    const std::optional<LoadRequest> request = decode_load(command.payload);
    if (!request || command.descriptors.size() != (request->tvm_ffi_symbol.empty() ? 1 : 2) || loaded()) {
      return false;
    }
    if (command.descriptors.size() == 2) {
      base::Result<TvmFfi> opened = open_tvm_ffi(command.descriptors[1]);
      if (!opened) {
        return reply(command, encode(LoadReply{LoadStatus::runtime_missing, opened.error().message}));
      }
      tvm_ffi_ = *opened;
    }
    // The judge hashed these very bytes and sealed them: what is loaded is what was built.
    const std::string path = path_of(command.descriptors.front());
    void* library = access(path.c_str(), R_OK) == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)
                                                    : open_copy(command.descriptors.front());
    if (library == nullptr) {
      const char* words = dlerror();
      return reply(command, encode(LoadReply{LoadStatus::refused_by_loader, words == nullptr ? "" : words}));
    }
    function_ = reinterpret_cast<assay_kernel_function>(dlsym(library, request->symbol.c_str()));
    if (function_ == nullptr && tvm_ffi_) {
      packed_function_ = reinterpret_cast<tvm_ffi::Entry>(dlsym(library, request->tvm_ffi_symbol.c_str()));
    }
    return reply(command, encode(loaded() ? LoadReply{} : LoadReply{LoadStatus::symbol_missing, request->symbol}));
  }

  bool load_kernels(ReceivedCommand& command) {
    const std::optional<LoadKernelsRequest> request = decode_load_kernels(command.payload);
    struct stat facts{};
    if (!request || command.descriptors.size() != 1 || loaded() || !cuda_ ||
        fstat(command.descriptors.front().get(), &facts) != 0) {
      return false;
    }
    // And a zero behind it: the driver takes an address alone, and for text what does not look like code.
    const auto size = static_cast<std::size_t>(facts.st_size);
    std::vector<std::byte> cubin(size + 1);
    if (pread(command.descriptors.front().get(), cubin.data(), size, 0) != facts.st_size) {
      return false;
    }
    DeviceProgram::Loaded loaded = DeviceProgram::load(cubin, *request);
    program_ = std::move(loaded.program);
    return reply(command, encode(loaded.reply));
  }

  // Objects of that binding name functions of the driver too, which their own build links with.
  base::Result<TvmFfi> open_tvm_ffi(const os::Fd& library) const {
    if (cuda_) {
      static_cast<void>(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD));
    }
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

  [[nodiscard]] bool loaded() const {
    return function_ != nullptr || packed_function_ != nullptr || program_ != nullptr;
  }

  bool open_device(const ReceivedCommand& command) {
    const std::optional<DeviceRequest> request = decode_device(command.payload);
    if (!request || cuda_ || loaded()) {
      return false;
    }
    base::Result<std::unique_ptr<CudaCalls>> opened = CudaCalls::open(static_cast<int>(request->ordinal));
    if (!opened) {
      return reply(command, encode(DeviceReply{1, opened.error().text()}));
    }
    cuda_ = std::move(*opened);
    copies_ = request->memory == DeviceMemory::copied;
    return reply(command, encode(DeviceReply{}));
  }

  bool map(ReceivedCommand& command) {
    const std::optional<MapRequest> request = decode_map(command.payload);
    if (!request || command.descriptors.size() != 2) {
      return false;
    }
    if (cuda_ && !copies_) {
      // What goes wrong is the machine's: our words are in the log.
      const base::Result<void> mapped =
          cuda_->map(command.descriptors[0], request->inputs_size, command.descriptors[1], request->outputs_size);
      if (!mapped) {
        fmt::print(stderr, "assay-worker: {}\n", mapped.error().text());
      }
      return mapped && reply(command, {});
    }
    auto inputs =
        os::Mapping::map(command.descriptors[0], request->inputs_size, os::Mapping::Access::read_only, kGuard);
    auto outputs =
        os::Mapping::map(command.descriptors[1], request->outputs_size, os::Mapping::Access::read_write, kGuard);
    if (!inputs || !outputs) {
      return false;
    }
    inputs_ = std::move(*inputs);
    outputs_ = std::move(*outputs);
    announce_memory(Memory::inputs, inputs_.data(), inputs_.size(), kGuard);
    announce_memory(Memory::outputs, outputs_.data(), outputs_.size(), kGuard);
    return reply(command, {});
  }

  // Whether there is something to call, in a way that this worker can time.
  [[nodiscard]] bool can_call(const std::optional<Call>& call) const {
    return call && loaded() && (cuda_ != nullptr) != (call->timing.method == base::TimingMethod::wall) &&
           (program_ == nullptr ? call->launches.empty() : program_->fits(*call));
  }

  bool assemble(const Call& call, CallFrame& frame) const {
    void* stream = cuda_ ? cuda_->stream() : nullptr;
    if (cuda_ && !copies_) {
      return frame.assemble(call, {cuda_->inputs(), cuda_->inputs_size()}, {cuda_->outputs(), cuda_->outputs_size()},
                            {kDLCUDA, cuda_->ordinal()}, stream);
    }
    return frame.assemble(call, {inputs_.data(), inputs_.size()}, {outputs_.data(), outputs_.size()}, {kDLCPU, 0},
                          stream);
  }

  // By TVM-FFI's convention, and what it is told before a call; neither is in the call's time.
  [[nodiscard]] std::vector<tvm_ffi::Any> pack(const CallFrame& frame) const {
    if (packed_function_ == nullptr) {
      return {};
    }
    if (cuda_) {
      tvm_ffi_->set_stream({kDLCUDA, cuda_->ordinal()}, cuda_->stream());
    }
    return TvmFfi::pack(*frame.call());
  }

  [[nodiscard]] device::cuda::abi::StreamHandle stream() const {
    return static_cast<device::cuda::abi::StreamHandle>(cuda_->stream());
  }

  // Of device code alone: what its launches need, outside of the call's time. Returns false if they cannot be made.
  [[nodiscard]] bool make_ready(const Call& call, CallFrame& frame, CallReply& result) {
    if (program_ == nullptr) {
      return true;
    }
    result.device_status = program_->make_ready(
        call, copies_ ? DeviceProgram::Scratch::untouched : DeviceProgram::Scratch::poisoned, stream());
    if (result.device_status != device::cuda::abi::kSuccess) {
      result.refused_launch = program_->refused();
      return false;
    }
    if (!copies_) {
      program_->assemble(call, frame, stream());
    }
    return true;
  }

  [[nodiscard]] std::int32_t enter(const CallFrame& frame, const std::vector<tvm_ffi::Any>& packed) const {
    if (program_ != nullptr) {
      return program_->launch();
    }
    return packed_function_ == nullptr ? function_(frame.call()) : tvm_ffi_->invoke(packed_function_, packed);
  }

  // On copies the tensors lie elsewhere than where the frame was assembled.
  [[nodiscard]] CallReply run_on_copies(const Call& call, CallFrame& frame, const std::vector<tvm_ffi::Any>& packed) {
    return cuda_->run_on_copies(frame, [&] {
      if (program_ != nullptr) {
        program_->assemble(call, frame, stream());
      }
      return enter(frame, packed);
    });
  }

  // Why a call failed, for the answer and for the log: the launch that the driver refused, what an entry point bound by
  // TVM-FFI raised.
  void note_failure(CallReply& result) {
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

  bool answer_call(const ReceivedCommand& command, CallReply& result) {
    note_failure(result);
    return reply(command, encode(result));
  }

  bool prepare(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || copies_ || !assemble(*description, frame)) {
      return false;
    }
    const base::Timing& timing = description->timing;
    const std::vector<tvm_ffi::Any> packed = pack(frame);
    CallReply result;
    if (!make_ready(*description, frame, result)) {
      return answer_call(command, result);
    }
    if (program_ != nullptr) {  // Before a call `wake` does it, out of the judge's time too.
      static_cast<void>(program_->poison(stream()));
    }
    if (cuda_) {
      const bool captures = timing.method == base::TimingMethod::graph && timing.cache == base::CacheState::cold;
      const bool warms = timing.cache == base::CacheState::hot && cuda_->is_ready(timing);
      if (!captures && !warms) {
        return false;
      }
      result = cuda_->prepare(timing, [&] { return enter(frame, packed); });
    } else {
      if (timing.cache != base::CacheState::hot) {
        return false;
      }
      result.return_code = enter(frame, packed);
    }
    return answer_call(command, result);
  }

  bool call(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || !assemble(*description, frame)) {
      return false;
    }
    const std::vector<tvm_ffi::Any> packed = pack(frame);
    CallReply result;
    if (program_ != nullptr && description->timing.method == base::TimingMethod::graph &&
        !program_->keeps_scratch(*description)) {
      return false;
    }
    if (!make_ready(*description, frame, result)) {
      return answer_call(command, result);
    }
    if (copies_) {
      result = run_on_copies(*description, frame, packed);
    } else if (cuda_) {
      if (!cuda_->is_ready(description->timing)) {
        return false;
      }
      result = cuda_->time(description->timing, [&] { return enter(frame, packed); });
    } else {
      const Clock::time_point before = Clock::now();
      result.return_code = enter(frame, packed);
      const Clock::time_point after = Clock::now();
      result.elapsed_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count();
    }
    return answer_call(command, result);
  }

  bool collect(const ReceivedCommand& command) {
    constexpr base::Timing kTiming{base::TimingMethod::cupti, base::CacheState::cold};
    return command.payload.empty() && cuda_ && !copies_ && loaded() && cuda_->is_ready(kTiming) &&
           reply(command, encode(cuda_->collect()));
  }

  bool series(const ReceivedCommand& command) {
    const std::optional<Series> description = decode_series(command.payload);
    CallFrame frame;
    constexpr base::Timing kTiming{base::TimingMethod::cupti, base::CacheState::cold};
    if (!description || !cuda_ || copies_ || description->call.timing != kTiming || !can_call(description->call) ||
        !cuda_->is_ready(kTiming) || !assemble(description->call, frame)) {
      return false;
    }
    const std::vector<tvm_ffi::Any> packed = pack(frame);
    SeriesReply result;
    if (!make_ready(description->call, frame, result.last)) {
      return reply(command, encode(result));
    }
    result = cuda_->time_series(description->untimed, description->timed, [&] { return enter(frame, packed); });
    note_failure(result.last);
    return reply(command, encode(result));
  }

  bool wake(const ReceivedCommand& command) {
    const std::optional<TimingRequest> request = decode_timing_request(command.payload);
    if (!request) {
      return false;
    }
    if (cuda_ && !copies_) {  // What fails here fails in the call too.
      if (program_ != nullptr) {
        static_cast<void>(program_->poison(stream()));
      }
      static_cast<void>(cuda_->wake(request->timing));
    }
    spin_ = kSpin;
    return reply(command, {});
  }

  bool floor(const ReceivedCommand& command) {
    const std::optional<TimingRequest> request = decode_timing_request(command.payload);
    if (!request || copies_ || (cuda_ != nullptr) == (request->timing.method == base::TimingMethod::wall)) {
      return false;
    }
    if (!cuda_) {
      return reply(command, encode(FloorReply{0, measure_floor(), {}}));
    }
    const base::Result<std::int64_t> measured = cuda_->measure_floor(request->timing);
    return reply(command, encode(measured ? FloorReply{0, *measured, {}} : FloorReply{1, 0, measured.error().text()}));
  }

  static std::int32_t empty_kernel(const assay_call* call) { return call->abi_version - ASSAY_ABI_VERSION; }

  [[nodiscard]] static std::int64_t measure_floor() {
    CallFrame frame;
    static_cast<void>(frame.assemble(Call{}, {}, {}, {kDLCPU, 0}, nullptr));
    std::array<std::int64_t, 101> times{};
    // Volatile, so that the compiler calls through the pointer as it must for a candidate.
    assay_kernel_function volatile function = &empty_kernel;
    for (std::int64_t& time : times) {
      const Clock::time_point before = Clock::now();
      static_cast<void>(function(frame.call()));
      time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - before).count();
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

  os::Fd socket_;
  std::chrono::nanoseconds spin_{0};  ///< For the next command alone.
  bool closed_ = false;
  assay_kernel_function function_ = nullptr;
  std::optional<TvmFfi> tvm_ffi_;  ///< Where the object that was loaded may use it.
  tvm_ffi::Entry packed_function_ = nullptr;
  std::unique_ptr<CudaCalls> cuda_;         ///< Where a device was opened.
  std::unique_ptr<DeviceProgram> program_;  ///< In place of the functions, where kernels were loaded.
  bool copies_ = false;  ///< On it calls work on copies of what lies in the two mappings; else in its own.
  os::Mapping inputs_;
  os::Mapping outputs_;
};

}  // namespace

int serve() { return Session().run(); }

}  // namespace assay::worker
