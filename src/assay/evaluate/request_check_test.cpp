#include <assay/evaluate/request_check.hpp>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include <assay/build/cuda_toolchain.hpp>
#include <assay/device/cpu.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/evaluate/checker_trial_for_test.hpp>
#include <assay/evaluate/contestant_build.hpp>
#include <assay/evaluate/fingerprint.hpp>
#include <assay/evaluate/remote_device_for_test.hpp>
#include <assay/evaluate/toolchain_choice.hpp>
#include <assay/evaluate/worker_setup.hpp>

namespace assay::evaluate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCheckedOf = "gdn_decode_qk4_v8_d128_k_last";

task::EvaluationRequest checked_request() {
  task::EvaluationRequest request;
  request.id = "r-1";
  request.definition = definition_of(*operators::find_operator(kCheckedOf));
  for (const int batch : {1, 3}) {
    task::Workload workload;
    workload.uuid = "w" + std::to_string(batch);
    workload.axes = {{"batch_size", batch}};
    for (const auto& [name, spec] : request.definition.inputs) {
      workload.inputs.emplace_back(name, spec.shape ? task::InputSpec(task::RandomInput{}) : task::ScalarInput{0.5});
    }
    request.workloads.push_back(workload);
  }
  request.candidate.name = "new";
  return request;
}

class RequestCheckTest : public ::testing::Test {
 protected:
  JudgeSettings settings() const {
    JudgeSettings settings;
    settings.cache = folder_.path() / "cache";
    return settings;
  }
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-check-").value();
};

TEST_F(RequestCheckTest, AGoodRequestHasAllItIsJudgedWith) {
  const auto means = check_request(checked_request(), settings());
  ASSERT_TRUE(means) << means.error().text();
  EXPECT_EQ(means->device->name(), "cpu");
  EXPECT_EQ(means->op->definition_name(), kCheckedOf);
  ASSERT_EQ(means->layouts.size(), 2U);
  EXPECT_LT(means->layouts[0].outputs_size, means->layouts[1].outputs_size) << "one a workload, in their order";
  ASSERT_TRUE(means->given);
  EXPECT_FALSE(means->given->has(0));
  EXPECT_TRUE(means->cupti.empty()) << "nothing is timed by it";
}

TEST_F(RequestCheckTest, WhatIsWrongIsAnInputErrorOfItsField) {
  using Change = std::function<void(task::EvaluationRequest&)>;
  struct Case {
    const char* code;
    const char* words;
    Change change;
  };
  const std::vector<Case> cases = {
      {"request.clock", "cpu cannot be timed by 'graph'",
       [](auto& request) { request.plan.clock = base::TimingMethod::graph; }},
      {"request.workloads", "give at least one", [](auto& request) { request.workloads.clear(); }},
      {"request.incumbent", "a gate or a sweep needs an incumbent",
       [](auto& request) { request.stage = task::Stage::gate; }},
      {"request.incumbent", "a gate or a sweep needs an incumbent",
       [](auto& request) { request.stage = task::Stage::sweep; }},
      {"request.incumbent", "only a gate or a sweep takes an incumbent",
       [](auto& request) { request.incumbent = task::Solution{}; }},
      {"request.sanitizers", "the device is 'cpu'",
       [](auto& request) { request.plan.sanitizers = {task::Sanitizer::memcheck}; }},
      {"", "batch_size", [](auto& request) { request.workloads[1].axes = {{"batch_size", 0}}; }},
      {"", "batch", [](auto& request) { request.workloads[1].axes = {{"batch", 3}}; }},
      {"definition.not_runnable", "is empty", [](auto& request) { request.definition.outputs.clear(); }},
      {"definition.not_runnable", "write the constant's value",
       [](auto& request) { request.definition.axes.front().second.unresolved = true; }},
      {"definition.not_runnable", "leaves out",
       [](auto& request) { request.workloads[0].inputs.erase(request.workloads[0].inputs.begin()); }},
      {"operator.interface", "is float64",
       [](auto& request) { request.definition.outputs.front().second.dtype = tensor::DType::float64; }}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    task::EvaluationRequest request = checked_request();
    cases[i].change(request);
    const auto means = check_request(request, settings());
    ASSERT_FALSE(means) << i;
    EXPECT_EQ(means.error().owner, base::Owner::input) << i << ": " << means.error().text();
    EXPECT_THAT(means.error().text(), HasSubstr(cases[i].words)) << i;
    if (*cases[i].code != '\0') {
      EXPECT_EQ(means.error().code, cases[i].code) << means.error().text();
    }
  }
}

TEST_F(RequestCheckTest, ADeviceThatIsNotHereIsTheEnvironments) {
  if (device::cuda::has_device()) {
    GTEST_SKIP() << "this machine has a CUDA device";
  }
  task::EvaluationRequest request = checked_request();
  request.device = "cuda:0";
  const auto means = check_request(request, settings());
  ASSERT_FALSE(means);
  EXPECT_EQ(means.error().owner, base::Owner::environment) << means.error().text();
}

TEST_F(RequestCheckTest, AGateWithItsIncumbentIsGood) {
  task::EvaluationRequest request = checked_request();
  request.stage = task::Stage::gate;
  request.incumbent = task::Solution{};
  const auto means = check_request(request, settings());
  EXPECT_TRUE(means) << means.error().text();
}

TEST(WorkerLog, ShowsWhatWasPrintedAsATerminalMay) {
  const auto log = make_worker_log();
  ASSERT_TRUE(log);
  EXPECT_EQ(read_worker_log(*log), "");
  const std::string said = "one\n\x1b[31mred\x01 \xff end\n";
  ASSERT_EQ(write(log->get(), said.data(), said.size()), static_cast<ssize_t>(said.size()));
  const std::string shown = read_worker_log(*log);
  EXPECT_THAT(shown, AllOf(HasSubstr("one\n"), HasSubstr("red"), HasSubstr("end")));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\xff'), std::string::npos);
}

TEST(WorkerLog, OfMuchOnlyTheEndIsShown) {
  const auto log = make_worker_log();
  ASSERT_TRUE(log);
  std::string said;
  for (int line = 0; said.size() < (std::size_t{1} << 20U); ++line) {
    said += "line " + std::to_string(line) + "\n";
  }
  said += "the last one\n";
  ASSERT_EQ(write(log->get(), said.data(), said.size()), static_cast<ssize_t>(said.size()));
  const std::string shown = read_worker_log(*log);
  EXPECT_THAT(shown, AllOf(HasSubstr("the last one\n"), Not(HasSubstr("line 1\n"))));
  EXPECT_GT(shown.size(), std::size_t{32} << 10U);
  EXPECT_LE(shown.size(), (std::size_t{64} << 10U) + 200) << "a line says how much was left out";
}

class WorkerOptionsTest : public RequestCheckTest {
 protected:
  RequestMeans means_of(std::unique_ptr<device::Device> device) {
    RequestMeans means;
    means.device = std::move(device);
    means.layouts.resize(2);
    means.layouts[0].inputs_size = 5'000'000;
    means.layouts[0].outputs_size = 1'000;
    means.layouts[1].inputs_size = 3'000'000;
    means.layouts[1].outputs_size = 4'000'000;  // The larger sum.
    return means;
  }
  worker::WorkerOptions options_of(const task::EvaluationRequest& request, const RequestMeans& means) {
    JudgeSettings judge = settings();
    judge.worker = "/somewhere/assay-worker";
    auto options = worker_options(request, means, judge, log_);
    EXPECT_TRUE(options) << options.error().text();
    return options.value_or(worker::WorkerOptions{});
  }
  static constexpr std::uint64_t kSlack = std::uint64_t{16} << 20U;
  os::Fd log_ = make_worker_log().value();
};

TEST_F(WorkerOptionsTest, OnACpuAddressesAreBoundedByThePlanAndTheLargestLayout) {
  task::EvaluationRequest request = checked_request();
  request.plan.worker_memory_bytes = 1'000'000'000;
  const auto options = options_of(request, means_of(device::make_cpu()));
  const std::uint64_t expected = 1'000'000'000 + 2 * (7'000'000 + kSlack);
  EXPECT_EQ(options.program, "/somewhere/assay-worker");
  EXPECT_EQ(options.log, log_.get());
  EXPECT_EQ(options.memory_bytes, expected);
  EXPECT_EQ(options.limits.address_space_bytes, expected);
  EXPECT_EQ(options.limits.data_bytes, 0U);
  EXPECT_GT(options.limits.file_size_bytes, 0U);
  EXPECT_GT(options.limits.open_files, 0U);
  EXPECT_FALSE(options.access.cuda_ordinal);
}

TEST_F(WorkerOptionsTest, OnAGpuWhatCanBeWrittenToIs) {
  task::EvaluationRequest request = checked_request();
  request.device = "cuda:3";
  request.plan.worker_memory_bytes = 1'000'000'000;
  const auto options = options_of(request, means_of(std::make_unique<RemoteDevice>()));
  EXPECT_EQ(options.limits.address_space_bytes, 0U) << "the driver reserves far more than there is";
  EXPECT_EQ(options.limits.data_bytes, options.memory_bytes);
  EXPECT_EQ(options.access.cuda_ordinal, 3);
  EXPECT_EQ(options.access.library_folders.size(), 1U) << "the driver's alone";
  EXPECT_TRUE(options.access.binds.empty());
}

TEST_F(WorkerOptionsTest, CuptiIsShownOnlyToWhatIsTimedByIt) {
  task::EvaluationRequest request = checked_request();
  request.device = "cuda:3";
  request.plan.clock = base::TimingMethod::cupti;
  RequestMeans means = means_of(std::make_unique<RemoteDevice>());
  means.cupti = folder_.path() / "libcupti.so.13";
  const auto missing = worker_options(request, means, settings(), log_);
  ASSERT_FALSE(missing) << "there is no such file";
  EXPECT_EQ(missing.error().code, "cuda.cupti");
  ASSERT_TRUE(os::write_file_atomic(means.cupti, "library"));
  const auto options = options_of(request, means);
  ASSERT_FALSE(options.access.binds.empty());
  EXPECT_EQ(options.access.binds[0].inside, means.cupti);
  EXPECT_EQ(options.access.library_folders.at(1), folder_.path());
}

// Sets a variable of the environment, or takes it away, for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    put(value);
  }
  ~Environment() { put(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void put(const char* value) const { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

task::Solution cuda_solution(const std::string& entry_point) {
  task::Solution solution;
  solution.spec.language = task::Language::cuda;
  solution.spec.entry_point = entry_point;
  return solution;
}

TEST(ToolchainChoice, TheHostsCompilerBuildsForACpu) {
  const auto chosen = toolchain_for(*device::make_cpu(), task::Solution{}, {});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_EQ(chosen->name, build::find_toolchain()->name);
  EXPECT_EQ(chosen->form, build::ObjectForm::shared_object);
  EXPECT_EQ(chosen->architecture, "");
  const Environment none("ASSAY_CXX", "/no/such/compiler");
  const auto missing = toolchain_for(*device::make_cpu(), task::Solution{}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().owner, base::Owner::environment);
}

TEST(ToolchainChoice, HostCodeForAGpuIsNvccsAlone) {
  const auto nvcc = build::find_nvcc("sm_90a", build::ObjectForm::shared_object);
  const auto chosen = toolchain_for(RemoteDevice(), cuda_solution("kernel.cu::run"), {});
  ASSERT_EQ(chosen.has_value(), nvcc.has_value());
  if (!chosen) {
    EXPECT_EQ(chosen.error().code, nvcc.error().code);
    return;
  }
  EXPECT_EQ(chosen->name, nvcc->name);
  EXPECT_EQ(chosen->form, build::ObjectForm::shared_object);
  EXPECT_EQ(chosen->architecture, "sm_90a");
}

TEST(ToolchainChoice, WithoutNvrtcNvccMakesCubinsUnlessSomebodyChose) {
  JudgeSettings settings;
  settings.nvrtc = "/no/such/assay-nvrtc";
  {
    const Environment nobody("ASSAY_NVRTC", nullptr);
    const auto nvcc = build::find_nvcc("sm_90a", build::ObjectForm::cubin);
    const auto chosen = toolchain_for(RemoteDevice(), cuda_solution("launch.json::run"), settings);
    ASSERT_EQ(chosen.has_value(), nvcc.has_value());
    if (chosen) {
      EXPECT_EQ(chosen->name, nvcc->name);
      EXPECT_EQ(chosen->form, build::ObjectForm::cubin);
    } else {
      EXPECT_EQ(chosen.error().code, nvcc.error().code);
      EXPECT_THAT(chosen.error().text(), HasSubstr("assay-nvrtc")) << "why NVRTC was no help is said too";
    }
  }
  const Environment somebody("ASSAY_NVRTC", "/chosen/libnvrtc.so");
  const auto chosen = toolchain_for(RemoteDevice(), cuda_solution("launch.json::run"), settings);
  ASSERT_FALSE(chosen) << "what somebody chose is not replaced by " << chosen->name;
  EXPECT_EQ(chosen.error().owner, base::Owner::environment);
}

TEST(Fingerprint, NamesWhatDecidesWhetherResultsMayBeCompared) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-fingerprint-").value();
  build::Toolchain toolchain;
  toolchain.version = "a compiler 1.2";
  toolchain.flags = {"-O3", "-shared"};
  toolchain.locations = {"-I", "/a/place"};
  JudgeSettings settings;
  settings.worker = folder.path() / "worker";
  EXPECT_FALSE(fingerprint(RemoteDevice(), toolchain, settings)) << "there is no worker";
  ASSERT_TRUE(os::write_file_atomic(settings.worker, "the worker's bytes"));
  const auto found = fingerprint(RemoteDevice(), toolchain, settings);
  ASSERT_TRUE(found) << found.error().text();
  const auto value_of = [&](std::string_view name) {
    const std::string* value = task::find(*found, name);
    return value != nullptr ? *value : "nothing of this name";
  };
  EXPECT_EQ(value_of("device"), "cuda:3");
  EXPECT_EQ(value_of("gpu"), "a GPU");
  EXPECT_EQ(value_of("toolchain"), "a compiler 1.2");
  EXPECT_EQ(value_of("flags"), "-O3 -shared") << "without the places of this machine";
  EXPECT_EQ(value_of("worker_sha256"), base::sha256("the worker's bytes").hex());
  EXPECT_EQ(value_of("judge_sha256").size(), 64U);
  EXPECT_NE(value_of("judge_sha256"), value_of("worker_sha256"));
  EXPECT_NE(value_of("sandbox_level"), "nothing of this name");
}

class BuildSolutionTest : public RequestCheckTest {
 protected:
  BuiltSolution build_source(const std::string& source, task::Side side) {
    task::Solution solution;
    solution.name = "s";
    solution.definition = kCheckedOf;
    solution.author = "a";
    solution.spec.language = task::Language::cpp;
    solution.spec.target_hardware = {"cpu"};
    solution.spec.entry_point = "kernel.cpp::run";
    solution.sources = {{"kernel.cpp", source}};
    const build::Builder builder(settings().cache, os::Path(ASSAY_BINARY_DIR) / "include",
                                 build::find_toolchain().value(), "");
    auto built = build_solution(builder, checked_request(), solution, side);
    EXPECT_TRUE(built) << built.error().text();
    return built ? std::move(*built) : BuiltSolution{};
  }
};

TEST_F(BuildSolutionTest, HostCodeHasNeitherPlanNorTier) {
  const BuiltSolution built =
      build_source("extern \"C\" int assay_kernel_run() { return 0; }\n", task::Side::candidate);
  EXPECT_TRUE(built.result.record.built) << built.result.log;
  EXPECT_FALSE(built.plan);
  EXPECT_FALSE(built.result.record.tier);
  EXPECT_TRUE(built.findings.empty());
  EXPECT_EQ(built.result.record.toolchain, build::find_toolchain()->name);
  EXPECT_EQ(built.result.record.object_sha256, base::sha256(built.result.object).hex());
}

TEST_F(BuildSolutionTest, WhatTheCompilerRefusesIsToldOfItsSide) {
  for (const task::Side side : {task::Side::candidate, task::Side::incumbent}) {
    const BuiltSolution built = build_source("int run() { return nowhere; }\n", side);
    EXPECT_FALSE(built.result.record.built);
    EXPECT_EQ(built.result.record.object_sha256, "");
    ASSERT_FALSE(built.findings.empty());
    EXPECT_EQ(built.findings[0].kind, "compiler");
    EXPECT_EQ(built.findings[0].side, side);
    EXPECT_THAT(built.findings[0].message, HasSubstr("nowhere"));
  }
}

}  // namespace
}  // namespace assay::evaluate
