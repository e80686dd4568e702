#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include <assay/base/error.hpp>
#include <assay/os/fd.hpp>
#include <assay/os/process.hpp>
#include <assay/worker/protocol.hpp>
#include <assay/worker/worker_process.hpp>

namespace assay::worker {

/// Why a worker did not answer as it should. Nothing here is a base::Error: it is evidence about what runs in it.
struct Failure {
  enum class Kind : std::uint8_t {
    fault,                ///< It reported a signal (`fault`) and ended.
    died,                 ///< It ended without a word (`status`).
    killed_from_outside,  ///< It got SIGKILL, and not from us: somebody, or the kernel out of memory.
    timed_out,            ///< No answer within the limit; it was killed.
    protocol_violation,   ///< It said something that the protocol does not allow; it was killed.
  };
  Kind kind = Kind::died;
  std::string text;  ///< One sentence.
  std::optional<Fault> fault;
  std::optional<os::ExitStatus> status;
};

template <class T>
using Answer = tl::expected<T, Failure>;

/// The judge's end of one worker. Each command has a random nonce and the next sequence number, and is answered within
/// its limit or not at all; after any failure the worker is dead and every later command fails. One thread only.
class WorkerClient {
 public:
  /// Starts a worker and greets it. Not being able to start one is an environment error.
  [[nodiscard]] static base::Result<WorkerClient> start(const WorkerOptions& options);

  /// Has the worker open the CUDA device.
  [[nodiscard]] Answer<DeviceReply> open_device(int ordinal, DeviceMemory memory, std::chrono::nanoseconds limit);
  /// Has the worker load this sealed object and find this symbol.
  [[nodiscard]] Answer<LoadReply> load(const os::Fd& object, const std::string& symbol, std::chrono::nanoseconds limit);
  /// The same for an object that may use TVM-FFI, whose library, sealed too, is loaded first.
  [[nodiscard]] Answer<LoadReply> load(const os::Fd& object, const os::Fd& tvm_ffi_library, const LoadRequest& request,
                                       std::chrono::nanoseconds limit);
  /// Has the worker load a cubin, in sealed memory, whose kernels it is to launch itself.
  [[nodiscard]] Answer<LoadReply> load_kernels(const os::Fd& cubin, const LoadKernelsRequest& request,
                                               std::chrono::nanoseconds limit);
  /// Has the worker map the two memories (replacing earlier ones).
  [[nodiscard]] Answer<void> map(const os::Fd& inputs, std::size_t inputs_size, const os::Fd& outputs,
                                 std::size_t outputs_size, std::chrono::nanoseconds limit);

  struct TimedReply {
    CallReply reply;
    std::chrono::nanoseconds round_trip{};  ///< Our clock, from before the command is sent to after its answer is read.
                                            ///< What CUPTI takes to begin and to tell is outside of it.
  };
  [[nodiscard]] Answer<TimedReply> call(const Call& call, std::chrono::nanoseconds limit);
  /// Has a worker on a device wait for the next command without sleeping, and does not wait until it does: so that the
  /// judge can do its own work while the worker's processor wakes up. What is asked next reads the answer first. Nothing on
  /// a CPU.
  [[nodiscard]] Answer<void> rouse(std::chrono::nanoseconds limit);
  /// Has a worker on a device make the device its own and the caches what they shall be for a call of this timing, and
  /// does not wait until it has: `call` does, and asks for it itself if nobody did just before. Nothing on a CPU.
  [[nodiscard]] Answer<void> wake(const base::Timing& timing, std::chrono::nanoseconds limit);
  /// Captures a call whose timing is {graph, cold}, or makes a `hot` one once, untimed. See worker::Call.
  [[nodiscard]] Answer<CallReply> prepare(const Call& call, std::chrono::nanoseconds limit);
  /// Makes one call many times over; `limit` is for all of them. An answer without a time for each timed call is that of
  /// a call that failed.
  [[nodiscard]] Answer<SeriesReply> series(const Series& series, std::chrono::nanoseconds limit);
  /// An answer whose status is not 0: this machine cannot time so.
  [[nodiscard]] Answer<FloorReply> measure_floor(const base::Timing& timing, std::chrono::nanoseconds limit);

  /// Closes the socket, on which the worker ends by itself, and waits for how it and who watches it ended. Kills them at
  /// the limit: nothing is returned then.
  [[nodiscard]] std::optional<os::ExitStatus> finish(std::chrono::nanoseconds limit);
  /// Closes the socket and waits briefly for the worker to end; kills it otherwise.
  void close();
  [[nodiscard]] int pid() const { return process_.pid(); }

 private:
  WorkerClient(os::Process process, os::Fd socket) : process_(std::move(process)), socket_(std::move(socket)) {}
  [[nodiscard]] Answer<std::vector<std::byte>> exchange(Kind kind, std::span<const std::byte> payload,
                                                        std::span<const int> descriptors,
                                                        std::chrono::nanoseconds limit,
                                                        std::chrono::nanoseconds spin = std::chrono::nanoseconds(0));
  struct Limit {
    std::chrono::steady_clock::time_point until;
    std::chrono::nanoseconds length;
    [[nodiscard]] std::chrono::nanoseconds left() const;
  };
  [[nodiscard]] static Limit limit_of(std::chrono::nanoseconds length);
  /// Returns the command's header, which its answer repeats.
  [[nodiscard]] Answer<Header> send(Kind kind, std::span<const std::byte> payload, std::span<const int> descriptors,
                                    const Limit& limit);
  [[nodiscard]] Answer<std::vector<std::byte>> receive(const Header& command, const Limit& limit,
                                                       std::chrono::nanoseconds spin);
  /// Sends a command whose answer is read when the next one is asked for.
  [[nodiscard]] Answer<void> announce(Kind kind, std::span<const std::byte> payload, std::chrono::nanoseconds limit);
  /// Reads that answer, if there is one to come.
  [[nodiscard]] Answer<void> await_announced(std::chrono::nanoseconds limit);
  [[nodiscard]] Answer<LoadReply> load(const LoadRequest& request, std::span<const int> descriptors,
                                       std::chrono::nanoseconds limit);
  [[nodiscard]] Answer<void> collect(CallReply& reply, std::chrono::nanoseconds limit);
  [[nodiscard]] Answer<LoadReply> read_load_reply(Answer<std::vector<std::byte>> body);
  [[nodiscard]] Failure violation(const std::string& what);
  [[nodiscard]] Failure ended();
  [[nodiscard]] Failure expired(std::chrono::nanoseconds limit);

  os::Process process_;
  os::Fd socket_;
  std::uint32_t sequence_ = 0;
  std::optional<Header> announced_;        ///< The command `rouse` or `wake`, while its answer has not been read.
  std::optional<base::Timing> woken_for_;  ///< What the last command announced, if it was `wake`.
  bool dead_ = false;
  bool on_device_ = false;
  std::chrono::milliseconds end_limit_{0};
};

}  // namespace assay::worker
