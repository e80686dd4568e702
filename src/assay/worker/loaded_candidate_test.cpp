// In this process, so that what is loaded stays in it: each object is small and does nothing at its load.
#include <assay/worker/loaded_candidate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <span>
#include <string>

#include <assay/os/file.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// It stays open: the system's loader knows an object by its path, which has the descriptor's number.
const os::Fd& sealed(const std::string& bytes) {
  static std::deque<os::Fd> all;
  auto fd = os::sealed_copy("t", std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(fd);
  return all.emplace_back(std::move(*fd));
}

// An object with the entry point `run`, which returns this.
const os::Fd& object_that_returns(int code) {
  const auto folder = os::TemporaryDirectory::create(::testing::TempDir(), "assay-candidate-");
  const os::Path source = folder->path() / "k.cpp";
  std::ofstream(source) << "#include <assay/candidate.h>\nASSAY_KERNEL(run) { return call->abi_version * 0 + " << code
                        << "; }\n";
  const os::Path object = folder->path() / "k.so";
  const std::string command =
      "g++ -shared -fPIC -I " ASSAY_BINARY_DIR "/include -o " + object.string() + " " + source.string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  return sealed(os::read_file(object).value());
}

CallFrame empty_frame() {
  CallFrame frame;
  EXPECT_TRUE(frame.assemble(Call{}, {}, {}, {kDLCPU, 0}, nullptr));
  return frame;
}

TEST(LoadedCandidateTest, AnEntryPointOfTheCHeaderIsFoundAndEntered) {
  LoadedCandidate candidate;
  EXPECT_FALSE(candidate.is_loaded());
  const LoadReply reply = candidate.load(object_that_returns(42), nullptr, {"assay_kernel_run", ""}, nullptr);
  EXPECT_EQ(reply.status, LoadStatus::loaded) << reply.text;
  EXPECT_TRUE(candidate.is_loaded());
  const CallFrame frame = empty_frame();
  const std::vector<tvm_ffi::Any> packed = candidate.pack(frame);
  EXPECT_THAT(packed, IsEmpty()) << "it is not of the other binding";
  EXPECT_EQ(candidate.enter(frame, packed), 42);
}

TEST(LoadedCandidateTest, WhatTheObjectDoesNotExportIsNamed) {
  LoadedCandidate candidate;
  const LoadReply reply = candidate.load(object_that_returns(0), nullptr, {"assay_kernel_other", ""}, nullptr);
  EXPECT_EQ(reply.status, LoadStatus::symbol_missing);
  EXPECT_EQ(reply.text, "assay_kernel_other");
  EXPECT_FALSE(candidate.is_loaded());
}

TEST(LoadedCandidateTest, WhatIsNoObjectIsRefusedInTheLoadersWords) {
  LoadedCandidate candidate;
  const LoadReply reply = candidate.load(sealed("no object"), nullptr, {"assay_kernel_run", ""}, nullptr);
  EXPECT_EQ(reply.status, LoadStatus::refused_by_loader);
  EXPECT_THAT(reply.text, HasSubstr("file too short"));
  EXPECT_FALSE(candidate.is_loaded());
}

TEST(LoadedCandidateTest, ALibraryOfTheOtherBindingThatIsNoneIsSaid) {
  LoadedCandidate candidate;
  const os::Fd& library = sealed("no library");
  const LoadReply reply =
      candidate.load(object_that_returns(0), &library, {"assay_kernel_run", "__tvm_ffi_run"}, nullptr);
  EXPECT_EQ(reply.status, LoadStatus::runtime_missing);
  EXPECT_FALSE(reply.text.empty());
  EXPECT_FALSE(candidate.is_loaded()) << "its object was not even tried";
}

TEST(LoadedCandidateTest, WhatHasAnEntryPointLaunchesForItself) {
  LoadedCandidate candidate;
  ASSERT_EQ(candidate.load(object_that_returns(0), nullptr, {"assay_kernel_run", ""}, nullptr).status,
            LoadStatus::loaded);
  Call call;
  EXPECT_TRUE(candidate.fits(call));
  call.launches.emplace_back();
  EXPECT_FALSE(candidate.fits(call)) << "launches are of kernels that the worker was given";
  CallFrame frame = empty_frame();
  CallReply result;
  EXPECT_TRUE(candidate.make_ready(call, frame, DeviceMemory::lent, result)) << "there is nothing to do";
  EXPECT_TRUE(candidate.keeps_scratch(call));
  candidate.poison();
}

TEST(LoadedCandidateTest, WhatAnEntryPointReturnsIsNotExplained) {
  LoadedCandidate candidate;
  ASSERT_EQ(candidate.load(object_that_returns(7), nullptr, {"assay_kernel_run", ""}, nullptr).status,
            LoadStatus::loaded);
  CallReply result;
  result.return_code = 7;
  candidate.note_failure(result);
  EXPECT_EQ(result.return_code, 7);
  EXPECT_EQ(result.device_status, 0);
  EXPECT_EQ(result.refused_launch, 0U);
  EXPECT_THAT(result.text, IsEmpty());
}

}  // namespace
}  // namespace assay::worker
