#include <assay/worker/protocol.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

namespace assay::worker {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::vector<unsigned char>& raw) {
  Bytes bytes;
  for (const unsigned char value : raw) {
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

Call sample_call() {
  Call call;
  call.timing = {base::TimingMethod::graph, base::CacheState::hot};
  call.inputs = {TensorArgument{Memory::inputs, 2, 32, 4096, {2, 3, 128}}, FloatArgument{0.5}, IntegerArgument{-7},
                 BooleanArgument{true}, TensorArgument{Memory::inputs, 4, 16, 64, {}}};
  call.outputs = {TensorArgument{Memory::outputs, 4, 16, 0, {0}}};
  return call;
}

Call launching_call() {
  Call call = sample_call();
  call.scratch_bytes = 4096;
  Launch launch;
  launch.grid = {7, 2, 1};
  launch.block = {128, 1, 1};
  launch.cluster = {1, 2, 1};
  launch.shared_bytes = 100'000;
  launch.cooperative = true;
  launch.arguments = {TensorPointer{0},
                      TensorPointer{5},
                      ScratchPointer{4095},
                      KernelValue{4, 0xffffffffU},
                      KernelValue{8, std::numeric_limits<std::uint64_t>::max()},
                      KernelValue{1, 1}};
  call.launches = {launch, Launch{}};
  return call;
}

TEST(Header, GoesThroughBytes) {
  const Header header{static_cast<std::uint16_t>(Kind::call), 123, 7, 0x0123456789abcdefU};
  std::array<std::byte, kHeaderSize> raw{};
  encode_header(header, raw);
  const auto decoded = decode_header(raw);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->kind, header.kind);
  EXPECT_EQ(decoded->payload_size, 123U);
  EXPECT_EQ(decoded->sequence, 7U);
  EXPECT_EQ(decoded->nonce, header.nonce);
}

TEST(Header, LayoutOnTheWireIsFixed) {
  std::array<std::byte, kHeaderSize> raw{};
  encode_header({3, 0x11, 0x22, 0x33}, raw);
  EXPECT_EQ(Bytes(raw.begin(), raw.end()),
            bytes_of({'A', 'S', 'Y', '1', 3, 0, 0, 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0, 0x33, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Header, RefusesWhatIsNotOurs) {
  std::array<std::byte, kHeaderSize> good{};
  encode_header({1, 0, 1, 1}, good);
  for (const std::size_t at : {0U, 1U, 2U, 3U, 6U, 7U}) {  // the magic and the zero field
    std::array<std::byte, kHeaderSize> bad = good;
    bad[at] ^= std::byte{1};
    EXPECT_FALSE(decode_header(bad)) << at;
  }
  encode_header({1, static_cast<std::uint32_t>(kMaximumPayload) + 1, 1, 1}, good);
  EXPECT_FALSE(decode_header(good));
  encode_header({1, static_cast<std::uint32_t>(kMaximumPayload), 1, 1}, good);
  EXPECT_TRUE(decode_header(good));
}

TEST(CallCodec, KeepsEveryArgument) {
  const auto decoded = decode_call(encode(sample_call()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->timing, (base::Timing{base::TimingMethod::graph, base::CacheState::hot}));
  ASSERT_EQ(decoded->inputs.size(), 5U);
  const auto& tensor = std::get<TensorArgument>(decoded->inputs[0]);
  EXPECT_EQ(tensor.memory, Memory::inputs);
  EXPECT_EQ(tensor.type_bits, 32);
  EXPECT_EQ(tensor.offset, 4096U);
  EXPECT_THAT(tensor.shape, ::testing::ElementsAre(2, 3, 128));
  EXPECT_DOUBLE_EQ(std::get<FloatArgument>(decoded->inputs[1]).value, 0.5);
  EXPECT_EQ(std::get<IntegerArgument>(decoded->inputs[2]).value, -7);
  EXPECT_TRUE(std::get<BooleanArgument>(decoded->inputs[3]).value);
  EXPECT_TRUE(std::get<TensorArgument>(decoded->inputs[4]).shape.empty());
  EXPECT_EQ(std::get<TensorArgument>(decoded->outputs[0]).memory, Memory::outputs);
}

TEST(CallCodec, RefusesEveryTruncationAndEveryExcess) {
  Bytes whole = encode(sample_call());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_call(std::span(whole).first(size))) << size;
  }
  whole.push_back(std::byte{0});
  EXPECT_FALSE(decode_call(whole));
}

TEST(CallCodec, KeepsEveryLaunch) {
  const auto decoded = decode_call(encode(launching_call()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->scratch_bytes, 4096U);
  ASSERT_EQ(decoded->launches.size(), 2U);
  const Launch& launch = decoded->launches[0];
  EXPECT_THAT(launch.grid, ::testing::ElementsAre(7, 2, 1));
  EXPECT_THAT(launch.cluster, ::testing::ElementsAre(1, 2, 1));
  EXPECT_EQ(launch.shared_bytes, 100'000U);
  EXPECT_TRUE(launch.cooperative);
  ASSERT_EQ(launch.arguments.size(), 6U);
  EXPECT_EQ(std::get<TensorPointer>(launch.arguments[1]).argument, 5);
  EXPECT_EQ(std::get<ScratchPointer>(launch.arguments[2]).offset, 4095U);
  EXPECT_EQ(std::get<KernelValue>(launch.arguments[3]).bits, 0xffffffffU);
  Bytes whole = encode(launching_call());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_call(std::span(whole).first(size))) << size;
  }
}

TEST(CallCodec, RefusesLaunchesThatCannotBeMeant) {
  const auto with = [](auto change) {
    Call call = launching_call();
    change(call);
    return decode_call(encode(call)).has_value();
  };
  ASSERT_TRUE(with([](Call& /*call*/) {}));
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments[0] = TensorPointer{1}; })) << "a scalar";
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments[0] = TensorPointer{6}; })) << "none of the call's";
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments[0] = ScratchPointer{4096}; }));
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments[0] = KernelValue{2, 0}; }));
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments[0] = KernelValue{4, std::uint64_t{1} << 32U}; }));
  EXPECT_FALSE(with([](Call& call) { call.launches[1].grid[2] = 0; }));
  EXPECT_FALSE(with([](Call& call) { call.launches[1].block[0] = 0; }));
  EXPECT_FALSE(with([](Call& call) { call.launches[0].cluster[0] = 0; })) << "half a cluster";
  EXPECT_FALSE(with([](Call& call) { call.launches[0].arguments.resize(kMaximumArguments + 1); }));
  EXPECT_FALSE(with([](Call& call) { call.launches.resize(kMaximumLaunches + 1); }));
  EXPECT_FALSE(with([](Call& call) { call.launches.clear(); })) << "scratch memory for nothing";
}

// The largest call that there can be fits a frame.
TEST(CallCodec, TheLargestPlanFitsOneFrame) {
  Call call;
  call.scratch_bytes = 1;
  call.inputs.assign(kMaximumArguments,
                     TensorArgument{Memory::inputs, 2, 32, 0, std::vector<std::int64_t>(kMaximumRank, 1)});
  call.launches.resize(kMaximumLaunches);
  for (Launch& launch : call.launches) {
    launch.arguments.assign(kMaximumArguments, KernelValue{8, 1});
  }
  EXPECT_LE(encode(call).size(), kMaximumPayload);
  EXPECT_TRUE(decode_call(encode(call)));
  LoadKernelsRequest load;
  load.kernels.assign(kMaximumLaunches,
                      {std::string(kMaximumKernelName, 'k'), std::vector<std::uint8_t>(kMaximumArguments, 8)});
  EXPECT_LE(encode(load).size(), kMaximumPayload);
}

TEST(CallCodec, RefusesUnknownTagsMemoriesRanksAndNegativeExtents) {
  Call call;
  call.inputs = {TensorArgument{Memory::inputs, 2, 32, 0, {1}}};
  const Bytes good = encode(call);
  const auto with = [&](std::size_t at, unsigned char value) {
    Bytes bad = good;
    bad[at] = static_cast<std::byte>(value);
    return decode_call(bad);
  };
  ASSERT_TRUE(with(4, 1));
  EXPECT_TRUE(with(0, 3));  // method
  EXPECT_FALSE(with(0, 4));
  EXPECT_TRUE(with(1, 1));  // cache
  EXPECT_FALSE(with(1, 2));
  EXPECT_FALSE(with(4, 0));  // tag
  EXPECT_FALSE(with(4, 9));
  EXPECT_FALSE(with(5, 0));  // memory
  EXPECT_FALSE(with(5, 3));
  EXPECT_FALSE(with(8, 9));      // rank
  EXPECT_FALSE(with(24, 0x80));  // sign of the extent
  EXPECT_FALSE(with(2, 200));    // more arguments than there can be
}

TEST(SeriesCodec, KeepsCountsCallAndTimes) {
  Series series{16, 50, sample_call()};
  const Bytes whole = encode(series);
  const auto decoded = decode_series(whole);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->untimed, 16);
  EXPECT_EQ(decoded->timed, 50);
  EXPECT_EQ(encode(decoded->call), encode(sample_call()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_series(std::span(whole).first(size))) << size;
  }
  series.timed = 0;
  EXPECT_FALSE(decode_series(encode(series))) << "nothing would be timed";
  series.timed = kMostSeriesCalls + 1;
  EXPECT_FALSE(decode_series(encode(series)));

  SeriesReply reply{{7, 5, 6}, {}};
  reply.last.elapsed_ns = 6;
  reply.last.text = "raised";
  const auto answer = decode_series_reply(encode(reply));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->elapsed_ns, ::testing::ElementsAre(7, 5, 6));
  EXPECT_EQ(answer->last.text, "raised");
  reply.elapsed_ns[1] = -1;
  EXPECT_FALSE(decode_series_reply(encode(reply)));
  reply.elapsed_ns.assign(kMostSeriesCalls, 1);
  EXPECT_LE(encode(reply).size(), kMaximumPayload);
  EXPECT_TRUE(decode_series_reply(encode(reply)));
  reply.elapsed_ns.push_back(1);
  EXPECT_FALSE(decode_series_reply(encode(reply)));
}

RC_GTEST_PROP(Decoders, NeverCrashOnAnyBytes, (const std::vector<unsigned char>& raw)) {
  const Bytes bytes = bytes_of(raw);
  static_cast<void>(decode_call(bytes));
  static_cast<void>(decode_map(bytes));
  static_cast<void>(decode_load_reply(bytes));
  static_cast<void>(decode_call_reply(bytes));
  static_cast<void>(decode_series(bytes));
  static_cast<void>(decode_series_reply(bytes));
  static_cast<void>(decode_device(bytes));
  static_cast<void>(decode_device_reply(bytes));
  static_cast<void>(decode_fault(bytes));
  static_cast<void>(decode_load(bytes));
  static_cast<void>(decode_load_kernels(bytes));
  static_cast<void>(decode_version(bytes));
  static_cast<void>(decode_timing_request(bytes));
  static_cast<void>(decode_floor_reply(bytes));
}

TEST(Replies, GoThroughBytes) {
  const auto load = decode_load_reply(encode(LoadReply{LoadStatus::symbol_missing, "f"}));
  ASSERT_TRUE(load);
  EXPECT_EQ(load->status, LoadStatus::symbol_missing);
  EXPECT_EQ(load->text, "f");
  const auto call = decode_call_reply(
      encode(CallReply{-3, std::numeric_limits<std::int64_t>::max(), 5, 700, TimingStatus::not_capturable, 12}));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->timing_status, TimingStatus::not_capturable);
  EXPECT_EQ(call->idle_ns, 12);
  EXPECT_EQ(call->outlived_ns, 5);
  EXPECT_EQ(call->device_status, 700);
  EXPECT_EQ(call->return_code, -3);
  EXPECT_EQ(call->elapsed_ns, std::numeric_limits<std::int64_t>::max());
  CallReply raised;
  raised.return_code = -1;
  raised.text = "ValueError: no";
  EXPECT_EQ(decode_call_reply(encode(raised)).value().text, "ValueError: no");
  const auto device = decode_device(encode(DeviceRequest{3}));
  ASSERT_TRUE(device);
  EXPECT_EQ(device->ordinal, 3U);
  EXPECT_EQ(device->memory, DeviceMemory::lent);
  Bytes copied = encode(DeviceRequest{3, DeviceMemory::copied});
  EXPECT_EQ(decode_device(copied).value().memory, DeviceMemory::copied);
  copied.back() = std::byte{2};
  EXPECT_FALSE(decode_device(copied));
  const auto opened = decode_device_reply(encode(DeviceReply{1, "no driver"}));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->status, 1U);
  EXPECT_EQ(opened->text, "no driver");
  const auto floor = decode_timing_request(encode(TimingRequest{{base::TimingMethod::cupti, base::CacheState::hot}}));
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->timing, (base::Timing{base::TimingMethod::cupti, base::CacheState::hot}));
  EXPECT_FALSE(decode_timing_request({})) << "version 2 had an empty one";
  const auto measured = decode_floor_reply(encode(FloorReply{1, 20, "no CUPTI"}));
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->status, 1U);
  EXPECT_EQ(measured->elapsed_ns, 20);
  EXPECT_EQ(measured->text, "no CUPTI");
  const auto map = decode_map(encode(MapRequest{1, 2}));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->outputs_size, 2U);
}

TEST(Replies, RefuseNegativeTimesAndUnknownStatuses) {
  EXPECT_FALSE(decode_call_reply(encode(CallReply{0, -1, 0, 0})));
  EXPECT_FALSE(decode_call_reply(encode(CallReply{0, 0, -1, 0})));
  EXPECT_FALSE(decode_call_reply(encode(CallReply{0, 5, 0, 0, TimingStatus::timed, -1})));
  EXPECT_FALSE(decode_call_reply(encode(CallReply{0, 5, 0, 0, TimingStatus::timed, 6}))) << "idle for longer than all";
  EXPECT_TRUE(decode_call_reply(encode(CallReply{0, 5, 0, 0, TimingStatus::timed, 5})));
  EXPECT_FALSE(decode_call_reply(encode(CallReply{0, 5, 0, 0, static_cast<TimingStatus>(4), 0})));
  EXPECT_FALSE(decode_floor_reply(encode(FloorReply{0, -1, ""})));
  Bytes load = encode(LoadReply{});
  load[0] = std::byte{5};
  EXPECT_FALSE(decode_load_reply(load));
}

TEST(LoadCodec, GoesThroughBytesAndRefusesNonsense) {
  const auto both = decode_load(encode(LoadRequest{"assay_kernel_f", "__tvm_ffi_f"}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->symbol, "assay_kernel_f");
  EXPECT_EQ(both->tvm_ffi_symbol, "__tvm_ffi_f");
  const auto one = decode_load(encode(LoadRequest{"f", ""}));
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->tvm_ffi_symbol.empty());
  EXPECT_FALSE(decode_load(encode(LoadRequest{"", "f"})));
  EXPECT_FALSE(decode_load(encode(LoadRequest{std::string(kMaximumSymbol + 1, 'f'), ""})));
  Bytes cut = encode(LoadRequest{"abc", ""});
  cut.pop_back();
  EXPECT_FALSE(decode_load(cut));
  EXPECT_FALSE(decode_load(Bytes(1)));
}

TEST(LoadKernelsCodec, GoesThroughBytesAndRefusesNonsense) {
  const auto decoded = decode_load_kernels(encode(LoadKernelsRequest{{{"gates", {8, 4}}, {"_Z6decodev", {}}}}));
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->kernels.size(), 2U);
  EXPECT_EQ(decoded->kernels[0].name, "gates");
  EXPECT_THAT(decoded->kernels[0].argument_sizes, ::testing::ElementsAre(8, 4));
  EXPECT_EQ(decoded->kernels[1].name, "_Z6decodev");
  EXPECT_FALSE(decode_load_kernels(encode(LoadKernelsRequest{})));
  EXPECT_FALSE(decode_load_kernels(encode(LoadKernelsRequest{{{"", {}}}})));
  EXPECT_FALSE(decode_load_kernels(encode(LoadKernelsRequest{{{std::string("a\0b", 3), {}}}})));
  EXPECT_FALSE(decode_load_kernels(encode(LoadKernelsRequest{{{std::string(kMaximumKernelName + 1, 'k'), {}}}})));
  Bytes whole = encode(LoadKernelsRequest{{{"gates", {8, 4}}}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_load_kernels(std::span(whole).first(size))) << size;
  }
  whole.push_back(std::byte{0});
  EXPECT_FALSE(decode_load_kernels(whole));
}

TEST(Replies, ARefusedLaunchIsOneOfThoseThatThereCanBe) {
  CallReply reply;
  reply.refused_launch = kMaximumLaunches;
  EXPECT_EQ(decode_call_reply(encode(reply)).value().refused_launch, kMaximumLaunches);
  reply.refused_launch = kMaximumLaunches + 1;
  EXPECT_FALSE(decode_call_reply(encode(reply)));
}

TEST(Replies, TextIsBounded) {
  const auto reply = decode_load_reply(encode(LoadReply{LoadStatus::refused_by_loader, std::string(100000, 'x')}));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text.size(), kMaximumText);
  EXPECT_FALSE(decode_load(encode(LoadRequest{"f", std::string(kMaximumSymbol + 1, 'g')})));
  const auto floor = decode_floor_reply(encode(FloorReply{1, 0, std::string(100000, 'x')}));
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->text.size(), kMaximumText);
}

TEST(FaultCodec, GoesThroughBytesAndRefusesNonsense) {
  std::array<std::byte, kFaultSize> raw{};
  encode_fault({11, Memory::outputs, -4, true, 0xdeadbeef}, raw);
  const auto fault = decode_fault(raw);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->signal, 11U);
  EXPECT_EQ(fault->memory, Memory::outputs);
  EXPECT_EQ(fault->offset, -4);
  EXPECT_TRUE(fault->write);
  EXPECT_EQ(fault->address, 0xdeadbeefU);
  std::array<std::byte, kFaultSize> bad = raw;
  bad[4] = std::byte{3};  // memory
  EXPECT_FALSE(decode_fault(bad));
  bad = raw;
  bad[13] = std::byte{2};  // write
  EXPECT_FALSE(decode_fault(bad));
  bad = raw;
  bad[0] = std::byte{65};  // signal
  EXPECT_FALSE(decode_fault(bad));
  EXPECT_FALSE(decode_fault(std::span(raw).first(kFaultSize - 1)));
}

}  // namespace
}  // namespace assay::worker
