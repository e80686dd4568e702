#include <assay/worker/wire_launches.hpp>

#include <algorithm>

namespace assay::worker {

namespace {

enum class KernelArgumentTag : std::uint8_t { tensor = 1, scratch = 2, value = 3 };

void encode_kernel_argument(WireWriter& writer, const KernelArgument& argument) {
  if (const auto* tensor = std::get_if<TensorPointer>(&argument)) {
    writer.number(static_cast<std::uint8_t>(KernelArgumentTag::tensor));
    writer.number(tensor->argument);
  } else if (const auto* scratch = std::get_if<ScratchPointer>(&argument)) {
    writer.number(static_cast<std::uint8_t>(KernelArgumentTag::scratch));
    writer.number(scratch->offset);
  } else {
    const auto& value = std::get<KernelValue>(argument);
    writer.number(static_cast<std::uint8_t>(KernelArgumentTag::value));
    writer.number(value.size);
    writer.number(value.bits);
  }
}

bool is_tensor(const Call& call, std::size_t index) {
  const std::size_t inputs = call.inputs.size();
  if (index >= inputs + call.outputs.size()) {
    return false;
  }
  const CallArgument& argument = index < inputs ? call.inputs[index] : call.outputs[index - inputs];
  return std::holds_alternative<TensorArgument>(argument);
}

bool fits(const KernelValue& value) {
  constexpr unsigned kByteBits = 8;
  return (value.size == 1 || value.size == 4 || value.size == 8) &&
         (value.size == 8 || value.bits >> (kByteBits * value.size) == 0);
}

std::optional<KernelArgument> decode_kernel_argument(WireReader& reader, const Call& call) {
  switch (static_cast<KernelArgumentTag>(reader.number<std::uint8_t>())) {
    case KernelArgumentTag::tensor: {
      const TensorPointer tensor{reader.number<std::uint8_t>()};
      return is_tensor(call, tensor.argument) ? std::optional<KernelArgument>(tensor) : std::nullopt;
    }
    case KernelArgumentTag::scratch: {
      const ScratchPointer scratch{reader.number<std::uint64_t>()};
      return scratch.offset < call.scratch_bytes ? std::optional<KernelArgument>(scratch) : std::nullopt;
    }
    case KernelArgumentTag::value: {
      KernelValue value;
      value.size = reader.number<std::uint8_t>();
      value.bits = reader.number<std::uint64_t>();
      return fits(value) ? std::optional<KernelArgument>(value) : std::nullopt;
    }
  }
  return std::nullopt;
}

void encode_extents(WireWriter& writer, const std::array<std::uint32_t, 3>& extents) {
  for (const std::uint32_t extent : extents) {
    writer.number(extent);
  }
}

std::array<std::uint32_t, 3> decode_extents(WireReader& reader) {
  std::array<std::uint32_t, 3> extents{};
  for (std::uint32_t& extent : extents) {
    extent = reader.number<std::uint32_t>();
  }
  return extents;
}

bool is_positive(const std::array<std::uint32_t, 3>& extents) {
  return std::all_of(extents.begin(), extents.end(), [](std::uint32_t extent) { return extent > 0; });
}

}  // namespace

void encode_launches(WireWriter& writer, const Call& call) {
  writer.number(call.scratch_bytes);
  writer.number(static_cast<std::uint8_t>(call.launches.size()));
  for (const Launch& launch : call.launches) {
    encode_extents(writer, launch.grid);
    encode_extents(writer, launch.block);
    encode_extents(writer, launch.cluster);
    writer.number(launch.shared_bytes);
    writer.number(static_cast<std::uint8_t>(launch.cooperative ? 1 : 0));
    writer.number(static_cast<std::uint8_t>(launch.arguments.size()));
    for (const KernelArgument& argument : launch.arguments) {
      encode_kernel_argument(writer, argument);
    }
  }
}

bool decode_launches(WireReader& reader, Call& call) {
  call.scratch_bytes = reader.number<std::uint64_t>();
  call.launches.resize(reader.number<std::uint8_t>());
  if (call.launches.size() > kMaximumLaunches || (call.launches.empty() && call.scratch_bytes != 0)) {
    return false;
  }
  for (Launch& launch : call.launches) {
    launch.grid = decode_extents(reader);
    launch.block = decode_extents(reader);
    launch.cluster = decode_extents(reader);
    launch.shared_bytes = reader.number<std::uint32_t>();
    const auto cooperative = reader.number<std::uint8_t>();
    const std::size_t arguments = reader.number<std::uint8_t>();
    const bool has_cluster = launch.cluster != std::array<std::uint32_t, 3>{};
    if (!is_positive(launch.grid) || !is_positive(launch.block) || (has_cluster && !is_positive(launch.cluster)) ||
        cooperative > 1 || arguments > kMaximumArguments) {
      return false;
    }
    launch.cooperative = cooperative == 1;
    for (std::size_t at = 0; at < arguments; ++at) {
      const std::optional<KernelArgument> argument = decode_kernel_argument(reader, call);
      if (!argument) {
        return false;
      }
      launch.arguments.push_back(*argument);
    }
  }
  return reader.ok();
}

}  // namespace assay::worker
