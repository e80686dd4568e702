#include <assay/worker/session.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
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
#include <assay/worker/fault_report.hpp>
#include <assay/worker/loaded_candidate.hpp>
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

  bool load(const ReceivedCommand& command) {
    const std::optional<LoadRequest> request = decode_load(command.payload);
    const std::vector<os::Fd>& given = command.descriptors;
    if (!request || given.size() != (request->tvm_ffi_symbol.empty() ? 1 : 2) || candidate_.is_loaded()) {
      return false;
    }
    const os::Fd* const tvm_ffi_library = given.size() == 2 ? &given[1] : nullptr;
    return reply(command, encode(candidate_.load(given.front(), tvm_ffi_library, *request, cuda_.get())));
  }

  bool load_kernels(const ReceivedCommand& command) {
    const std::optional<LoadKernelsRequest> request = decode_load_kernels(command.payload);
    if (!request || command.descriptors.size() != 1 || candidate_.is_loaded() || !cuda_) {
      return false;
    }
    const std::optional<LoadReply> loaded = candidate_.load_kernels(command.descriptors.front(), *request, *cuda_);
    return loaded && reply(command, encode(*loaded));
  }

  bool open_device(const ReceivedCommand& command) {
    const std::optional<DeviceRequest> request = decode_device(command.payload);
    if (!request || cuda_ || candidate_.is_loaded()) {
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
    return call && candidate_.is_loaded() && (cuda_ != nullptr) != (call->timing.method == base::TimingMethod::wall) &&
           candidate_.fits(*call);
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

  [[nodiscard]] DeviceMemory memory() const { return copies_ ? DeviceMemory::copied : DeviceMemory::lent; }

  // On copies the tensors lie elsewhere than where the frame was assembled.
  [[nodiscard]] CallReply run_on_copies(const Call& call, CallFrame& frame, const std::vector<tvm_ffi::Any>& packed) {
    return cuda_->run_on_copies(frame, [&] {
      candidate_.assemble(call, frame);
      return candidate_.enter(frame, packed);
    });
  }

  bool answer_call(const ReceivedCommand& command, CallReply& result) {
    candidate_.note_failure(result);
    return reply(command, encode(result));
  }

  bool prepare(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || copies_ || !assemble(*description, frame)) {
      return false;
    }
    const base::Timing& timing = description->timing;
    const std::vector<tvm_ffi::Any> packed = candidate_.pack(frame);
    CallReply result;
    if (!candidate_.make_ready(*description, frame, memory(), result)) {
      return answer_call(command, result);
    }
    candidate_.poison();  // Before a call `wake` does it, out of the judge's time too.
    if (cuda_) {
      const bool captures = timing.method == base::TimingMethod::graph && timing.cache == base::CacheState::cold;
      const bool warms = timing.cache == base::CacheState::hot && cuda_->is_ready(timing);
      if (!captures && !warms) {
        return false;
      }
      result = cuda_->prepare(timing, [&] { return candidate_.enter(frame, packed); });
    } else {
      if (timing.cache != base::CacheState::hot) {
        return false;
      }
      result.return_code = candidate_.enter(frame, packed);
    }
    return answer_call(command, result);
  }

  bool call(const ReceivedCommand& command) {
    const std::optional<Call> description = decode_call(command.payload);
    CallFrame frame;
    if (!can_call(description) || !assemble(*description, frame)) {
      return false;
    }
    const std::vector<tvm_ffi::Any> packed = candidate_.pack(frame);
    CallReply result;
    if (description->timing.method == base::TimingMethod::graph && !candidate_.keeps_scratch(*description)) {
      return false;
    }
    if (!candidate_.make_ready(*description, frame, memory(), result)) {
      return answer_call(command, result);
    }
    if (copies_) {
      result = run_on_copies(*description, frame, packed);
    } else if (cuda_) {
      if (!cuda_->is_ready(description->timing)) {
        return false;
      }
      result = cuda_->time(description->timing, [&] { return candidate_.enter(frame, packed); });
    } else {
      const Clock::time_point before = Clock::now();
      result.return_code = candidate_.enter(frame, packed);
      const Clock::time_point after = Clock::now();
      result.elapsed_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(after - before).count();
    }
    return answer_call(command, result);
  }

  bool collect(const ReceivedCommand& command) {
    constexpr base::Timing kTiming{base::TimingMethod::cupti, base::CacheState::cold};
    return command.payload.empty() && cuda_ && !copies_ && candidate_.is_loaded() && cuda_->is_ready(kTiming) &&
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
    const std::vector<tvm_ffi::Any> packed = candidate_.pack(frame);
    SeriesReply result;
    if (!candidate_.make_ready(description->call, frame, memory(), result.last)) {
      return reply(command, encode(result));
    }
    result =
        cuda_->time_series(description->untimed, description->timed, [&] { return candidate_.enter(frame, packed); });
    candidate_.note_failure(result.last);
    return reply(command, encode(result));
  }

  bool wake(const ReceivedCommand& command) {
    const std::optional<TimingRequest> request = decode_timing_request(command.payload);
    if (!request) {
      return false;
    }
    if (cuda_ && !copies_) {  // What fails here fails in the call too.
      candidate_.poison();
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
  std::unique_ptr<CudaCalls> cuda_;  ///< Where a device was opened.
  LoadedCandidate candidate_;        // It uses the device.
  bool copies_ = false;              ///< On it calls work on copies of what lies in the two mappings; else in its own.
  os::Mapping inputs_;
  os::Mapping outputs_;
};

}  // namespace

int serve() { return Session().run(); }

}  // namespace assay::worker
