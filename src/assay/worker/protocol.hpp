#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <assay/base/timing.hpp>

namespace assay::worker {

/// The border between the judge and a worker: docs/worker-protocol.md is its specification. Every number here is part
/// of it. The judge sends a command and the worker answers it; nothing else is ever said.
inline constexpr std::uint32_t kProtocolVersion = 8;
inline constexpr std::uint32_t kMagic = 0x31595341;  // "ASY1", little-endian
inline constexpr std::size_t kHeaderSize = 24;
inline constexpr std::size_t kMaximumPayload = std::size_t{64} * 1024;
inline constexpr std::size_t kMaximumText = 4096;
inline constexpr std::size_t kMaximumArguments = 64;
inline constexpr std::size_t kMaximumRank = 8;
inline constexpr std::size_t kMaximumLaunches = 64;
inline constexpr std::size_t kMaximumKernelName = 900;
/// Descriptor number of the protocol socket in the worker.
inline constexpr int kSocketDescriptor = 3;
/// How long a worker that was woken, and a judge that waits for a call on a device, ask for the next frame without
/// sleeping. A call on a device takes microseconds; being woken takes tens of them, never the same.
inline constexpr std::chrono::microseconds kSpin{1000};

enum class Kind : std::uint16_t {
  hello = 1,
  load = 2,
  map = 3,
  call = 4,
  floor = 5,
  rouse = 13,         ///< Before `wake`: whoever has answered waits for the next command without sleeping.
  wake = 8,           ///< Before each call on a device: the same, and the device is this process's by then.
  device = 7,         ///< Open a device; before map, load and call.
  prepare = 9,        ///< Make a call ready: capture it (cold), or run it once untimed (hot).
  load_kernels = 10,  ///< In place of `load`: device code alone, which the worker itself launches.
  collect = 11,  ///< After a call by CUPTI, whose own work is then outside of what the judge times: what it traced.
  series = 12,   ///< Make one call many times over, as another evaluator times it. See Series.
  fault = 6,     ///< Only from the worker, in place of an answer: a signal arrived; the process ends after it.
};

/// Set in the kind of every frame that the worker sends.
inline constexpr std::uint16_t kReplyBit = 0x8000;

/// Precedes each payload: magic u32, kind u16, zero u16, payload size u32, sequence u32, nonce u64; little-endian. A
/// reply repeats its command's sequence and nonce.
struct Header {
  std::uint16_t kind = 0;
  std::uint32_t payload_size = 0;
  std::uint32_t sequence = 0;
  std::uint64_t nonce = 0;
};

void encode_header(const Header& header, std::span<std::byte, kHeaderSize> out);
/// Returns nullopt if magic, the zero field or the size is not as it must be.
[[nodiscard]] std::optional<Header> decode_header(std::span<const std::byte, kHeaderSize> in);

/// Which of the two shared memories. The numbers are on the wire.
enum class Memory : std::uint8_t { none = 0, inputs = 1, outputs = 2 };

/// One argument of a call: a tensor at an offset of a shared memory, in DLPack's terms, or a scalar.
struct TensorArgument {
  Memory memory = Memory::inputs;
  std::uint8_t type_code = 0;  ///< DLDataTypeCode.
  std::uint8_t type_bits = 0;
  std::uint64_t offset = 0;  ///< Bytes from the start of the memory.
  std::vector<std::int64_t> shape;
};
struct FloatArgument {
  double value = 0;
};
struct IntegerArgument {
  std::int64_t value = 0;
};
struct BooleanArgument {
  bool value = false;
};
using CallArgument = std::variant<TensorArgument, FloatArgument, IntegerArgument, BooleanArgument>;

/// One argument of a kernel: the place of a tensor of the call, a place in its scratch memory, or a value.
struct TensorPointer {
  std::uint8_t argument = 0;  ///< Index of a tensor among the call's inputs, then its outputs.
};
struct ScratchPointer {
  std::uint64_t offset = 0;  ///< Bytes; within the scratch memory.
};
struct KernelValue {
  std::uint8_t size = 0;   ///< 1, 4 or 8 bytes.
  std::uint64_t bits = 0;  ///< In the low bytes; the others are 0.
};
using KernelArgument = std::variant<TensorPointer, ScratchPointer, KernelValue>;

/// One launch of a kernel that was loaded by `load_kernels`: launch i is of kernel i.
struct Launch {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::array<std::uint32_t, 3> cluster = {0, 0, 0};  ///< All 0: none.
  std::uint32_t shared_bytes = 0;                    ///< Dynamic shared memory of a block.
  bool cooperative = false;
  std::vector<KernelArgument> arguments;
};

/// A call, and how it is to be timed. `prepare` carries the same: by graph with `cold` the entry point is captured, for
/// every later call until the next capture; with `hot` the call is made once, untimed (by graph: what was captured).
struct Call {
  base::Timing timing;
  std::vector<CallArgument> inputs;
  std::vector<CallArgument> outputs;
  /// What the worker launches, in order, where kernels were loaded; else both are empty. Scratch memory is the worker's,
  /// its contents are new for each call.
  std::uint64_t scratch_bytes = 0;
  std::vector<Launch> launches = {};
};

/// One and the same call many times over, on the same buffers with the same contents, as flashinfer-bench times it: before
/// each the second-level cache is filled by writing zeros to twice its size, and nobody looks at an output in between. Its
/// times are another evaluator's; ours never come from it. Only on a device, by {cupti, cold}.
struct Series {
  std::uint16_t untimed = 0;  ///< Calls before the first that is timed.
  std::uint16_t timed = 1;    ///< At most kMostSeriesCalls of either.
  Call call;
};
inline constexpr std::uint16_t kMostSeriesCalls = 4096;

/// Where the tensors of calls on a device come from. The numbers are on the wire.
enum class DeviceMemory : std::uint8_t {
  lent = 0,  ///< `map` brings memory of the device.
  /// `map` brings host memory. For each call each tensor gets memory of the device of exactly its size, which whoever
  /// watches the process sees allocated and written to. Calls are not timed.
  copied = 1,
};

/// A CUDA device, by the driver's number of it.
struct DeviceRequest {
  std::uint32_t ordinal = 0;
  DeviceMemory memory = DeviceMemory::lent;
};
struct DeviceReply {
  std::uint32_t status = 0;  ///< 0: open.
  std::string text;          ///< Why it is not; at most kMaximumText bytes, any bytes.
};

/// What is to be found in the object that comes with it. With a TVM-FFI symbol its library comes too, and the object
/// may have either; the first is taken if it has both.
struct LoadRequest {
  std::string symbol;          ///< Of the C header; neither is longer than kMaximumSymbol bytes.
  std::string tvm_ffi_symbol;  ///< Empty where the object cannot be of that binding.
};
inline constexpr std::size_t kMaximumSymbol = 2048;

/// The kernels that a device-only candidate's launches are of, one a launch, in the object that comes with it: a cubin,
/// which the worker has the device's driver load.
struct KernelUse {
  std::string name;                          ///< As the object has it; at most kMaximumKernelName bytes.
  std::vector<std::uint8_t> argument_sizes;  ///< Bytes of each argument that the launch gives.
};
struct LoadKernelsRequest {
  std::vector<KernelUse> kernels;  ///< 1 to kMaximumLaunches.
};

enum class LoadStatus : std::uint32_t {
  loaded = 0,
  refused_by_loader = 1,
  symbol_missing = 2,
  runtime_missing = 3,   ///< TVM-FFI's library could not be loaded.
  arguments_differ = 4,  ///< A kernel has other parameters than its launch gives arguments; the text says which.
};

struct LoadReply {
  LoadStatus status = LoadStatus::loaded;
  std::string text;  ///< The loader's words; at most kMaximumText bytes, any bytes.
};
/// Whether a call could be timed by the method asked for. The numbers are on the wire.
enum class TimingStatus : std::uint32_t {
  timed = 0,
  not_capturable = 1,  ///< What the entry point does cannot be captured into a graph; device_status says why.
  no_work = 2,         ///< CUPTI saw no kernel, copy or fill of the call.
  clock_failed = 3,    ///< CUPTI failed or lost records; device_status is its number for it.
};
struct CallReply {
  std::int32_t return_code = 0;
  /// By the call's method (base::TimingMethod); 0 for `prepare`.
  std::int64_t elapsed_ns = 0;
  /// On a device: how long its other work went on after the stream's had ended. 0 on the CPU.
  std::int64_t outlived_ns = 0;
  std::int32_t device_status = 0;  ///< The driver's word on the call (CUresult); 0 is success.
  TimingStatus timing_status = TimingStatus::timed;
  /// Of elapsed: how long the device had nothing to do because the host was slow. By CUPTI exactly, by events estimated.
  std::int64_t idle_ns = 0;
  /// The launch, from 1, that the driver refused, with device_status saying why; 0: none, or the entry point launches.
  std::uint32_t refused_launch = 0;
  std::string text{};  ///< Of the error that a TVM-FFI entry point raised; at most kMaximumText bytes.
};
/// One time a timed call, in order; and the reply of the last call that was made, which is the one that failed if fewer
/// were made than asked for.
struct SeriesReply {
  std::vector<std::int64_t> elapsed_ns;
  CallReply last;
};
/// Asks for the time of a call that does nothing, or announces calls of this timing (`wake`).
struct TimingRequest {
  base::Timing timing;
};
struct FloorReply {
  std::uint32_t status = 0;     ///< 0: measured.
  std::int64_t elapsed_ns = 0;  ///< Median of empty calls, timed the same way.
  std::string text;             ///< Why it cannot be timed so; at most kMaximumText bytes, any bytes.
};
struct Fault {
  std::uint32_t signal = 0;
  Memory memory = Memory::none;  ///< The shared memory in or beside which the address lies.
  std::int64_t offset = 0;       ///< Of the address from the memory's start; may be negative or beyond its end.
  bool write = false;            ///< Whether the access was a write, where the processor tells.
  std::uint64_t address = 0;
};
struct MapRequest {
  std::uint64_t inputs_size = 0;
  std::uint64_t outputs_size = 0;
};

/// Encodings of the payloads. Decoders return nullopt for anything that is not exactly one well-formed message.
[[nodiscard]] std::vector<std::byte> encode_version(std::uint32_t version);
[[nodiscard]] std::optional<std::uint32_t> decode_version(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const LoadRequest& request);
[[nodiscard]] std::optional<LoadRequest> decode_load(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const LoadKernelsRequest& request);
[[nodiscard]] std::optional<LoadKernelsRequest> decode_load_kernels(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const MapRequest& request);
[[nodiscard]] std::optional<MapRequest> decode_map(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const Call& call);
[[nodiscard]] std::optional<Call> decode_call(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const DeviceRequest& request);
[[nodiscard]] std::optional<DeviceRequest> decode_device(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const DeviceReply& reply);
[[nodiscard]] std::optional<DeviceReply> decode_device_reply(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const LoadReply& reply);
[[nodiscard]] std::optional<LoadReply> decode_load_reply(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const CallReply& reply);
[[nodiscard]] std::optional<CallReply> decode_call_reply(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const Series& series);
[[nodiscard]] std::optional<Series> decode_series(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const SeriesReply& reply);
[[nodiscard]] std::optional<SeriesReply> decode_series_reply(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const TimingRequest& request);
[[nodiscard]] std::optional<TimingRequest> decode_timing_request(std::span<const std::byte> payload);
[[nodiscard]] std::vector<std::byte> encode(const FloorReply& reply);
[[nodiscard]] std::optional<FloorReply> decode_floor_reply(std::span<const std::byte> payload);
/// Encodes into a fixed buffer without allocating: it runs in a signal handler.
inline constexpr std::size_t kFaultSize = 4 + 1 + 8 + 1 + 8;
void encode_fault(const Fault& fault, std::span<std::byte, kFaultSize> out);
[[nodiscard]] std::optional<Fault> decode_fault(std::span<const std::byte> payload);

}  // namespace assay::worker
