// Those messages of the protocol that are about calls: how they are described, made and timed.

#include <utility>

#include <assay/worker/protocol.hpp>
#include <assay/worker/wire.hpp>
#include <assay/worker/wire_launches.hpp>

namespace assay::worker {

namespace {

enum class ArgumentTag : std::uint8_t { tensor = 1, real = 2, integer = 3, boolean = 4 };

void encode_argument(WireWriter& writer, const CallArgument& argument) {
  if (const auto* tensor = std::get_if<TensorArgument>(&argument)) {
    writer.number(static_cast<std::uint8_t>(ArgumentTag::tensor));
    writer.number(static_cast<std::uint8_t>(tensor->memory));
    writer.number(tensor->type_code);
    writer.number(tensor->type_bits);
    writer.number(static_cast<std::uint8_t>(tensor->shape.size()));
    writer.number(tensor->offset);
    for (const std::int64_t extent : tensor->shape) {
      writer.number(extent);
    }
  } else if (const auto* real = std::get_if<FloatArgument>(&argument)) {
    writer.number(static_cast<std::uint8_t>(ArgumentTag::real));
    writer.real(real->value);
  } else if (const auto* integer = std::get_if<IntegerArgument>(&argument)) {
    writer.number(static_cast<std::uint8_t>(ArgumentTag::integer));
    writer.number(integer->value);
  } else {
    writer.number(static_cast<std::uint8_t>(ArgumentTag::boolean));
    writer.number(static_cast<std::uint8_t>(std::get<BooleanArgument>(argument).value ? 1 : 0));
  }
}

std::optional<CallArgument> decode_argument(WireReader& reader) {
  switch (static_cast<ArgumentTag>(reader.number<std::uint8_t>())) {
    case ArgumentTag::tensor: {
      TensorArgument tensor;
      const auto memory = reader.number<std::uint8_t>();
      if (memory != static_cast<std::uint8_t>(Memory::inputs) && memory != static_cast<std::uint8_t>(Memory::outputs)) {
        return std::nullopt;
      }
      tensor.memory = static_cast<Memory>(memory);
      tensor.type_code = reader.number<std::uint8_t>();
      tensor.type_bits = reader.number<std::uint8_t>();
      const auto rank = reader.number<std::uint8_t>();
      tensor.offset = reader.number<std::uint64_t>();
      if (rank > kMaximumRank) {
        return std::nullopt;
      }
      for (std::uint8_t axis = 0; axis < rank; ++axis) {
        tensor.shape.push_back(reader.number<std::int64_t>());
        if (tensor.shape.back() < 0) {
          return std::nullopt;
        }
      }
      return tensor;
    }
    case ArgumentTag::real:
      return FloatArgument{reader.real()};
    case ArgumentTag::integer:
      return IntegerArgument{reader.number<std::int64_t>()};
    case ArgumentTag::boolean: {
      const auto value = reader.number<std::uint8_t>();
      return value > 1 ? std::nullopt : std::optional<CallArgument>(BooleanArgument{value == 1});
    }
  }
  return std::nullopt;
}

void encode_timing(WireWriter& writer, const base::Timing& timing) {
  writer.number(static_cast<std::uint8_t>(timing.method));
  writer.number(static_cast<std::uint8_t>(timing.cache));
}

std::optional<base::Timing> decode_timing(WireReader& reader) {
  const auto method = reader.number<std::uint8_t>();
  const auto cache = reader.number<std::uint8_t>();
  if (method >= base::kTimingMethods.size() || cache >= base::kCacheStates.size()) {
    return std::nullopt;
  }
  return base::Timing{static_cast<base::TimingMethod>(method), static_cast<base::CacheState>(cache)};
}

void encode_call(WireWriter& writer, const Call& call) {
  encode_timing(writer, call.timing);
  writer.number(static_cast<std::uint8_t>(call.inputs.size()));
  writer.number(static_cast<std::uint8_t>(call.outputs.size()));
  for (const CallArgument& argument : call.inputs) {
    encode_argument(writer, argument);
  }
  for (const CallArgument& argument : call.outputs) {
    encode_argument(writer, argument);
  }
  encode_launches(writer, call);
}

std::optional<Call> take_call(WireReader& reader) {
  const std::optional<base::Timing> timing = decode_timing(reader);
  const std::size_t inputs = reader.number<std::uint8_t>();
  const std::size_t outputs = reader.number<std::uint8_t>();
  if (!timing || inputs + outputs > kMaximumArguments) {
    return std::nullopt;
  }
  Call call;
  call.timing = *timing;
  for (std::size_t i = 0; i < inputs + outputs; ++i) {
    std::optional<CallArgument> argument = decode_argument(reader);
    if (!argument) {
      return std::nullopt;
    }
    (i < inputs ? call.inputs : call.outputs).push_back(std::move(*argument));
  }
  if (!decode_launches(reader, call)) {
    return std::nullopt;
  }
  return reader.finished() ? std::optional(std::move(call)) : std::nullopt;
}

void encode_call_reply(WireWriter& writer, const CallReply& reply) {
  writer.number(reply.return_code);
  writer.number(reply.elapsed_ns);
  writer.number(reply.outlived_ns);
  writer.number(reply.device_status);
  writer.number(static_cast<std::uint32_t>(reply.timing_status));
  writer.number(reply.idle_ns);
  writer.number(reply.refused_launch);
  writer.text(reply.text.substr(0, kMaximumText));
}

std::optional<CallReply> take_call_reply(WireReader& reader) {
  CallReply reply;
  reply.return_code = reader.number<std::int32_t>();
  reply.elapsed_ns = reader.number<std::int64_t>();
  reply.outlived_ns = reader.number<std::int64_t>();
  reply.device_status = reader.number<std::int32_t>();
  const auto status = reader.number<std::uint32_t>();
  reply.idle_ns = reader.number<std::int64_t>();
  reply.refused_launch = reader.number<std::uint32_t>();
  reply.text = reader.rest();
  if (!reader.ok() || reply.text.size() > kMaximumText || reply.elapsed_ns < 0 || reply.outlived_ns < 0 ||
      reply.idle_ns < 0 || reply.idle_ns > reply.elapsed_ns || reply.refused_launch > kMaximumLaunches ||
      status > static_cast<std::uint32_t>(TimingStatus::clock_failed)) {
    return std::nullopt;
  }
  reply.timing_status = static_cast<TimingStatus>(status);
  return reply;
}

}  // namespace

std::vector<std::byte> encode(const Call& call) {
  WireWriter writer;
  encode_call(writer, call);
  return writer.take();
}

std::optional<Call> decode_call(std::span<const std::byte> payload) {
  WireReader reader(payload);
  return take_call(reader);
}

std::vector<std::byte> encode(const Series& series) {
  WireWriter writer;
  writer.number(series.untimed);
  writer.number(series.timed);
  encode_call(writer, series.call);
  return writer.take();
}

std::optional<Series> decode_series(std::span<const std::byte> payload) {
  WireReader reader(payload);
  Series series;
  series.untimed = reader.number<std::uint16_t>();
  series.timed = reader.number<std::uint16_t>();
  std::optional<Call> call = take_call(reader);
  if (!call || series.untimed > kMostSeriesCalls || series.timed == 0 || series.timed > kMostSeriesCalls) {
    return std::nullopt;
  }
  series.call = std::move(*call);
  return series;
}

std::vector<std::byte> encode(const SeriesReply& reply) {
  WireWriter writer;
  writer.number(static_cast<std::uint16_t>(reply.elapsed_ns.size()));
  for (const std::int64_t elapsed : reply.elapsed_ns) {
    writer.number(elapsed);
  }
  encode_call_reply(writer, reply.last);
  return writer.take();
}

std::optional<SeriesReply> decode_series_reply(std::span<const std::byte> payload) {
  WireReader reader(payload);
  SeriesReply reply;
  const std::size_t count = reader.number<std::uint16_t>();
  if (count > kMostSeriesCalls) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    reply.elapsed_ns.push_back(reader.number<std::int64_t>());
    if (reply.elapsed_ns.back() < 0) {
      return std::nullopt;
    }
  }
  std::optional<CallReply> last = take_call_reply(reader);
  if (!last) {
    return std::nullopt;
  }
  reply.last = std::move(*last);
  return reply;
}

std::vector<std::byte> encode(const CallReply& reply) {
  WireWriter writer;
  encode_call_reply(writer, reply);
  return writer.take();
}

std::optional<CallReply> decode_call_reply(std::span<const std::byte> payload) {
  WireReader reader(payload);
  return take_call_reply(reader);
}

std::vector<std::byte> encode(const TimingRequest& request) {
  WireWriter writer;
  encode_timing(writer, request.timing);
  return writer.take();
}

std::optional<TimingRequest> decode_timing_request(std::span<const std::byte> payload) {
  WireReader reader(payload);
  const std::optional<base::Timing> timing = decode_timing(reader);
  return timing && reader.finished() ? std::optional(TimingRequest{*timing}) : std::nullopt;
}

std::vector<std::byte> encode(const FloorReply& reply) {
  WireWriter writer;
  writer.number(reply.status);
  writer.number(reply.elapsed_ns);
  writer.text(reply.text.substr(0, kMaximumText));
  return writer.take();
}

std::optional<FloorReply> decode_floor_reply(std::span<const std::byte> payload) {
  WireReader reader(payload);
  FloorReply reply;
  reply.status = reader.number<std::uint32_t>();
  reply.elapsed_ns = reader.number<std::int64_t>();
  reply.text = reader.rest();
  return reader.ok() && reply.elapsed_ns >= 0 && reply.text.size() <= kMaximumText ? std::optional(std::move(reply))
                                                                                   : std::nullopt;
}

}  // namespace assay::worker
