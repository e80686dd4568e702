#include <assay/worker/client.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <assay/base/random.hpp>
#include <assay/base/text.hpp>
#include <assay/os/socket.hpp>

namespace assay::worker {

namespace {

using Clock = std::chrono::steady_clock;

std::string fault_text(const Fault& fault) {
  const char* name = sigabbrev_np(static_cast<int>(fault.signal));
  const std::string signal = fmt::format("signal {} (SIG{})", fault.signal, name == nullptr ? "?" : name);
  if (fault.signal == SIGSEGV || fault.signal == SIGBUS) {
    return fmt::format("{} {} address {:#x}", signal, fault.write ? "writing to" : "accessing", fault.address);
  }
  return signal;
}

}  // namespace

base::Result<WorkerClient> WorkerClient::start(const WorkerOptions& options) {
  ASSAY_TRY_ASSIGN(auto sockets, os::socket_pair());
  ASSAY_TRY_ASSIGN(os::Process process, os::Process::spawn(worker_process(options, sockets.second)));
  sockets.second.reset();
  WorkerClient client(std::move(process), std::move(sockets.first));
  client.end_limit_ = options.end_limit;
  const Answer<std::vector<std::byte>> hello =
      client.exchange(Kind::hello, encode_version(kProtocolVersion), {}, options.start_limit);
  if (!hello) {
    return base::environment_error("worker.start",
                                   fmt::format("{} did not start: {}", options.program.string(), hello.error().text));
  }
  if (decode_version(*hello) != kProtocolVersion) {
    return base::environment_error("worker.version",
                                   fmt::format("{} speaks another protocol version: install matching assay-judge and "
                                               "assay-worker",
                                               options.program.string()));
  }
  if (options.access.cuda_ordinal) {
    const Answer<DeviceReply> opened =
        client.open_device(*options.access.cuda_ordinal, options.device_memory, options.device_limit);
    if (!opened || opened->status != 0) {
      return base::environment_error(
          "worker.device", fmt::format("a worker in the sandbox cannot open cuda:{}: {}", *options.access.cuda_ordinal,
                                       opened ? base::printable(opened->text) : opened.error().text));
    }
  }
  client.on_device_ = options.access.cuda_ordinal.has_value();
  return client;
}

Failure WorkerClient::violation(const std::string& what) {
  dead_ = true;
  process_.kill();
  return {Failure::Kind::protocol_violation, "the worker broke the protocol: " + what, std::nullopt, std::nullopt};
}

Failure WorkerClient::expired(std::chrono::nanoseconds limit) {
  dead_ = true;
  process_.kill();
  return {Failure::Kind::timed_out, "no answer within " + base::human(limit), std::nullopt, std::nullopt};
}

Failure WorkerClient::ended() {
  dead_ = true;
  const auto waited = process_.wait_for(end_limit_);
  if (!waited || !*waited) {
    process_.kill();
    return {Failure::Kind::died, "it closed its socket and went on running", std::nullopt, std::nullopt};
  }
  const os::ExitStatus status = **waited;
  if (process_.out_of_memory()) {
    return {Failure::Kind::died, "it used more memory than it may have, and the kernel killed it", std::nullopt,
            status};
  }
  const bool killed = status.signalled && status.code == SIGKILL;
  return {killed ? Failure::Kind::killed_from_outside : Failure::Kind::died, status.text(), std::nullopt, status};
}

WorkerClient::Limit WorkerClient::limit_of(std::chrono::nanoseconds length) { return {Clock::now() + length, length}; }

std::chrono::nanoseconds WorkerClient::Limit::left() const {
  return std::max<std::chrono::nanoseconds>(until - Clock::now(), std::chrono::nanoseconds(0));
}

Answer<std::vector<std::byte>> WorkerClient::exchange(Kind kind, std::span<const std::byte> payload,
                                                      std::span<const int> descriptors, std::chrono::nanoseconds limit,
                                                      std::chrono::nanoseconds spin) {
  if (const Answer<void> awaited = await_announced(limit); !awaited) {
    return tl::unexpected(awaited.error());
  }
  woken_for_.reset();
  const Limit all = limit_of(limit);
  const Answer<Header> command = send(kind, payload, descriptors, all);
  if (!command) {
    return tl::unexpected(command.error());
  }
  return receive(*command, all, spin);
}

Answer<Header> WorkerClient::send(Kind kind, std::span<const std::byte> payload, std::span<const int> descriptors,
                                  const Limit& limit) {
  if (dead_) {
    return tl::unexpected(Failure{Failure::Kind::died, "the worker had ended before", std::nullopt, std::nullopt});
  }
  Header command{static_cast<std::uint16_t>(kind), static_cast<std::uint32_t>(payload.size()), ++sequence_,
                 base::entropy_seed()};
  std::vector<std::byte> frame(kHeaderSize + payload.size());
  encode_header(command, std::span<std::byte, kHeaderSize>(frame.data(), kHeaderSize));
  std::copy(payload.begin(), payload.end(), frame.begin() + kHeaderSize);
  const auto sent = os::send_all(socket_, frame, descriptors, limit.left());
  if (!sent || *sent == os::Transfer::closed) {
    return tl::unexpected(ended());
  }
  if (*sent == os::Transfer::timed_out) {
    return tl::unexpected(expired(limit.length));
  }
  return command;
}

Answer<std::vector<std::byte>> WorkerClient::receive(const Header& command, const Limit& limit,
                                                     std::chrono::nanoseconds spin) {
  std::array<std::byte, kHeaderSize> raw{};
  const auto got = os::receive_all(socket_, raw, nullptr, 0, limit.left(), spin);
  if (!got || *got == os::Transfer::closed) {
    return tl::unexpected(ended());
  }
  if (*got == os::Transfer::timed_out) {
    return tl::unexpected(expired(limit.length));
  }
  const std::optional<Header> header = decode_header(raw);
  if (!header) {
    return tl::unexpected(violation("its answer has no valid header"));
  }
  if (header->sequence != command.sequence || header->nonce != command.nonce) {
    return tl::unexpected(violation("its answer does not carry this command's sequence and nonce"));
  }
  std::vector<std::byte> body(header->payload_size);
  const auto rest = os::receive_all(socket_, body, nullptr, 0, limit.left());
  if (!rest || *rest == os::Transfer::closed) {
    return tl::unexpected(ended());
  }
  if (*rest == os::Transfer::timed_out) {
    return tl::unexpected(expired(limit.length));
  }
  if (header->kind == (static_cast<std::uint16_t>(Kind::fault) | kReplyBit)) {
    const std::optional<Fault> fault = decode_fault(body);
    if (!fault) {
      return tl::unexpected(violation("its fault report is not well formed"));
    }
    Failure failure = ended();
    failure.kind = Failure::Kind::fault;
    failure.fault = fault;
    failure.text = fault_text(*fault);
    return tl::unexpected(std::move(failure));
  }
  if (header->kind != (command.kind | kReplyBit)) {
    return tl::unexpected(violation("its answer is to another command"));
  }
  return body;
}

Answer<DeviceReply> WorkerClient::open_device(int ordinal, DeviceMemory memory, std::chrono::nanoseconds limit) {
  auto body = exchange(Kind::device, encode(DeviceRequest{static_cast<std::uint32_t>(ordinal), memory}), {}, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  std::optional<DeviceReply> reply = decode_device_reply(*body);
  if (!reply) {
    return tl::unexpected(violation("its answer to device is not well formed"));
  }
  return std::move(*reply);
}

Answer<LoadReply> WorkerClient::load(const os::Fd& object, const std::string& symbol, std::chrono::nanoseconds limit) {
  const int descriptor = object.get();
  return load({symbol, ""}, std::span(&descriptor, 1), limit);
}

Answer<LoadReply> WorkerClient::load(const os::Fd& object, const os::Fd& tvm_ffi_library, const LoadRequest& request,
                                     std::chrono::nanoseconds limit) {
  ASSAY_CHECK(!request.tvm_ffi_symbol.empty());
  const std::array<int, 2> descriptors = {object.get(), tvm_ffi_library.get()};
  return load(request, descriptors, limit);
}

Answer<LoadReply> WorkerClient::load(const LoadRequest& request, std::span<const int> descriptors,
                                     std::chrono::nanoseconds limit) {
  ASSAY_CHECK(request.symbol.size() <= kMaximumSymbol && request.tvm_ffi_symbol.size() <= kMaximumSymbol);
  return read_load_reply(exchange(Kind::load, encode(request), descriptors, limit));
}

Answer<LoadReply> WorkerClient::load_kernels(const os::Fd& cubin, const LoadKernelsRequest& request,
                                             std::chrono::nanoseconds limit) {
  const int descriptor = cubin.get();
  return read_load_reply(exchange(Kind::load_kernels, encode(request), std::span(&descriptor, 1), limit));
}

Answer<LoadReply> WorkerClient::read_load_reply(Answer<std::vector<std::byte>> body) {
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  std::optional<LoadReply> reply = decode_load_reply(*body);
  if (!reply) {
    return tl::unexpected(violation("its answer to load is not well formed"));
  }
  return std::move(*reply);
}

Answer<void> WorkerClient::map(const os::Fd& inputs, std::size_t inputs_size, const os::Fd& outputs,
                               std::size_t outputs_size, std::chrono::nanoseconds limit) {
  const std::array<int, 2> descriptors = {inputs.get(), outputs.get()};
  auto body = exchange(Kind::map, encode(MapRequest{inputs_size, outputs_size}), descriptors, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  if (!body->empty()) {
    return tl::unexpected(violation("its answer to map is not empty"));
  }
  return {};
}

Answer<WorkerClient::TimedReply> WorkerClient::call(const Call& call, std::chrono::nanoseconds limit) {
  const std::vector<std::byte> payload = encode(call);
  std::chrono::nanoseconds spin{0};
  if (on_device_) {
    // Woken before the clock starts, so that it measures the call and not two wake-ups.
    Answer<void> woken = woken_for_ == call.timing ? Answer<void>() : wake(call.timing, limit);
    woken = woken ? await_announced(limit) : woken;
    if (!woken) {
      return tl::unexpected(woken.error());
    }
    spin = kSpin;
  }
  const Clock::time_point before = Clock::now();
  auto body = exchange(Kind::call, payload, {}, limit, spin);
  const Clock::time_point after = Clock::now();
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  std::optional<CallReply> reply = decode_call_reply(*body);
  if (!reply) {
    return tl::unexpected(violation("its answer to call is not well formed"));
  }
  TimedReply timed{std::move(*reply), std::chrono::duration_cast<std::chrono::nanoseconds>(after - before)};
  if (on_device_ && call.timing.method == base::TimingMethod::cupti && timed.reply.return_code == 0 &&
      timed.reply.device_status == 0) {
    if (const auto failed = collect(timed.reply, limit); !failed) {
      return tl::unexpected(failed.error());
    }
  }
  return timed;
}

Answer<void> WorkerClient::rouse(std::chrono::nanoseconds limit) {
  return !on_device_ || announced_ ? Answer<void>() : announce(Kind::rouse, {}, limit);
}

Answer<void> WorkerClient::wake(const base::Timing& timing, std::chrono::nanoseconds limit) {
  if (!on_device_) {
    return {};
  }
  if (const Answer<void> awaited = await_announced(limit); !awaited) {
    return awaited;
  }
  const Answer<void> announced = announce(Kind::wake, encode(TimingRequest{timing}), limit);
  woken_for_ = announced ? std::optional(timing) : std::nullopt;
  return announced;
}

Answer<void> WorkerClient::announce(Kind kind, std::span<const std::byte> payload, std::chrono::nanoseconds limit) {
  const Answer<Header> sent = send(kind, payload, {}, limit_of(limit));
  if (!sent) {
    return tl::unexpected(sent.error());
  }
  announced_ = *sent;
  return {};
}

Answer<void> WorkerClient::await_announced(std::chrono::nanoseconds limit) {
  if (const std::optional<Header> command = std::exchange(announced_, std::nullopt)) {
    if (const auto answered = receive(*command, limit_of(limit), kSpin); !answered) {
      return tl::unexpected(answered.error());
    }
  }
  return {};
}

Answer<void> WorkerClient::collect(CallReply& reply, std::chrono::nanoseconds limit) {
  auto body = exchange(Kind::collect, {}, {}, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  const std::optional<CallReply> traced = decode_call_reply(*body);
  if (!traced) {
    return tl::unexpected(violation("its answer to collect is not well formed"));
  }
  reply.elapsed_ns = traced->elapsed_ns;
  reply.idle_ns = traced->idle_ns;
  reply.timing_status = traced->timing_status;
  reply.device_status = traced->device_status;
  return {};
}

Answer<CallReply> WorkerClient::prepare(const Call& call, std::chrono::nanoseconds limit) {
  auto body = exchange(Kind::prepare, encode(call), {}, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  const std::optional<CallReply> reply = decode_call_reply(*body);
  if (!reply) {
    return tl::unexpected(violation("its answer to prepare is not well formed"));
  }
  return *reply;
}

Answer<SeriesReply> WorkerClient::series(const Series& series, std::chrono::nanoseconds limit) {
  auto body = exchange(Kind::series, encode(series), {}, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  std::optional<SeriesReply> reply = decode_series_reply(*body);
  if (!reply || reply->elapsed_ns.size() > series.timed) {
    return tl::unexpected(violation("its answer to series is not well formed"));
  }
  const CallReply& last = reply->last;
  const bool failed = last.return_code != 0 || last.device_status != 0 || last.timing_status != TimingStatus::timed;
  if (!failed && reply->elapsed_ns.size() < series.timed) {
    return tl::unexpected(violation("its answer to series lacks times and names no failure"));
  }
  return std::move(*reply);
}

Answer<FloorReply> WorkerClient::measure_floor(const base::Timing& timing, std::chrono::nanoseconds limit) {
  auto body = exchange(Kind::floor, encode(TimingRequest{timing}), {}, limit);
  if (!body) {
    return tl::unexpected(std::move(body.error()));
  }
  std::optional<FloorReply> reply = decode_floor_reply(*body);
  if (!reply) {
    return tl::unexpected(violation("its answer to floor is not well formed"));
  }
  return std::move(*reply);
}

std::optional<os::ExitStatus> WorkerClient::finish(std::chrono::nanoseconds limit) {
  socket_.reset();
  dead_ = true;
  const auto waited = process_.wait_for(limit);
  process_.kill();
  return waited ? *waited : std::nullopt;
}

void WorkerClient::close() {
  socket_.reset();
  // A driver takes a tenth of a second to leave in good order; nothing is lost if it is not let.
  if (!dead_ && !on_device_) {
    const auto waited = process_.wait_for(std::chrono::milliseconds(100));
    static_cast<void>(waited);
  }
  dead_ = true;
  process_.kill();
}

}  // namespace assay::worker
