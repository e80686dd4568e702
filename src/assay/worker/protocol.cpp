#include <assay/worker/protocol.hpp>

#include <cstring>

#include <assay/worker/wire.hpp>

namespace assay::worker {

namespace {

template <class T>
void put(std::span<std::byte> out, std::size_t& at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
  at += sizeof value;
}

}  // namespace

void encode_header(const Header& header, std::span<std::byte, kHeaderSize> out) {
  std::size_t at = 0;
  put(out, at, kMagic);
  put(out, at, header.kind);
  put(out, at, std::uint16_t{0});
  put(out, at, header.payload_size);
  put(out, at, header.sequence);
  put(out, at, header.nonce);
}

std::optional<Header> decode_header(std::span<const std::byte, kHeaderSize> in) {
  WireReader reader(in);
  Header header;
  const auto magic = reader.number<std::uint32_t>();
  header.kind = reader.number<std::uint16_t>();
  const auto zero = reader.number<std::uint16_t>();
  header.payload_size = reader.number<std::uint32_t>();
  header.sequence = reader.number<std::uint32_t>();
  header.nonce = reader.number<std::uint64_t>();
  if (magic != kMagic || zero != 0 || header.payload_size > kMaximumPayload) {
    return std::nullopt;
  }
  return header;
}

std::vector<std::byte> encode_version(std::uint32_t version) {
  WireWriter writer;
  writer.number(version);
  return writer.take();
}

std::optional<std::uint32_t> decode_version(std::span<const std::byte> payload) {
  WireReader reader(payload);
  const auto version = reader.number<std::uint32_t>();
  return reader.finished() ? std::optional(version) : std::nullopt;
}

std::vector<std::byte> encode(const LoadRequest& request) {
  WireWriter writer;
  writer.number(static_cast<std::uint16_t>(request.symbol.size()));
  writer.text(request.symbol);
  writer.text(request.tvm_ffi_symbol);
  return writer.take();
}

std::optional<LoadRequest> decode_load(std::span<const std::byte> payload) {
  WireReader reader(payload);
  const std::size_t size = reader.number<std::uint16_t>();
  LoadRequest request;
  const std::string both = reader.rest();
  if (!reader.ok() || size == 0 || size > kMaximumSymbol || both.size() < size || both.size() - size > kMaximumSymbol) {
    return std::nullopt;
  }
  request.symbol = both.substr(0, size);
  request.tvm_ffi_symbol = both.substr(size);
  return request;
}

std::vector<std::byte> encode(const LoadKernelsRequest& request) {
  WireWriter writer;
  writer.number(static_cast<std::uint8_t>(request.kernels.size()));
  for (const KernelUse& kernel : request.kernels) {
    writer.number(static_cast<std::uint16_t>(kernel.name.size()));
    writer.text(kernel.name);
    writer.number(static_cast<std::uint8_t>(kernel.argument_sizes.size()));
    for (const std::uint8_t size : kernel.argument_sizes) {
      writer.number(size);
    }
  }
  return writer.take();
}

std::optional<LoadKernelsRequest> decode_load_kernels(std::span<const std::byte> payload) {
  WireReader reader(payload);
  LoadKernelsRequest request;
  request.kernels.resize(reader.number<std::uint8_t>());
  if (request.kernels.empty() || request.kernels.size() > kMaximumLaunches) {
    return std::nullopt;
  }
  for (KernelUse& kernel : request.kernels) {
    const std::size_t size = reader.number<std::uint16_t>();
    kernel.name = reader.text(size);
    kernel.argument_sizes.resize(reader.number<std::uint8_t>());
    // It goes to the driver as a C string.
    if (size == 0 || size > kMaximumKernelName || kernel.name.find('\0') != std::string::npos ||
        kernel.argument_sizes.size() > kMaximumArguments) {
      return std::nullopt;
    }
    for (std::uint8_t& argument : kernel.argument_sizes) {
      argument = reader.number<std::uint8_t>();
    }
  }
  return reader.finished() ? std::optional(std::move(request)) : std::nullopt;
}

std::vector<std::byte> encode(const MapRequest& request) {
  WireWriter writer;
  writer.number(request.inputs_size);
  writer.number(request.outputs_size);
  return writer.take();
}

std::optional<MapRequest> decode_map(std::span<const std::byte> payload) {
  WireReader reader(payload);
  MapRequest request;
  request.inputs_size = reader.number<std::uint64_t>();
  request.outputs_size = reader.number<std::uint64_t>();
  return reader.finished() ? std::optional(request) : std::nullopt;
}

std::vector<std::byte> encode(const DeviceRequest& request) {
  WireWriter writer;
  writer.number(request.ordinal);
  writer.number(static_cast<std::uint8_t>(request.memory));
  return writer.take();
}

std::optional<DeviceRequest> decode_device(std::span<const std::byte> payload) {
  WireReader reader(payload);
  DeviceRequest request{reader.number<std::uint32_t>()};
  const auto memory = reader.number<std::uint8_t>();
  if (!reader.finished() || memory > static_cast<std::uint8_t>(DeviceMemory::copied)) {
    return std::nullopt;
  }
  request.memory = static_cast<DeviceMemory>(memory);
  return request;
}

std::vector<std::byte> encode(const DeviceReply& reply) {
  WireWriter writer;
  writer.number(reply.status);
  writer.text(reply.text.substr(0, kMaximumText));
  return writer.take();
}

std::optional<DeviceReply> decode_device_reply(std::span<const std::byte> payload) {
  WireReader reader(payload);
  DeviceReply reply;
  reply.status = reader.number<std::uint32_t>();
  reply.text = reader.rest();
  return reader.ok() && reply.text.size() <= kMaximumText ? std::optional(std::move(reply)) : std::nullopt;
}

std::vector<std::byte> encode(const LoadReply& reply) {
  WireWriter writer;
  writer.number(static_cast<std::uint32_t>(reply.status));
  writer.text(reply.text.substr(0, kMaximumText));
  return writer.take();
}

std::optional<LoadReply> decode_load_reply(std::span<const std::byte> payload) {
  WireReader reader(payload);
  LoadReply reply;
  const auto status = reader.number<std::uint32_t>();
  reply.text = reader.rest();
  if (!reader.ok() || status > static_cast<std::uint32_t>(LoadStatus::arguments_differ) ||
      reply.text.size() > kMaximumText) {
    return std::nullopt;
  }
  reply.status = static_cast<LoadStatus>(status);
  return reply;
}

void encode_fault(const Fault& fault, std::span<std::byte, kFaultSize> out) {
  std::size_t at = 0;
  put(out, at, fault.signal);
  put(out, at, static_cast<std::uint8_t>(fault.memory));
  put(out, at, fault.offset);
  put(out, at, static_cast<std::uint8_t>(fault.write ? 1 : 0));
  put(out, at, fault.address);
}

std::optional<Fault> decode_fault(std::span<const std::byte> payload) {
  WireReader reader(payload);
  Fault fault;
  fault.signal = reader.number<std::uint32_t>();
  const auto memory = reader.number<std::uint8_t>();
  fault.offset = reader.number<std::int64_t>();
  const auto write = reader.number<std::uint8_t>();
  fault.address = reader.number<std::uint64_t>();
  if (!reader.finished() || memory > static_cast<std::uint8_t>(Memory::outputs) || write > 1 || fault.signal > 64) {
    return std::nullopt;
  }
  fault.memory = static_cast<Memory>(memory);
  fault.write = write == 1;
  return fault;
}

}  // namespace assay::worker
