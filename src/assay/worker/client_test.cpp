// Drives the real assay-worker through the client, with small objects compiled here, and fake workers that break the
// protocol.
#include <assay/worker/client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <assay/os/sandbox/detect.hpp>
#include <assay/os/shared_memory.hpp>

namespace assay::worker {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSize = 8192;

class ClientTest : public ::testing::Test {
 protected:
  // Compiles `body` as the entry point `run` and starts a worker that has loaded it and mapped two memories.
  void serve(const std::string& body, const std::string& preamble = "") {
    open_worker();
    const os::Fd object = compile(preamble + "\nASSAY_KERNEL(run) {\n" + body + "\n}\n");
    const auto loaded = client_->load(object, "assay_kernel_run", 10s);
    ASSERT_TRUE(loaded) << loaded.error().text;
    ASSERT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
    map();
  }

  void open_worker(os::MechanismSet leave_out = {}) {
    WorkerOptions options;
    options.leave_out = leave_out;
    options.program = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
    auto client = WorkerClient::start(options);
    ASSERT_TRUE(client) << client.error().text();
    client_ = std::move(*client);
  }

  void map() {
    auto inputs = os::SharedMemory::create("t", kSize, os::PeerAccess::read_only);
    auto outputs = os::SharedMemory::create("t", kSize, os::PeerAccess::read_write);
    ASSERT_TRUE(inputs && outputs);
    inputs_ = std::move(*inputs);
    outputs_ = std::move(*outputs);
    const auto mapped = client_->map(inputs_.fd(), kSize, outputs_.fd(), kSize, 10s);
    ASSERT_TRUE(mapped) << mapped.error().text;
  }

  static os::Fd compile(const std::string& source) {
    const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-client-");
    const os::Path cpp = folder->path() / "k.cpp";
    std::ofstream(cpp) << "#include <assay/candidate.h>\n" << source;
    const os::Path object = folder->path() / "k.so";
    const std::string command =
        "g++ -O1 -shared -fPIC -pthread -I " ASSAY_BINARY_DIR "/include -o " + object.string() + " " + cpp.string();
    EXPECT_EQ(std::system(command.c_str()), 0) << source;
    const auto bytes = os::read_file(object);
    auto fd = os::sealed_copy("t", std::as_bytes(std::span(*bytes)));
    EXPECT_TRUE(fd);
    return std::move(*fd);
  }

  static Call call_of(std::uint64_t in, std::uint64_t out) {
    Call call;
    call.inputs = {TensorArgument{Memory::inputs, 2, 32, in, {4}}, FloatArgument{2.5}};
    call.outputs = {TensorArgument{Memory::outputs, 2, 32, out, {4}}};
    return call;
  }

  Failure failure_of_call(std::uint64_t in = 0, std::uint64_t out = 0, std::chrono::nanoseconds limit = 10s) {
    const auto reply = client_->call(call_of(in, out), limit);
    EXPECT_FALSE(reply);
    return reply ? Failure{} : reply.error();
  }

  std::optional<WorkerClient> client_;
  os::SharedMemory inputs_;
  os::SharedMemory outputs_;
};

constexpr const char* kScale = R"(
  const float* x = static_cast<const float*>(assay_input(call, 0)->data);
  float* y = static_cast<float*>(assay_output(call, 0)->data);
  for (int i = 0; i < 4; ++i) y[i] = x[i] * static_cast<float>(assay_scalar(call, 1));
  return 0;)";

TEST_F(ClientTest, CallsComputeInTheJudgesMemory) {
  serve(kScale);
  auto* x = reinterpret_cast<float*>(inputs_.bytes().data() + 64);
  x[0] = 1;
  x[3] = -4;
  const auto reply = client_->call(call_of(64, 128), 10s);
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->reply.return_code, 0);
  EXPECT_LE(reply->reply.elapsed_ns, reply->round_trip.count());
  const auto* y = reinterpret_cast<const float*>(outputs_.bytes().data() + 128);
  EXPECT_FLOAT_EQ(y[0], 2.5F);
  EXPECT_FLOAT_EQ(y[3], -10.0F);
}

TEST_F(ClientTest, OnACpuThereIsNothingToWake) {
  serve("return 0;");
  ASSERT_TRUE(client_->rouse(10s));
  ASSERT_TRUE(client_->wake(call_of(0, 0).timing, 10s));
  const auto reply = client_->call(call_of(0, 0), 10s);
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->reply.return_code, 0);
}

TEST_F(ClientTest, LoadsWhereNoProcCouldBeMounted) {
  open_worker({os::Mechanism::private_proc});
  const auto loaded =
      client_->load(compile("ASSAY_KERNEL(run) { return call->abi_version; }"), "assay_kernel_run", 10s);
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
}

// As a solution of flashinfer-bench exports it, without its headers: the C convention by hand.
TEST_F(ClientTest, CallsByTheConventionOfTvmFfi) {
  const auto bytes = os::read_file(os::Path(ASSAY_BINARY_DIR) / "bin" / "libtvm_ffi.so");
  if (!bytes) {
    GTEST_SKIP() << "libtvm_ffi.so is not beside the programs: ./dev setup";
  }
  const auto library = os::sealed_copy("t", std::as_bytes(std::span(*bytes)));
  ASSERT_TRUE(library);
  constexpr const char* kSource = R"(
    #include <cstdint>
    struct Any { int32_t type; uint32_t zero; union { int64_t i; double d; DLTensor* t; }; };
    extern "C" void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
    extern "C" int __tvm_ffi_run(void*, const Any* args, int32_t count, Any* result) {
      if (count != 3 || args[0].type != 7 || args[1].type != 3 || args[2].type != 7 || result->type != 0) return -2;
      if (args[1].d < 0) { TVMFFIErrorSetRaisedFromCStr("ValueError", "it is negative"); return -1; }
      const float* x = static_cast<const float*>(args[0].t->data);
      float* y = static_cast<float*>(args[2].t->data);
      for (int i = 0; i < 4; ++i) y[i] = x[i] * static_cast<float>(args[1].d);
      return 0;
    })";
  for (const os::MechanismSet leave_out : {os::MechanismSet(), os::MechanismSet{os::Mechanism::private_proc}}) {
    open_worker(leave_out);
    const auto loaded = client_->load(compile(kSource), *library, {"assay_kernel_run", "__tvm_ffi_run"}, 10s);
    ASSERT_TRUE(loaded) << loaded.error().text;
    ASSERT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
    map();
    reinterpret_cast<float*>(inputs_.bytes().data())[3] = -4;
    const auto reply = client_->call(call_of(0, 128), 10s);
    ASSERT_TRUE(reply) << reply.error().text;
    EXPECT_EQ(reply->reply.return_code, 0);
    EXPECT_EQ(reply->reply.text, "");
    EXPECT_FLOAT_EQ(reinterpret_cast<const float*>(outputs_.bytes().data() + 128)[3], -10.0F);
    Call negative = call_of(0, 128);
    negative.inputs[1] = FloatArgument{-1};
    const auto raised = client_->call(negative, 10s);
    ASSERT_TRUE(raised) << raised.error().text;
    EXPECT_EQ(raised->reply.return_code, -1);
    EXPECT_EQ(raised->reply.text, "ValueError: it is negative");
  }
}

TEST_F(ClientTest, OfTwoEntryPointsTheHeadersIsCalledAndALibraryThatIsNoneIsSaid) {
  const auto bytes = os::read_file(os::Path(ASSAY_BINARY_DIR) / "bin" / "libtvm_ffi.so");
  const os::Fd both = compile("ASSAY_KERNEL(run) { return 7; }\nextern \"C\" int __tvm_ffi_run() { return -9; }\n");
  const os::Fd none = compile("int x;\n");
  open_worker();
  const auto refused = client_->load(both, none, {"assay_kernel_run", "__tvm_ffi_run"}, 10s);
  ASSERT_TRUE(refused) << refused.error().text;
  EXPECT_EQ(refused->status, LoadStatus::runtime_missing);
  EXPECT_NE(refused->text.find("TVMFFIErrorMoveFromRaised"), std::string::npos) << refused->text;
  if (!bytes) {
    GTEST_SKIP() << "libtvm_ffi.so is not beside the programs: ./dev setup";
  }
  const auto library = os::sealed_copy("t", std::as_bytes(std::span(*bytes)));
  open_worker();
  const auto loaded = client_->load(both, *library, {"assay_kernel_run", "__tvm_ffi_run"}, 10s);
  ASSERT_TRUE(loaded) << loaded.error().text;
  ASSERT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
  map();
  EXPECT_EQ(client_->call(call_of(0, 128), 10s)->reply.return_code, 7);
  open_worker();
  const auto missing = client_->load(none, *library, {"assay_kernel_run", "__tvm_ffi_run"}, 10s);
  ASSERT_TRUE(missing) << missing.error().text;
  EXPECT_EQ(missing->status, LoadStatus::symbol_missing);
}

// A program between us and the worker, as compute-sanitizer is: a script that starts it and ends with a code of its own.
TEST_F(ClientTest, AWatcherHandsTheSocketOnAndSaysHowItEnded) {
  const auto folder = os::TemporaryDirectory::create(ASSAY_BINARY_DIR, "assay-watcher-");
  ASSERT_TRUE(folder);
  std::error_code error;
  std::filesystem::permissions(folder->path(), std::filesystem::perms(0755), error);
  const os::Path script = folder->path() / "watch";
  std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = --tool ] && [ \"$SPOKEN\" = yes ] || exit 9\n"
                           "touch /dev/shm/record /tmp/record || exit 8\n\"$2\" || exit 7\nexit 86\n";
  std::filesystem::permissions(script, std::filesystem::perms(0755), error);
  WorkerOptions options;
  options.program = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
  // Where tests are built with a sanitizer the worker is too, and looking for leaks takes ptrace, which the sandbox refuses.
  options.watcher = Watcher{script, {"--tool"}, {{"SPOKEN", "yes"}, {"ASAN_OPTIONS", "detect_leaks=0"}}};
  auto client = WorkerClient::start(options);
  ASSERT_TRUE(client) << client.error().text();
  client_ = std::move(*client);
  const auto loaded = client_->load(compile("ASSAY_KERNEL(run) { return 5; }"), "assay_kernel_run", 10s);
  ASSERT_TRUE(loaded) << loaded.error().text;
  ASSERT_EQ(loaded->status, LoadStatus::loaded) << loaded->text;
  map();
  EXPECT_EQ(client_->call(call_of(0, 128), 10s)->reply.return_code, 5);
  const auto ended = client_->finish(10s);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->text(), "exit code 86");
}

TEST_F(ClientTest, ACandidateSeesNoFilesNetworkOrProcessesOfTheHost) {
  serve(R"(
    if (open("/etc/passwd", O_RDONLY) >= 0 || open("/tmp/../home", O_RDONLY) >= 0) return 1;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) return 2;
    if (kill(getppid(), 0) == 0 && getppid() > 1) return 3;
    if (open("/proc/1/mem", O_RDONLY) >= 0) return 4;
    return 0;)",
        "#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n#include <unistd.h>\n");
  const auto reply = client_->call(call_of(0, 0), 10s);
  ASSERT_TRUE(reply) << reply.error().text;
  if (os::sandbox_support().report.level() >= base::SandboxLevel::namespaces) {
    EXPECT_EQ(reply->reply.return_code, 0);
  }
}

TEST_F(ClientTest, TensorsAreWhatTheHeaderPromises) {
  serve(R"(
    const DLTensor* t = assay_output(call, 0);
    const bool good = call->abi_version == ASSAY_ABI_VERSION && call->input_count == 2 && call->output_count == 1 &&
        t->ndim == 1 && t->shape[0] == 4 && t->strides[0] == 1 && t->byte_offset == 0 && t->dtype.code == kDLFloat &&
        t->dtype.bits == 32 && t->dtype.lanes == 1 && t->device.device_type == kDLCPU &&
        call->inputs[1].kind == ASSAY_FLOAT;
    return good ? 0 : 1;)");
  const auto reply = client_->call(call_of(0, 0), 10s);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->reply.return_code, 0);
}

TEST_F(ClientTest, ReturnCodesArePassedOn) {
  serve("return 42;");
  const auto reply = client_->call(call_of(0, 0), 10s);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->reply.return_code, 42);
}

TEST_F(ClientTest, WritingToAnInputFaultsWithItsPlaceAndChangesNothing) {
  serve("const_cast<float*>(static_cast<const float*>(assay_input(call, 0)->data))[2] = 1; return 0;");
  const Failure failure = failure_of_call(64);
  ASSERT_EQ(failure.kind, Failure::Kind::fault);
  EXPECT_EQ(failure.fault->signal, static_cast<std::uint32_t>(SIGSEGV));
  EXPECT_EQ(failure.fault->memory, Memory::inputs);
  EXPECT_EQ(failure.fault->offset, 64 + 2 * 4);
#if defined(__x86_64__)
  EXPECT_TRUE(failure.fault->write);
#endif
  EXPECT_EQ(inputs_.bytes()[72], std::byte{0});
}

TEST_F(ClientTest, AccessesBeyondAMemoryAreLocated) {
  serve("static_cast<char*>(assay_output(call, 0)->data)[9000] = 1; return 0;");
  const Failure failure = failure_of_call();
  ASSERT_EQ(failure.kind, Failure::Kind::fault);
  EXPECT_EQ(failure.fault->memory, Memory::outputs);
  EXPECT_EQ(failure.fault->offset, 9000);
}

TEST_F(ClientTest, AWildAddressIsAFaultWithoutAPlace) {
  serve("*reinterpret_cast<volatile int*>(16) = 1; return 0;");
  const Failure failure = failure_of_call();
  ASSERT_EQ(failure.kind, Failure::Kind::fault);
  EXPECT_EQ(failure.fault->memory, Memory::none);
  EXPECT_EQ(failure.fault->address, 16U);
}

TEST_F(ClientTest, AbortIsReportedAsSigabrt) {
  serve("abort(); return 0;", "#include <cstdlib>");
  const Failure failure = failure_of_call();
  ASSERT_EQ(failure.kind, Failure::Kind::fault);
  EXPECT_EQ(failure.fault->signal, static_cast<std::uint32_t>(SIGABRT));
}

TEST_F(ClientTest, AStackOverflowIsReported) {
  serve("return deep(call->input_count);",
        "static int deep(int n) { volatile char room[4096]; room[0] = static_cast<char>(n); return deep(n + 1) + "
        "room[0]; }");
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::fault);
}

TEST_F(ClientTest, ExitDuringACallIsADeath) {
  serve("_exit(0);", "#include <unistd.h>");
  const Failure failure = failure_of_call();
  EXPECT_EQ(failure.kind, Failure::Kind::died);
  EXPECT_EQ(failure.text, "exit code 0");
}

TEST_F(ClientTest, SigkillFromAnywhereIsToldApart) {
  serve("kill(getpid(), SIGKILL); return 0;", "#include <csignal>\n#include <unistd.h>");
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::killed_from_outside);
}

TEST_F(ClientTest, AnEndlessCallTimesOutAndIsKilled) {
  serve("for (volatile int i = 0;;) i = i + 1;");
  EXPECT_EQ(failure_of_call(0, 0, 200ms).kind, Failure::Kind::timed_out);
  // The worker is dead now, and says so at once.
  EXPECT_EQ(failure_of_call(0, 0, 1ms).kind, Failure::Kind::died);
}

TEST_F(ClientTest, ClosingTheSocketAndRunningOnIsADeath) {
  serve("for (int fd = 3; fd < 10; ++fd) close(fd); for (;;) pause();", "#include <unistd.h>");
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::died);
}

TEST_F(ClientTest, ForgedAnswersBreakTheProtocol) {
  // A reply that the candidate writes itself cannot know the nonce.
  serve("char forged[36] = {'A','S','Y','1',4,(char)0x80,0,0,12,0,0,0}; return write(3, forged, 36) == 36 ? 0 : 1;",
        "#include <unistd.h>");
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::protocol_violation);
}

TEST_F(ClientTest, GarbageOnTheSocketBreaksTheProtocol) {
  serve("char text[] = \"PASSED PASSED PASSED PASSED PASSED\"; return write(3, text, sizeof text) > 0 ? 0 : 1;",
        "#include <unistd.h>");
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::protocol_violation);
}

TEST_F(ClientTest, AMissingSymbolAndABadObjectAreReplies) {
  open_worker();
  const os::Fd object = compile("ASSAY_KERNEL(other) { return call->input_count; }");
  const auto missing = client_->load(object, "assay_kernel_run", 10s);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->status, LoadStatus::symbol_missing);

  open_worker();
  const std::string text = "not an object";
  const auto fd = os::sealed_copy("t", std::as_bytes(std::span(text)));
  const auto refused = client_->load(*fd, "assay_kernel_run", 10s);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, LoadStatus::refused_by_loader);
  EXPECT_FALSE(refused->text.empty());
}

TEST_F(ClientTest, ACrashInAStaticInitialiserIsAFaultOfTheLoad) {
  open_worker();
  const os::Fd object = compile("static int crash() { *(volatile int*)8 = 1; return 1; }\nint x = crash();");
  const auto loaded = client_->load(object, "assay_kernel_run", 10s);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, Failure::Kind::fault);
}

TEST_F(ClientTest, TheFloorIsMeasured) {
  open_worker();
  const auto floor = client_->measure_floor({}, 10s);
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->status, 0U);
  EXPECT_GT(floor->elapsed_ns, 0);
  EXPECT_LT(floor->elapsed_ns, 1000000);
}

TEST_F(ClientTest, AHotCallIsMadeOnceBefore) {
  serve("return ++calls;", "static int calls = 0;");
  Call call = call_of(0, 0);
  call.timing.cache = base::CacheState::hot;
  const auto prepared = client_->prepare(call, 10s);
  ASSERT_TRUE(prepared) << prepared.error().text;
  EXPECT_EQ(prepared->return_code, 1);
  EXPECT_EQ(prepared->elapsed_ns, 0);
  const auto reply = client_->call(call, 10s);
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->reply.return_code, 2);
  EXPECT_GT(reply->reply.elapsed_ns, 0);
}

TEST_F(ClientTest, AWorkerWithoutADeviceTimesByTheWallAlone) {
  for (const base::TimingMethod method :
       {base::TimingMethod::events, base::TimingMethod::graph, base::TimingMethod::cupti}) {
    serve("return 0;");
    Call call = call_of(0, 0);
    call.timing.method = method;
    EXPECT_FALSE(client_->call(call, 10s)) << base::to_string(method);
    serve("return 0;");
    EXPECT_FALSE(client_->prepare(call, 10s)) << base::to_string(method);
    open_worker();
    EXPECT_FALSE(client_->measure_floor(call.timing, 10s)) << base::to_string(method);
  }
}

TEST_F(ClientTest, NothingIsCapturedWithoutADevice) {
  serve("return 0;");
  EXPECT_FALSE(client_->prepare(call_of(0, 0), 10s)) << "cold, by wall: there is nothing to prepare";
}

TEST_F(ClientTest, ASeriesIsForADeviceAlone) {
  serve("return 0;");
  Series series{1, 3, call_of(0, 0)};
  EXPECT_EQ(client_->series(series, 10s).error().kind, Failure::Kind::died) << "by wall";
  serve("return 0;");
  series.call.timing = {base::TimingMethod::cupti, base::CacheState::cold};
  EXPECT_EQ(client_->series(series, 10s).error().kind, Failure::Kind::died) << "by CUPTI, without a device";
}

TEST_F(ClientTest, CallingBeforeLoadingEndsTheWorker) {
  open_worker();
  map();
  EXPECT_EQ(failure_of_call().kind, Failure::Kind::died);
}

TEST_F(ClientTest, AnOffsetBeyondTheMemoryIsRefusedByTheWorker) {
  serve(kScale);
  EXPECT_EQ(failure_of_call(kSize + 1).kind, Failure::Kind::died);
}

TEST_F(ClientTest, CloseLeavesNoProcess) {
  serve(kScale);
  const int pid = client_->pid();
  client_->close();
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(WorkerStart, AProgramThatIsNoWorkerIsAnEnvironmentError) {
  WorkerOptions options;
  options.program = "/bin/true";
  const auto client = WorkerClient::start(options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().owner, base::Owner::environment);
  options.program = "/nowhere/assay-worker";
  const auto missing = WorkerClient::start(options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr("/nowhere/assay-worker"));
}

TEST(WorkerStart, ASilentProgramTimesOut) {
  WorkerOptions options;
  options.program = *os::find_program("yes");  // Talks without end, but not to us.
  options.start_limit = 200ms;
  const auto client = WorkerClient::start(options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, "worker.start");
}

}  // namespace
}  // namespace assay::worker
