#include <assay/tensor/safetensors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <assay/tensor/comparison.hpp>

namespace assay::tensor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::span<const std::byte> as_file(const std::string& text) { return std::as_bytes(std::span(text)); }

// A file with this header and so many bytes of data, which count up from 1.
std::string file(const std::string& header, std::size_t data_bytes) {
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    text += static_cast<char>((header.size() >> (8 * i)) & 0xffU);
  }
  text += header;
  for (std::size_t i = 0; i < data_bytes; ++i) {
    text += static_cast<char>(i + 1);
  }
  return text;
}

std::string fault(const std::string& text) {
  const auto read = read_safetensors(as_file(text), "x.safetensors");
  if (read) {
    return "no fault";
  }
  EXPECT_EQ(read.error().owner, base::Owner::input);
  EXPECT_EQ(read.error().code, "safetensors.damaged");
  EXPECT_THAT(read.error().message, ::testing::StartsWith("x.safetensors: "));
  return read.error().message;
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"t": {"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}";
}

TEST(ReadSafetensors, ReadsTensorsAndMetadata) {
  const std::string text =
      file(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I32","shape":[2],"data_offsets":[6,14]},)"
           R"("a":{"dtype":"BF16","shape":[3,1],"data_offsets":[0,6]},)"
           R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[14,14]},)"
           R"("scalar":{"dtype":"U8","shape":[],"data_offsets":[14,15]}}   )",
           15);
  const auto read = read_safetensors(as_file(text), "x");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->header.metadata, ElementsAre(std::pair<std::string, std::string>("format", "pt")));
  ASSERT_THAT(read->header.tensors, SizeIs(4));
  EXPECT_EQ(read->header.tensors[0].name, "a") << "in the order of the data";
  const auto a = read->view("a", "x");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->dtype, DType::bfloat16);
  EXPECT_THAT(a->shape, ElementsAre(3, 1));
  EXPECT_THAT(a->bytes, SizeIs(6));
  EXPECT_EQ(a->bytes[0], std::byte{1});
  const auto b = read->view("b", "x");
  EXPECT_EQ(element(*b, 0), 0x0a090807);
  EXPECT_THAT(read->view("none", "x")->bytes, IsEmpty());
  EXPECT_EQ(read->header.find("scalar")->type, "U8");
  EXPECT_EQ(read->header.find("c"), nullptr);
  EXPECT_EQ(read->view("c", "x").error().code, "safetensors.key");
}

TEST(ReadSafetensors, AFileWithoutTensorsIsOne) {
  const std::string text = file("{}", 0);
  EXPECT_THAT(read_safetensors(as_file(text), "x")->header.tensors, IsEmpty());
}

TEST(ReadSafetensors, KnowsTheTypesOfTheFormat) {
  const std::vector<std::pair<std::string, std::size_t>> types = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},     {"U32", 4},
      {"F32", 4},  {"I64", 8}, {"U64", 8}, {"F64", 8},     {"C64", 8}};
  for (const auto& [type, size] : types) {
    const std::string bytes = std::to_string(3 * size);
    const std::string text = file(entry(type, "[3]", "[0," + bytes + "]"), 3 * size);
    const auto read = read_safetensors(as_file(text), "x");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->header.tensors[0].type, type);
  }
  for (const auto& [type, dtype] : std::vector<std::pair<std::string, DType>>{{"BOOL", DType::boolean},
                                                                              {"I8", DType::int8},
                                                                              {"F8_E4M3", DType::float8_e4m3fn},
                                                                              {"F8_E5M2", DType::float8_e5m2}}) {
    const std::string text = file(entry(type, "[2]", "[0,2]"), 2);
    EXPECT_EQ(read_safetensors(as_file(text), "x")->view("t", "x")->dtype, dtype) << type;
  }
  EXPECT_EQ(fault(file(entry("F4", "[2,4]", "[0,4]"), 4)), "no fault");
  EXPECT_THAT(fault(file(entry("F4", "[3]", "[0,2]"), 2)), HasSubstr("whole number of bytes"));
  EXPECT_THAT(fault(file(entry("F33", "[2]", "[0,8]"), 8)),
              AllOf(HasSubstr("/t/dtype"), HasSubstr("\"F33\""), HasSubstr("BF16")));
}

TEST(ReadSafetensors, ATypeThatNothingComputesInHasNoView) {
  const std::string text = file(entry("C64", "[1]", "[0,8]"), 8);
  const auto read = read_safetensors(as_file(text), "x");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->view("t", "x").error().message, AllOf(HasSubstr("C64"), HasSubstr("\"t\"")));
}

TEST(ReadSafetensors, TruncatedFilesSaySo) {
  const std::string whole = file(entry("F32", "[4]", "[0,16]"), 16);
  ASSERT_EQ(fault(whole), "no fault");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = fault(whole.substr(0, size));
    EXPECT_THAT(message, HasSubstr(size < 8 ? "too few" : "truncated")) << size;
  }
  EXPECT_THAT(fault(whole + "x"), HasSubstr("1 bytes after its last tensor"));
}

TEST(ReadSafetensors, HeadersThatAreNone) {
  EXPECT_THAT(fault("version 1 of something else altogether"), HasSubstr("are the most"));
  EXPECT_THAT(fault(std::string(8, '\xff')), HasSubstr("are the most"));
  EXPECT_THAT(fault(file("", 0)), HasSubstr("does not begin with {"));
  EXPECT_THAT(fault(file(" {}", 0)), HasSubstr("does not begin with {"));
  EXPECT_THAT(fault(file("[]", 0)), HasSubstr("does not begin with {"));
  EXPECT_THAT(fault(file("{", 0)), HasSubstr("header"));
  EXPECT_THAT(fault(file("{} x", 0)), HasSubstr("header"));
  EXPECT_THAT(fault(file("{\"\xff\":1}", 0)), HasSubstr("header"));
  EXPECT_THAT(fault(file(R"({"a":)" + std::string(500, '['), 0)), HasSubstr("header"));
  EXPECT_THAT(fault(file(R"({"t":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", 1)),
              HasSubstr("\"dtype\""));
  const std::string one = R"("t":{"dtype":"U8","shape":[],"data_offsets":[0,1]})";
  EXPECT_THAT(fault(file("{" + one + "," + one + "}", 1)), HasSubstr("\"t\""));
}

TEST(ReadSafetensors, EntriesMustBeWhole) {
  EXPECT_THAT(fault(file(R"({"t":3})", 0)), HasSubstr("/t: must be an object"));
  EXPECT_THAT(fault(file(R"({"t":{"dtype":"U8","shape":[1]}})", 1)), HasSubstr("/t: must be an object"));
  EXPECT_THAT(fault(file(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":1}})", 1)), HasSubstr("/t:"));
  EXPECT_THAT(fault(file(R"({"a/b":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1)), HasSubstr("/a~1b/dtype"));
  EXPECT_THAT(fault(file(entry("U8", "1", "[0,1]"), 1)), HasSubstr("/t/shape"));
  for (const char* shape : {"[-1]", "[1.0]", "[\"1\"]", "[null]", "[18446744073709551615]", "[1e0]"}) {
    EXPECT_THAT(fault(file(entry("U8", shape, "[0,1]"), 1)), HasSubstr("/t/shape/0")) << shape;
  }
  for (const char* offsets : {"[0]", "[0,1,1]", "[1,0]", "[]", "{}", "[-1,0]"}) {
    EXPECT_THAT(fault(file(entry("U8", "[1]", offsets), 1)), HasSubstr("/t/data_offsets")) << offsets;
  }
  EXPECT_THAT(fault(file(R"({"__metadata__":[]})", 0)), HasSubstr("/__metadata__"));
  EXPECT_THAT(fault(file(R"({"__metadata__":{"a":1}})", 0)), HasSubstr("/__metadata__/a"));
}

TEST(ReadSafetensors, ShapesThatOverflowAreRefused) {
  constexpr const char* kHuge = "9223372036854775807";
  for (const std::string& shape : {std::string("[") + kHuge + "]", std::string("[") + kHuge + "," + kHuge + "]",
                                   std::string("[4294967296,4294967296]"), std::string("[2305843009213693952,8]")}) {
    EXPECT_THAT(fault(file(entry("F32", shape, "[0,4]"), 4)), HasSubstr("/t/shape")) << shape;
  }
  EXPECT_EQ(fault(file(entry("F32", std::string("[") + kHuge + ",0," + kHuge + "]", "[0,0]"), 0)), "no fault")
      << "no element is no byte";
}

TEST(ReadSafetensors, BytesBelongToExactlyOneTensor) {
  const auto two = [](const std::string& first, const std::string& second, std::size_t bytes) {
    return fault(file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                          R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                      bytes));
  };
  EXPECT_EQ(two("[0,4]", "[4,8]", 8), "no fault");
  EXPECT_EQ(two("[4,8]", "[0,4]", 8), "no fault");
  EXPECT_THAT(two("[0,4]", "[0,4]", 4), HasSubstr("overlaps"));
  EXPECT_THAT(two("[0,4]", "[3,7]", 7), AllOf(HasSubstr("/b/data_offsets"), HasSubstr("overlaps")));
  EXPECT_THAT(two("[0,4]", "[5,9]", 9), AllOf(HasSubstr("/b/data_offsets"), HasSubstr("gap")));
  EXPECT_THAT(two("[1,5]", "[5,9]", 9), AllOf(HasSubstr("/a/data_offsets"), HasSubstr("gap")));
  EXPECT_THAT(two("[0,4]", "[4,8]", 7), HasSubstr("truncated"));
  EXPECT_THAT(two("[0,4]", "[4,9]", 9), HasSubstr("span 5 bytes"));
  EXPECT_THAT(two("[0,4]", "[9223372036854775803,9223372036854775807]", 8), HasSubstr("gap"));
}

TEST(PlanSafetensors, AlignsTheDataAndEveryTensor) {
  const std::vector<SafetensorsTensor> tensors = {{"odd", DType::int8, {3}},
                                                  {"wide", DType::int64, {2}},
                                                  {"half", DType::bfloat16, {5}},
                                                  {"nibbles", DType::float4_e2m1, {6}},
                                                  {"single", DType::float32, {}}};
  const auto plan = plan_safetensors(tensors, {{"from", "a test"}});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->bytes.size() % 8, 0U);
  EXPECT_EQ(plan->header.data_begin, plan->bytes.size());
  EXPECT_EQ(plan->header.data_bytes, 16U + 4 + 10 + 3 + 3);
  for (const SafetensorsEntry& one : plan->header.tensors) {
    EXPECT_EQ(one.begin % std::max<std::size_t>(1, bits(*one.dtype) / 8), 0U) << one.name;
  }
  EXPECT_EQ(plan->bytes.substr(8, 42), R"({"__metadata__":{"from":"a test"},"wide":{)");
}

TEST(PlanSafetensors, RefusesWhatNoReaderWouldTake) {
  const auto code = [](const std::vector<SafetensorsTensor>& tensors) {
    const auto plan = plan_safetensors(tensors);
    return plan ? std::string() : plan.error().code;
  };
  EXPECT_EQ(code({{"a", DType::int8, {1}}, {"a", DType::int8, {1}}}), "safetensors.name");
  EXPECT_EQ(code({{"__metadata__", DType::int8, {1}}}), "safetensors.name");
  EXPECT_EQ(code({{"a", DType::float4_e2m1, {3}}}), "safetensors.size");
  EXPECT_EQ(code({{"a", DType::int64, {std::int64_t{1} << 62U}}}), "safetensors.size");
  constexpr std::int64_t kLarge = std::int64_t{1} << 60U;
  std::vector<SafetensorsTensor> many;
  for (int i = 0; i < 17; ++i) {
    many.push_back({std::to_string(i), DType::int8, {kLarge}});
  }
  EXPECT_EQ(code(many), "safetensors.size");
}

struct Written {
  std::vector<SafetensorsTensor> tensors;
  std::string text;
};

// Tensors of random types and shapes, with random bytes, as one file.
Written random_file() {
  Written written;
  std::vector<DType> types;
  for (const std::string_view name : dtype_names()) {
    if (has_storage(*parse_dtype(name))) {
      types.push_back(*parse_dtype(name));
    }
  }
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    SafetensorsTensor tensor;
    tensor.dtype = types[*rc::gen::inRange<std::size_t>(0, types.size())];
    tensor.name = std::to_string(i) + *rc::gen::element<std::string>("", "a/b", "\"", "\xC3\xA9", "~", "\n");
    for (int rank = *rc::gen::inRange(0, 4); rank > 0; --rank) {
      tensor.shape.push_back(*rc::gen::inRange<std::int64_t>(0, 6));
    }
    if (bits(tensor.dtype) < 8) {
      tensor.shape.push_back(2);
    }
    written.tensors.push_back(tensor);
  }
  const auto plan = plan_safetensors(written.tensors, {{"k", "v"}});
  RC_ASSERT(plan.has_value());
  written.text = plan->bytes;
  for (std::uint64_t i = 0; i < plan->header.data_bytes; ++i) {
    written.text += static_cast<char>(*rc::gen::arbitrary<unsigned char>());
  }
  return written;
}

TEST(SafetensorsProperty, WhatIsPlannedIsReadBack) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const Written written = random_file();
    const auto read = read_safetensors(as_file(written.text), "x");
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->header.tensors.size() == written.tensors.size());
    std::size_t bytes = 0;
    for (const SafetensorsTensor& tensor : written.tensors) {
      const auto view = read->view(tensor.name, "x");
      RC_ASSERT(view.has_value());
      RC_ASSERT(view->dtype == tensor.dtype);
      RC_ASSERT(view->shape == tensor.shape);
      RC_ASSERT(view->bytes.size() == byte_size(tensor.dtype, element_count(tensor.shape)));
      bytes += view->bytes.size();
    }
    RC_ASSERT(bytes == read->data.size());
  }));
}

TEST(SafetensorsProperty, ADamagedFileIsRefusedOrStaysInItsBounds) {
  EXPECT_TRUE(rc::check("one byte changed, or cut", [] {
    std::string text = random_file().text;
    const std::size_t place = *rc::gen::inRange<std::size_t>(0, text.size());
    text[place] = static_cast<char>(*rc::gen::arbitrary<unsigned char>());
    text.resize(*rc::gen::inRange(place, text.size() + 1));
    const auto read = read_safetensors(as_file(text), "x");
    if (!read) {
      RC_ASSERT(!read.error().message.empty());
      return;
    }
    std::size_t bytes = 0;
    for (const SafetensorsEntry& one : read->header.tensors) {
      bytes += read->bytes(one).size();
    }
    RC_ASSERT(bytes == read->data.size());
  }));
}

}  // namespace
}  // namespace assay::tensor
