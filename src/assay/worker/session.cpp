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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <assay/candidate.h>

#include <assay/os/shared_memory.hpp>
#include <assay/os/socket.hpp>
#include <assay/worker/cuda_calls.hpp>
#include <assay/worker/fault_report.hpp>
#include <assay/worker/protocol.hpp>

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

// A mapped memory, and the device on which it lies.
struct Region {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

// DLTensor views and argument arrays of one call; the vectors own what the C structures point to.
class CallFrame {
 public:
  // Returns false if an argument does not fit its memory.
  bool assemble(const Call& call, const Region& inputs, const Region& outputs, DLDevice device, void* stream) {
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

  [[nodiscard]] const assay_call* call() const { return &call_; }

 private:
  bool place(const CallArgument& argument, const Region& inputs, const Region& outputs, std::size_t at) {
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

  std::vector<DLTensor> tensors_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<assay_argument> arguments_;
  DLDevice device_{kDLCPU, 0};
  assay_call call_{};
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
      case Kind::map:
        return map(command);
      case Kind::call:
        return call(command);
      case Kind::prepare:
        return prepare(command);
      case Kind::floor:
        return floor(command);
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
    std::string path = "/tmp/candidate-XXXXXX";
    const os::Fd copy(mkostemp(path.data(), O_CLOEXEC));
    struct stat facts{};
    if (!copy.valid() || fstat(object.get(), &facts) != 0) {
      return dlopen("/proc/self/fd", RTLD_NOW);  // Says why.
    }
    off_t offset = 0;
    while (offset < facts.st_size &&
           sendfile(copy.get(), object.get(), &offset, static_cast<std::size_t>(facts.st_size - offset)) > 0) {
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(path.c_str());
    return library;
  }

  bool load(ReceivedCommand& command) {
    const std::optional<std::string> symbol = decode_text(command.payload);
    if (!symbol || command.descriptors.size() != 1 || function_ != nullptr) {
      return false;
    }
    // The judge hashed these very bytes and sealed them: what is loaded is what was built.
    const std::string path = "/proc/self/fd/" + std::to_string(command.descriptors.front().get());
    void* library = access(path.c_str(), R_OK) == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)
                                                    : open_copy(command.descriptors.front());
    if (library == nullptr) {
      const char* words = dlerror();
      return reply(command, encode(LoadReply{LoadStatus::refused_by_loader, words == nullptr ? "" : words}));
    }
    void* address = dlsym(library, symbol->c_str());
    if (address == nullptr) {
      return reply(command, encode(LoadReply{LoadStatus::symbol_missing, *symbol}));
    }
    function_ = reinterpret_cast<assay_kernel_function>(address);
    return reply(command, encode(LoadReply{}));
  }

  bool open_device(const ReceivedCommand& command) {
    const std::optional<DeviceRequest> request = decode_device(command.payload);
    if (!request || cuda_ || function_ != nullptr) {
      return false;
    }
    base::Result<std::unique_ptr<CudaCalls>> opened = CudaCalls::open(static_cast<int>(request->ordinal));
    if (!opened) {
      return reply(command, encode(DeviceReply{1, opened.error().text()}));
    }
    cuda_ = std::move(*opened);
    return reply(command, encode(DeviceReply{}));
  }

  bool map(ReceivedCommand& command) {
    const std::optional<MapRequest> request = decode_map(command.payload);
    if (!request || command.descriptors.size() != 2) {
      return false;
    }
    if (cuda_) {
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
    return call && function_ != nullptr && (cuda_ != nullptr) != (call->timing.method == base::TimingMethod::wall);
  }

  bool assemble(const Call& call, CallFrame& frame) const {
    return cuda_
               ? frame.assemble(call, {cuda_->inputs(), cuda_->inputs_size()},
                                {cuda_->outputs(), cuda_->outputs_size()}, {kDLCUDA, cuda_->ordinal()}, cuda_->stream())
               : frame.assemble(call, {inputs_.data(), inputs_.size()}, {outputs_.data(), outputs_.size()}, {kDLCPU, 0},
                                nullptr);
  }

  bool prepare(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || !assemble(*description, frame)) {
      return false;
    }
    const base::Timing& timing = description->timing;
    if (cuda_) {
      const bool captures = timing.method == base::TimingMethod::graph && timing.cache == base::CacheState::cold;
      const bool warms = timing.cache == base::CacheState::hot && cuda_->is_ready(timing);
      return (captures || warms) &&
             reply(command, encode(cuda_->prepare(timing, [&] { return function_(frame.call()); })));
    }
    if (timing.cache != base::CacheState::hot) {
      return false;
    }
    CallReply result;
    result.return_code = function_(frame.call());
    return reply(command, encode(result));
  }

  bool call(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || !assemble(*description, frame)) {
      return false;
    }
    if (cuda_) {
      return cuda_->is_ready(description->timing) &&
             reply(command, encode(cuda_->time(description->timing, [&] { return function_(frame.call()); })));
    }
    CallReply result;
    const Clock::time_point before = Clock::now();
    result.return_code = function_(frame.call());
    const Clock::time_point after = Clock::now();
    result.elapsed_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count();
    return reply(command, encode(result));
  }

  bool wake(const ReceivedCommand& command) {
    const std::optional<TimingRequest> request = decode_timing_request(command.payload);
    if (!request) {
      return false;
    }
    if (cuda_) {
      static_cast<void>(cuda_->wake(request->timing.cache));  // What fails here fails in the call too.
    }
    spin_ = kSpin;
    return reply(command, {});
  }

  bool floor(const ReceivedCommand& command) {
    const std::optional<TimingRequest> request = decode_timing_request(command.payload);
    if (!request || (cuda_ != nullptr) == (request->timing.method == base::TimingMethod::wall)) {
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
    frame.assemble(Call{}, {}, {}, {kDLCPU, 0}, nullptr);
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
  std::unique_ptr<CudaCalls> cuda_;  ///< Where a device was opened; the two mappings below are then unused.
  os::Mapping inputs_;
  os::Mapping outputs_;
};

}  // namespace

int serve() { return Session().run(); }

}  // namespace assay::worker
