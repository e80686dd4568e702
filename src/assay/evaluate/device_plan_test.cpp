#include <assay/evaluate/device_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <assay/build/cuda_toolchain.hpp>
#include <assay/device/cuda/driver.hpp>
#include <assay/evaluate/call_answer.hpp>
#include <assay/evaluate/call_description.hpp>
#include <assay/evaluate/contestant_build.hpp>
#include <assay/evaluate/contestant_loading.hpp>
#include <assay/evaluate/judge.hpp>
#include <assay/operators/trial_for_test.hpp>
#include <assay/task/codec.hpp>

namespace assay::evaluate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDecode = "gdn_decode_qk4_v8_d128_k_last";

std::string content_of(const std::string& path) { return os::read_file(os::Path(ASSAY_SOURCE_DIR) / path).value(); }

task::Solution example() {
  task::Solution solution;
  solution.name = "device_only";
  solution.definition = kDecode;
  solution.author = "a";
  solution.spec.language = task::Language::cuda;
  solution.spec.target_hardware = {"cuda"};
  solution.spec.entry_point = "launch.json::run";
  solution.sources = {{"kernel.cu", content_of("examples/gdn_decode/device_only.cu")},
                      {"launch.json", content_of("examples/gdn_decode/device_only.launch.json")}};
  return solution;
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
}

task::EvaluationRequest request_for(const std::string& device) {
  task::EvaluationRequest request;
  request.id = "d-1";
  request.stage = task::Stage::measure;
  request.device = device;
  request.seed = 7;
  request.definition =
      task::load_definition(content_of(std::string("datasets/contest/definitions/gdn/") + kDecode + ".json"), kDecode)
          .value();
  task::Workload workload;
  workload.uuid = "w";
  workload.axes = {{"batch_size", 3}};
  for (const auto& [name, spec] : request.definition.inputs) {
    workload.inputs.emplace_back(name, spec.shape ? task::InputSpec(task::RandomInput{}) : task::ScalarInput{0.5});
  }
  request.workloads = {workload};
  request.candidate = example();
  return request;
}

class DevicePlanTest : public ::testing::Test {
 protected:
  // Builds with NVRTC and with nvcc, whichever there are here.
  BuiltSolution build_with(const base::Result<build::Toolchain>& toolchain, const task::Solution& solution) {
    const build::Builder builder(folder_.path() / "cache", os::Path(ASSAY_BINARY_DIR) / "include", *toolchain, "");
    auto built = build_solution(builder, request_, solution, task::Side::candidate);
    EXPECT_TRUE(built) << built.error().text();
    return built ? std::move(*built) : BuiltSolution{};
  }
  static base::Result<build::Toolchain> nvrtc() {
    return build::find_nvrtc(os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-nvrtc", "sm_90a");
  }

  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-device-plan-").value();
  task::EvaluationRequest request_ = request_for("cuda:0");
};

TEST_F(DevicePlanTest, ACallSaysEveryLaunchInNumbers) {
  const auto plan = read_device_plan(example(), request_.definition, request_.workloads);
  ASSERT_TRUE(plan) << plan.error().text();
  operators::OperatorTrial trial(*operators::find_operator(kDecode), request_.workloads[0]);
  operators::find_operator(kDecode)->make_generator(0)->fill(request_.workloads[0], 0, trial.arguments());
  const auto layout = verify::make_layout(request_.definition, request_.workloads[0]).value();
  Contestant contestant;
  contestant.plan = *plan;
  const auto axes = task::resolve_axes(request_.definition, request_.workloads[0].axes).value();
  const auto call = describe_call(contestant, request_.definition, axes, layout, trial.arguments(), {});
  ASSERT_TRUE(call) << call.error().text();
  EXPECT_EQ(call->scratch_bytes, 3U * 8 * 8);
  ASSERT_EQ(call->launches.size(), 2U);
  EXPECT_THAT(call->launches[1].grid, ElementsAre(4, 24, 1));
  EXPECT_THAT(call->launches[1].block, ElementsAre(128, 1, 1));
  ASSERT_EQ(call->launches[1].arguments.size(), 8U);
  EXPECT_EQ(std::get<worker::TensorPointer>(call->launches[1].arguments[6]).argument, 9) << "behind nine inputs";
  EXPECT_EQ(std::get<worker::KernelValue>(call->launches[1].arguments[5]).bits, 0x3f000000U) << "the scale, 0.5";
  EXPECT_EQ(std::get<worker::KernelValue>(call->launches[0].arguments[5]).bits, 24U);
  // And the worker understands it.
  const auto decoded = worker::decode_call(worker::encode(*call));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->launches.size(), 2U);
}

TEST_F(DevicePlanTest, AHostsCallHasNoLaunches) {
  const auto layout = verify::make_layout(request_.definition, request_.workloads[0]).value();
  operators::OperatorTrial trial(*operators::find_operator(kDecode), request_.workloads[0]);
  const auto axes = task::resolve_axes(request_.definition, request_.workloads[0].axes).value();
  const auto call = describe_call(Contestant{}, request_.definition, axes, layout, trial.arguments(), {});
  ASSERT_TRUE(call) << call.error().text();
  EXPECT_TRUE(call->launches.empty());
}

TEST_F(DevicePlanTest, BothCompilersMakeACubinOfTheExample) {
  int compilers = 0;
  for (const auto& toolchain : {nvrtc(), build::find_nvcc("sm_90a", build::ObjectForm::cubin)}) {
    if (toolchain) {
      const BuiltSolution built = build_with(toolchain, example());
      ASSERT_TRUE(built.result.record.built) << built.result.log;
      EXPECT_EQ(built.result.record.tier, task::Tier::device_only);
      EXPECT_TRUE(built.result.object.starts_with("\177ELF"));
      ASSERT_TRUE(built.plan);
      const worker::LoadKernelsRequest load = kernels_of(*built.plan);
      ASSERT_EQ(load.kernels.size(), 2U);
      EXPECT_EQ(load.kernels[0].name, "gates");
      EXPECT_THAT(load.kernels[0].argument_sizes, ElementsAre(8, 8, 8, 8, 8, 4));
      EXPECT_EQ(load.kernels[1].name, "decode");
      ++compilers;
    }
  }
  if (compilers == 0) {
    GTEST_SKIP() << "neither NVRTC nor nvcc here, so no cubin is made";
  }
}

TEST_F(DevicePlanTest, KernelsAreFoundByTheirNamesInTheSource) {
  if (!nvrtc()) {
    GTEST_SKIP() << "no NVRTC here, so no cubin is made: " << nvrtc().error().message;
  }
  task::Solution solution = example();
  replace(solution.sources[0].content, "extern \"C\" __global__ void gates(", "template <int> __global__ void gates(");
  solution.sources[0].content +=
      "template __global__ void gates<4>(const float*, const unsigned short*, const float*, const unsigned short*, "
      "float2*, int);\n";
  replace(solution.sources[1].content, "\"gates\"", "\"gates<4>\"");
  const BuiltSolution built = build_with(nvrtc(), solution);
  ASSERT_TRUE(built.result.record.built) << built.result.log;
  EXPECT_THAT(built.plan->symbols, ElementsAre(HasSubstr("_Z5gatesILi4E"), "decode"));
}

TEST_F(DevicePlanTest, APlanThatDoesNotHoldIsNotBuiltAndNoCompilerIsAsked) {
  build::Toolchain nothing;
  nothing.form = build::ObjectForm::cubin;
  nothing.language = task::Language::cuda;
  nothing.compiler = "/bin/false";
  nothing.name = "nothing";
  for (const auto& [what, with, words] :
       {std::tuple{"\"q\"", "\"query\"", "launch.json: /run/launches/1/arguments/0/input: the definition has no input"},
        std::tuple{"[4, \"batch_size", "[4, \"2 ** 62 * batch_size", "does not fit in 64 bits"},
        std::tuple{"\"block\": [128]", "\"block\": [128, 16]", "2048 threads"},
        std::tuple{"\"launches\"", "\"launch\"", "launch.json"}}) {
    task::Solution solution = example();
    replace(solution.sources[1].content, what, with);
    const BuiltSolution built = build_with(nothing, solution);
    EXPECT_FALSE(built.result.record.built);
    ASSERT_EQ(built.findings.size(), 1U);
    EXPECT_EQ(built.findings[0].kind, "launch_plan");
    EXPECT_THAT(built.findings[0].message, HasSubstr(words));
    EXPECT_THAT(built.result.log, HasSubstr(words));
    EXPECT_FALSE(built.plan);
  }
}

TEST(KernelsRefused, SayWhatToDo) {
  EXPECT_EQ(kernels_refused({worker::LoadStatus::symbol_missing, "gates"}).kind, "kernel_missing");
  EXPECT_THAT(kernels_refused({worker::LoadStatus::symbol_missing, "gates"}).message,
              AllOf(HasSubstr("\"gates\""), HasSubstr("extern \"C\"")));
  EXPECT_EQ(kernels_refused({worker::LoadStatus::arguments_differ, "kernel k has 3"}).kind, "kernel_arguments");
  EXPECT_EQ(kernels_refused({worker::LoadStatus::refused_by_loader, "no"}).kind, "loader");
}

TEST(RefusedLaunch, IsTheCandidatesCrash) {
  worker::CallReply reply;
  reply.refused_launch = 2;
  reply.device_status = 1;
  const auto complaint = complaint_about(reply);
  ASSERT_TRUE(complaint);
  EXPECT_EQ(complaint->outcome, task::Outcome::crashed);
  EXPECT_EQ(complaint->finding.kind, "launch_refused");
  EXPECT_THAT(complaint->finding.message, HasSubstr("/launches/1"));
}

JudgeSettings settings_in(const os::Path& folder) {
  JudgeSettings settings;
  settings.worker = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-worker";
  settings.nvrtc = os::Path(ASSAY_BINARY_DIR) / "bin" / "assay-nvrtc";
  settings.include = os::Path(ASSAY_BINARY_DIR) / "include";
  settings.cache = folder / "cache";
  return settings;
}

TEST(DeviceOnly, WithoutAGpuItIsRefusedInWords) {
  const auto folder = os::TemporaryDirectory::create(testing::TempDir(), "assay-device-only-").value();
  const auto on_cpu = judge_request(request_for("cpu"), settings_in(folder.path()));
  ASSERT_FALSE(on_cpu);
  EXPECT_EQ(on_cpu.error().owner, base::Owner::input);
  EXPECT_EQ(on_cpu.error().code, "build.language");
  if (!device::cuda::has_device()) {
    const auto on_gpu = judge_request(request_for("cuda:0"), settings_in(folder.path()));
    ASSERT_FALSE(on_gpu);
    EXPECT_EQ(on_gpu.error().owner, base::Owner::environment);
  }
}

class GpuDeviceOnly : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device::cuda::has_device()) {
      GTEST_SKIP() << "no CUDA device here: no device-only solution is judged";
    }
  }
  task::Evaluation judge(const task::EvaluationRequest& request) {
    auto judged = judge_request(request, settings_in(folder_.path()));
    EXPECT_TRUE(judged) << judged.error().text();
    return judged ? std::move(judged->evaluation) : task::Evaluation{};
  }
  os::TemporaryDirectory folder_ = os::TemporaryDirectory::create(testing::TempDir(), "assay-device-only-").value();
};

TEST_F(GpuDeviceOnly, TheExampleIsMeasuredByEveryClock) {
  for (const base::TimingMethod method :
       {base::TimingMethod::events, base::TimingMethod::graph, base::TimingMethod::cupti}) {
    for (const base::CacheState cache : {base::CacheState::cold, base::CacheState::hot}) {
      task::EvaluationRequest request = request_for("cuda:0");
      request.plan.minimum_pairs = 2;
      request.plan.clock = method;
      request.plan.cache = cache;
      const task::Evaluation evaluation = judge(request);
      EXPECT_EQ(evaluation.outcome, task::Outcome::measured) << base::to_string(method) << ": " << evaluation.cause;
      EXPECT_EQ(evaluation.candidate_build.tier, task::Tier::device_only);
      EXPECT_GT(evaluation.checked_calls, 0);
    }
  }
}

TEST_F(GpuDeviceOnly, ItIsHeldAgainstACopyOfItself) {
  task::EvaluationRequest request = request_for("cuda:0");
  request.stage = task::Stage::gate;
  request.incumbent = example();
  request.incumbent->name = "copy";
  const task::Evaluation evaluation = judge(request);
  EXPECT_TRUE(task::is_correct(evaluation.outcome)) << evaluation.cause;
  EXPECT_EQ(evaluation.incumbent_build.value().tier, task::Tier::device_only);
}

}  // namespace
}  // namespace assay::evaluate
