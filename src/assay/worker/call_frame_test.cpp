#include <assay/worker/call_frame.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include <assay/worker/wire.hpp>
#include <assay/worker/wire_launches.hpp>

namespace assay::worker {
namespace {

class CallFrameTest : public ::testing::Test {
 protected:
  bool assemble(DLDevice device = {kDLCPU, 0}, void* stream = nullptr) {
    return frame_.assemble(call_, {inputs_.data(), inputs_.size()}, {outputs_.data(), outputs_.size()}, device, stream);
  }
  const assay_argument& input(std::size_t at) const { return frame_.call()->inputs[at]; }
  const assay_argument& output(std::size_t at) const { return frame_.call()->outputs[at]; }
  static TensorArgument tensor(Memory memory, std::uint64_t offset, std::vector<std::int64_t> shape) {
    return {memory, kDLFloat, 32, offset, std::move(shape)};
  }

  std::array<std::byte, 8192> inputs_{};
  std::array<std::byte, 4096> outputs_{};
  Call call_;
  CallFrame frame_;
};

TEST_F(CallFrameTest, ACallWithoutArgumentsIsOne) {
  ASSERT_TRUE(assemble());
  EXPECT_EQ(frame_.call()->abi_version, ASSAY_ABI_VERSION);
  EXPECT_EQ(frame_.call()->input_count, 0);
  EXPECT_EQ(frame_.call()->output_count, 0);
  EXPECT_TRUE(frame_.input_tensors().empty());
  EXPECT_TRUE(frame_.output_tensors().empty());
}

TEST_F(CallFrameTest, ScalarsKeepTheirKindAndValue) {
  call_.inputs = {FloatArgument{-0.5}, IntegerArgument{std::numeric_limits<std::int64_t>::min()}, BooleanArgument{true},
                  BooleanArgument{false}};
  ASSERT_TRUE(assemble());
  EXPECT_EQ(input(0).kind, ASSAY_FLOAT);
  EXPECT_DOUBLE_EQ(input(0).value.float_value, -0.5);
  EXPECT_EQ(input(1).kind, ASSAY_INTEGER);
  EXPECT_EQ(input(1).value.integer_value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(input(2).kind, ASSAY_BOOLEAN);
  EXPECT_EQ(input(2).value.integer_value, 1);
  EXPECT_EQ(input(3).value.integer_value, 0);
  EXPECT_DOUBLE_EQ(assay_scalar(frame_.call(), 0), -0.5);
  EXPECT_DOUBLE_EQ(assay_scalar(frame_.call(), 2), 1);
  EXPECT_TRUE(frame_.input_tensors().empty());
}

TEST_F(CallFrameTest, ATensorIsAViewOfItsMemory) {
  call_.inputs = {tensor(Memory::inputs, 4096, {2, 3, 4})};
  call_.outputs = {TensorArgument{Memory::outputs, kDLBfloat, 16, 64, {5}}};
  ASSERT_TRUE(assemble());
  const DLTensor& in = *assay_input(frame_.call(), 0);
  EXPECT_EQ(input(0).kind, ASSAY_TENSOR);
  EXPECT_EQ(in.data, inputs_.data() + 4096);
  EXPECT_EQ(in.byte_offset, 0U);
  EXPECT_EQ(in.ndim, 3);
  EXPECT_EQ(std::vector<std::int64_t>(in.shape, in.shape + 3), (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(in.dtype.code, kDLFloat);
  EXPECT_EQ(in.dtype.bits, 32);
  EXPECT_EQ(in.dtype.lanes, 1);
  const DLTensor& out = *assay_output(frame_.call(), 0);
  EXPECT_EQ(out.data, outputs_.data() + 64);
  EXPECT_EQ(out.dtype.code, kDLBfloat);
  EXPECT_EQ(out.dtype.bits, 16);
  EXPECT_EQ(frame_.data_of(0), in.data);
  EXPECT_EQ(frame_.data_of(1), out.data) << "outputs are behind the inputs";
}

TEST_F(CallFrameTest, StridesAreThoseOfRowsInElements) {
  struct Case {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
  };
  for (const Case& one : {Case{{7}, {1}}, Case{{2, 3}, {3, 1}}, Case{{2, 3, 4, 5}, {60, 20, 5, 1}},
                          Case{{1, 1, 8}, {8, 8, 1}}, Case{{4, 0, 2}, {0, 2, 1}}, Case{{}, {}}}) {
    call_.inputs = {tensor(Memory::inputs, 0, one.shape)};
    ASSERT_TRUE(assemble());
    const DLTensor& view = *assay_input(frame_.call(), 0);
    ASSERT_EQ(static_cast<std::size_t>(view.ndim), one.shape.size());
    EXPECT_EQ(std::vector<std::int64_t>(view.strides, view.strides + view.ndim), one.strides);
  }
}

TEST_F(CallFrameTest, DeviceAndStreamAreHandedOn) {
  call_.inputs = {tensor(Memory::inputs, 0, {1}), IntegerArgument{1}};
  int stream = 0;
  ASSERT_TRUE(assemble({kDLCUDA, 2}, &stream));
  EXPECT_EQ(assay_stream(frame_.call()), &stream);
  EXPECT_EQ(assay_input(frame_.call(), 0)->device.device_type, kDLCUDA);
  EXPECT_EQ(assay_input(frame_.call(), 0)->device.device_id, 2);
}

TEST_F(CallFrameTest, WhatDoesNotLieInItsMemoryIsRefused) {
  call_.inputs = {tensor(Memory::inputs, inputs_.size() + 1, {1})};
  EXPECT_FALSE(assemble());
  call_.inputs = {tensor(Memory::inputs, inputs_.size(), {0})};
  EXPECT_TRUE(assemble()) << "a tensor of no elements may lie at the end";
  call_.inputs.clear();
  call_.outputs = {tensor(Memory::outputs, outputs_.size() + 1, {1})};
  EXPECT_FALSE(assemble()) << "the outputs' memory is the smaller";
  call_.outputs = {tensor(Memory::outputs, 0, {1})};
  EXPECT_FALSE(frame_.assemble(call_, {inputs_.data(), inputs_.size()}, {}, {kDLCPU, 0}, nullptr)) << "not mapped";
}

TEST_F(CallFrameTest, OnlyTensorsAreMoved) {
  call_.inputs = {IntegerArgument{1}, tensor(Memory::inputs, 64, {2}), FloatArgument{2},
                  tensor(Memory::inputs, 0, {1})};
  call_.outputs = {tensor(Memory::outputs, 128, {3})};
  ASSERT_TRUE(assemble());
  ASSERT_EQ(frame_.input_tensors().size(), 2U);
  EXPECT_EQ(frame_.input_tensors()[0]->data, inputs_.data() + 64);
  EXPECT_EQ(frame_.input_tensors()[1]->data, inputs_.data());
  ASSERT_EQ(frame_.output_tensors().size(), 1U);
  frame_.output_tensors()[0]->data = inputs_.data();
  EXPECT_EQ(assay_output(frame_.call(), 0)->data, inputs_.data()) << "the candidate sees what was moved";
}

TEST_F(CallFrameTest, ANewCallForgetsTheOneBefore) {
  call_.inputs = {tensor(Memory::inputs, 64, {2, 2}), FloatArgument{2}};
  ASSERT_TRUE(assemble());
  call_.inputs = {IntegerArgument{9}};
  call_.outputs = {tensor(Memory::outputs, 0, {1})};
  ASSERT_TRUE(assemble());
  EXPECT_EQ(frame_.call()->input_count, 1);
  EXPECT_EQ(frame_.call()->output_count, 1);
  EXPECT_EQ(input(0).kind, ASSAY_INTEGER);
  EXPECT_EQ(output(0).kind, ASSAY_TENSOR);
  EXPECT_TRUE(frame_.input_tensors().empty());
}

TEST(Wire, NumbersAreLittleEndianAndComeBack) {
  WireWriter writer;
  writer.number<std::uint8_t>(0x12);
  writer.number<std::uint32_t>(0x01020304);
  writer.number<std::int64_t>(-2);
  writer.real(-1.5);
  writer.text("abc");
  const std::vector<std::byte> bytes = writer.take();
  ASSERT_EQ(bytes.size(), 1U + 4 + 8 + 8 + 3);
  EXPECT_EQ(bytes[1], std::byte{4});
  EXPECT_EQ(bytes[4], std::byte{1});
  WireReader reader(bytes);
  EXPECT_EQ(reader.number<std::uint8_t>(), 0x12);
  EXPECT_EQ(reader.number<std::uint32_t>(), 0x01020304U);
  EXPECT_EQ(reader.number<std::int64_t>(), -2);
  EXPECT_DOUBLE_EQ(reader.real(), -1.5);
  EXPECT_FALSE(reader.finished()) << "text is left";
  EXPECT_EQ(reader.text(3), "abc");
  EXPECT_TRUE(reader.finished());
}

TEST(Wire, AReadPastTheEndSpoilsAllThatFollow) {
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  WireReader reader(bytes);
  EXPECT_EQ(reader.number<std::uint32_t>(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.rest().size(), 3U) << "nothing was taken";
  EXPECT_FALSE(reader.finished());
  WireReader text(bytes);
  EXPECT_EQ(text.text(4), "");
  EXPECT_FALSE(text.ok());
  EXPECT_EQ(text.text(3).size(), 3U);
  EXPECT_FALSE(text.finished()) << "though nothing is left";
  WireReader empty({});
  EXPECT_TRUE(empty.finished());
  EXPECT_EQ(empty.text(0), "");
  EXPECT_TRUE(empty.finished());
}

// A call with a tensor input, a scalar and a tensor output, so that arguments 0 and 2 are tensors.
Call call_to_launch() {
  Call call;
  call.inputs = {TensorArgument{}, FloatArgument{1}};
  call.outputs = {TensorArgument{}};
  return call;
}

// What the bytes of one launch are decoded to, written by hand; a field is changed by its name.
struct RawLaunch {
  std::uint64_t scratch = 256;
  std::uint8_t launches = 1;
  std::array<std::uint32_t, 9> extents = {4, 2, 1, 128, 1, 1, 0, 0, 0};
  std::uint8_t cooperative = 0;
  std::uint8_t tag = 1;
  std::uint64_t value = 2;
  std::uint8_t value_size = 8;
  std::uint8_t arguments = 1;

  [[nodiscard]] std::vector<std::byte> bytes() const {
    WireWriter writer;
    writer.number(scratch);
    writer.number(launches);
    for (const std::uint32_t extent : extents) {
      writer.number(extent);
    }
    writer.number<std::uint32_t>(1024);
    writer.number(cooperative);
    writer.number(arguments);
    writer.number(tag);
    if (tag == 1) {
      writer.number(static_cast<std::uint8_t>(value));
    } else {
      if (tag == 3) {
        writer.number(value_size);
      }
      writer.number(value);
    }
    return writer.take();
  }
};

bool is_decoded(const RawLaunch& raw) {
  Call call = call_to_launch();
  const std::vector<std::byte> bytes = raw.bytes();
  WireReader reader(bytes);
  return decode_launches(reader, call) && reader.finished();
}

TEST(WireLaunches, AreReadFieldByField) {
  Call call = call_to_launch();
  const std::vector<std::byte> bytes = RawLaunch{}.bytes();
  WireReader reader(bytes);
  ASSERT_TRUE(decode_launches(reader, call));
  EXPECT_TRUE(reader.finished());
  EXPECT_EQ(call.scratch_bytes, 256U);
  ASSERT_EQ(call.launches.size(), 1U);
  const Launch& launch = call.launches[0];
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(launch.cluster, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(launch.shared_bytes, 1024U);
  EXPECT_FALSE(launch.cooperative);
  ASSERT_EQ(launch.arguments.size(), 1U);
  EXPECT_EQ(std::get<TensorPointer>(launch.arguments[0]).argument, 2);
  WireWriter again;
  encode_launches(again, call);
  EXPECT_EQ(again.take(), bytes) << "and written as they were";
}

TEST(WireLaunches, WhatIsNotWellFormedIsRefused) {
  struct Case {
    RawLaunch raw;
    bool good;
  };
  const std::vector<Case> cases = {
      {{.value = 0}, true},
      {{.value = 1}, false},  // A scalar.
      {{.value = 3}, false},  // None of the call's.
      {{.tag = 2, .value = 255}, true},
      {{.tag = 2, .value = 256}, false},  // Beyond the scratch memory.
      {{.scratch = 0, .tag = 2, .value = 0}, false},
      {{.tag = 3, .value = 255, .value_size = 1}, true},
      {{.tag = 3, .value = 256, .value_size = 1}, false},
      {{.tag = 3, .value = 0, .value_size = 2}, false},
      {{.tag = 3, .value = 0, .value_size = 0}, false},
      {{.tag = 3, .value = 0xffffffff, .value_size = 4}, true},
      {{.tag = 3, .value = 0x100000000, .value_size = 4}, false},
      {{.tag = 3, .value = std::numeric_limits<std::uint64_t>::max(), .value_size = 8}, true},
      {{.tag = 0}, false},
      {{.tag = 4}, false},
      {{.cooperative = 1}, true},
      {{.cooperative = 2}, false},
      {{.extents = {0, 2, 1, 128, 1, 1, 0, 0, 0}}, false},
      {{.extents = {4, 2, 1, 128, 1, 0, 0, 0, 0}}, false},
      {{.extents = {4, 2, 1, 128, 1, 1, 2, 1, 1}}, true},
      {{.extents = {4, 2, 1, 128, 1, 1, 2, 0, 1}}, false},
      {{.arguments = 2}, false},  // One is missing.
      {{.arguments = 255}, false},
      {{.launches = 2}, false},
      {{.launches = 255}, false}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(is_decoded(cases[i].raw), cases[i].good) << "case " << i;
  }
}

TEST(WireLaunches, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = RawLaunch{.tag = 3, .value = 9}.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Call call = call_to_launch();
    WireReader reader{std::span<const std::byte>(bytes).first(size)};
    EXPECT_FALSE(decode_launches(reader, call) && reader.ok()) << size;
  }
}

TEST(WireLaunches, ScratchMemoryIsForLaunches) {
  for (const std::uint64_t scratch : {std::uint64_t{0}, std::uint64_t{8}}) {
    WireWriter writer;
    writer.number(scratch);
    writer.number<std::uint8_t>(0);
    const std::vector<std::byte> bytes = writer.take();
    WireReader reader(bytes);
    Call call = call_to_launch();
    EXPECT_EQ(decode_launches(reader, call), scratch == 0);
  }
}

}  // namespace
}  // namespace assay::worker
