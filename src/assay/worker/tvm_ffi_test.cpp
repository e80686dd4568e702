// Holds our declarations against the header of the package apache-tvm-ffi, where ./dev setup put it, and calls objects
// that are built with it.
#include <assay/worker/tvm_ffi.hpp>

#include <gtest/gtest.h>

#include <array>

#if __has_include(<tvm/ffi/extra/c_env_api.h>)
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <type_traits>

namespace assay::worker::tvm_ffi {
namespace {

// Same number and kind of parameters, each as wide: what the convention for calls rests on.
static_assert(sizeof(Any) == sizeof(TVMFFIAny) && alignof(Any) == alignof(TVMFFIAny));
static_assert(offsetof(Any, type_index) == offsetof(TVMFFIAny, type_index));
static_assert(offsetof(Any, zero) == offsetof(TVMFFIAny, zero_padding));
static_assert(offsetof(Any, integer) == offsetof(TVMFFIAny, v_int64));
static_assert(offsetof(Any, real) == offsetof(TVMFFIAny, v_float64));
static_assert(offsetof(Any, pointer) == offsetof(TVMFFIAny, v_ptr));
static_assert(sizeof(ByteArray) == sizeof(TVMFFIByteArray));
static_assert(offsetof(ByteArray, data) == offsetof(TVMFFIByteArray, data));
static_assert(offsetof(ByteArray, size) == offsetof(TVMFFIByteArray, size));
static_assert(sizeof(ObjectHead) == sizeof(TVMFFIObject));
static_assert(offsetof(ObjectHead, type_index) == offsetof(TVMFFIObject, type_index));
static_assert(offsetof(ErrorObject, kind) == sizeof(TVMFFIObject) + offsetof(TVMFFIErrorCell, kind));
static_assert(offsetof(ErrorObject, message) == sizeof(TVMFFIObject) + offsetof(TVMFFIErrorCell, message));
static_assert(offsetof(ErrorObject, backtrace) == sizeof(TVMFFIObject) + offsetof(TVMFFIErrorCell, backtrace));
static_assert(static_cast<int>(kNone) == kTVMFFINone && static_cast<int>(kInteger) == kTVMFFIInt);
static_assert(static_cast<int>(kBoolean) == kTVMFFIBool && static_cast<int>(kFloat) == kTVMFFIFloat);
static_assert(static_cast<int>(kTensorPointer) == kTVMFFIDLTensorPtr && kFirstObject == kTVMFFIStaticObjectBegin);
static_assert(std::is_same_v<decltype(&TVMFFIErrorMoveFromRaised), MoveRaisedError>);
static_assert(std::is_same_v<decltype(&TVMFFIObjectDecRef), ReleaseObject>);
static_assert(std::is_same_v<decltype(&TVMFFIEnvSetStream), SetStream>);
static_assert(TVM_FFI_VERSION_MAJOR == 0 && TVM_FFI_VERSION_MINOR == 1);

}  // namespace
}  // namespace assay::worker::tvm_ffi
#endif

namespace assay::worker {
namespace {

TEST(TvmFfi, PacksInputsThenOutputsEachByItsKind) {
  const DLTensor x{};
  const DLTensor y{};
  std::array<assay_argument, 4> inputs{};
  inputs[0].kind = ASSAY_TENSOR;
  inputs[0].value.tensor = &x;
  inputs[1].kind = ASSAY_FLOAT;
  inputs[1].value.float_value = 2.5;
  inputs[2].kind = ASSAY_INTEGER;
  inputs[2].value.integer_value = -7;
  inputs[3].kind = ASSAY_BOOLEAN;
  inputs[3].value.integer_value = 1;
  assay_argument output{};
  output.kind = ASSAY_TENSOR;
  output.value.tensor = &y;
  assay_call call{};
  call.input_count = 4;
  call.output_count = 1;
  call.inputs = inputs.data();
  call.outputs = &output;
  const std::vector<tvm_ffi::Any> packed = TvmFfi::pack(call);
  ASSERT_EQ(packed.size(), 5U);
  EXPECT_EQ(packed[0].type_index, 7);
  EXPECT_EQ(packed[0].pointer, &x);
  EXPECT_EQ(packed[1].type_index, 3);
  EXPECT_EQ(packed[1].real, 2.5);
  EXPECT_EQ(packed[2].type_index, 1);
  EXPECT_EQ(packed[2].integer, -7);
  EXPECT_EQ(packed[3].type_index, 2);
  EXPECT_EQ(packed[3].integer, 1);
  EXPECT_EQ(packed[4].type_index, 7);
  EXPECT_EQ(packed[4].pointer, &y);
  for (const tvm_ffi::Any& any : packed) {
    EXPECT_EQ(any.zero, 0U);
  }
}

TEST(TvmFfi, WhatIsNotItsLibraryIsSaid) {
  const auto absent = TvmFfi::open("/nowhere/libtvm_ffi.so");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().owner, base::Owner::environment);
  const auto other = TvmFfi::open("libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().text().find("TVMFFIErrorMoveFromRaised"), std::string::npos) << other.error().text();
}

}  // namespace
}  // namespace assay::worker
