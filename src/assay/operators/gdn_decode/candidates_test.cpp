// Builds the example kernels as the harness does, and runs them against the operator's own inputs, reference
// and rules: the baseline and the tunable kernel must pass, and each bad sample must fail in the way that its
// first lines say.
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include <assay/candidate.h>
#include <assay/operators/gdn_decode/trial_for_test.hpp>
#include <assay/task/codec.hpp>
#include <assay/task/expression.hpp>
#include <assay/task/solution.hpp>

namespace assay::operators::gdn_decode {
namespace {

using Parameters = task::Named<std::int64_t>;

const std::string kExamples = ASSAY_SOURCE_DIR "/examples/gdn_decode/";
const std::string kSolutions = ASSAY_SOURCE_DIR "/datasets/contest/solutions/";

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

/// Compiles one example in a folder of its own.
class Candidate {
 public:
  explicit Candidate(const std::string& source, const Parameters& parameters = {}) {
    std::string folder = testing::TempDir() + "assay_candidate_XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) {
      return;
    }
    folder_ = folder;
    const char* compiler = std::getenv("ASSAY_CXX");
    std::string command = fmt::format(
        "{} -std=c++20 -O3 -march=native -fPIC -shared -pthread -fvisibility=hidden -Wall -Wextra "
        "-I'{}/include'",
        compiler == nullptr ? "g++" : compiler, ASSAY_BINARY_DIR);
    for (const auto& [name, value] : parameters) {
      command += fmt::format(" -D{}={}", name, value);
    }
    command += fmt::format(" '{}{}' -o '{}/kernel.so' 2>'{}/log'", kExamples, source, folder_, folder_);
    compiled_ = std::system(command.c_str()) == 0;
    log_ = read_file(folder_ + "/log");
    if (compiled_) {
      library_ = dlopen((folder_ + "/kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      kernel_ =
          library_ == nullptr ? nullptr : reinterpret_cast<assay_kernel_function>(dlsym(library_, "assay_kernel_run"));
    }
  }
  ~Candidate() {
    // The library stays loaded: threads that it parked still run its code.
    if (!folder_.empty()) {
      static_cast<void>(unlink((folder_ + "/kernel.so").c_str()));
      static_cast<void>(unlink((folder_ + "/log").c_str()));
      static_cast<void>(rmdir(folder_.c_str()));
    }
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  [[nodiscard]] bool compiled() const { return compiled_; }
  [[nodiscard]] bool loaded() const { return kernel_ != nullptr; }
  [[nodiscard]] const std::string& log() const { return log_; }

  /// Calls the kernel as the worker does; its return value.
  int run(Trial& trial) const {
    std::vector<DLTensor> tensors(std::size_t{kInputCount} + std::size_t{kOutputCount});
    std::vector<assay_argument> inputs;
    std::vector<assay_argument> outputs;
    std::size_t next = 0;
    const auto tensor_argument = [&](tensor::View& view) {
      DLTensor& dl = tensors[next++];
      dl.data = view.bytes.data();
      dl.device = {kDLCPU, 0};
      dl.ndim = static_cast<std::int32_t>(view.shape.size());
      dl.dtype = view.dtype == tensor::DType::float32 ? DLDataType{kDLFloat, 32, 1} : DLDataType{kDLBfloat, 16, 1};
      dl.shape = view.shape.data();
      assay_argument argument{};
      argument.kind = ASSAY_TENSOR;
      argument.value.tensor = &dl;
      return argument;
    };
    for (std::size_t i = 0; i < kScale; ++i) {
      inputs.push_back(tensor_argument(trial.input(i)));
    }
    assay_argument scale{};
    scale.kind = ASSAY_FLOAT;
    scale.value.float_value = trial.scale();
    inputs.push_back(scale);
    for (std::size_t i = 0; i < kOutputCount; ++i) {
      outputs.push_back(tensor_argument(trial.output(i)));
    }
    const assay_call call{ASSAY_ABI_VERSION, kInputCount, kOutputCount, 0, inputs.data(), outputs.data(), nullptr};
    return kernel_(&call);
  }

 private:
  std::string folder_;
  std::string log_;
  bool compiled_ = false;
  void* library_ = nullptr;
  assay_kernel_function kernel_ = nullptr;
};

void fill(Trial& trial, std::uint64_t call, task::InputSpec scale = task::ScalarInput{kUsualScale}) {
  static const auto generator = instance().make_generator(77);
  generator->fill(make_workload(trial.batch_size(), "candidates", std::move(scale)), call, trial.arguments());
  trial.poison();
}

/// Runs a whole cycle of calls, one and several batch entries, and the scale that means another one.
void expect_correct(const Candidate& candidate) {
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  EXPECT_EQ(candidate.log(), "") << "the examples compile without warnings";
  for (const std::int64_t batch_size : {1, 3}) {
    Trial trial(batch_size);
    for (std::uint64_t call = 0; call < 8; ++call) {
      fill(trial, call);
      ASSERT_EQ(candidate.run(trial), 0);
      ASSERT_EQ(trial.judge(trial.reference()), "") << "batch size " << batch_size << ", call " << call;
    }
  }
  Trial trial(2);
  fill(trial, 0, task::ScalarInput{0.0});
  ASSERT_EQ(candidate.run(trial), 0);
  EXPECT_EQ(trial.judge(trial.reference()), "") << "a scale of 0";
}

TEST(GdnDecodeCandidates, PlainIsCorrect) { expect_correct(Candidate("plain.cpp")); }

TEST(GdnDecodeCandidates, TunableIsCorrectWithItsDefaults) { expect_correct(Candidate("tunable.cpp")); }

/// One choice of each parameter: loop order, rows, vector, unroll, threads, streaming, prefetch.
using Choice = std::array<std::int64_t, 7>;

Parameters parameters_of(const Choice& choice) {
  constexpr std::array<const char*, 7> kNames{"LOOP_ORDER", "BLOCK_V",   "VECTOR_WIDTH", "UNROLL",
                                              "THREADS",    "STREAMING", "PREFETCH_ROWS"};
  Parameters parameters;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    parameters.emplace_back(kNames[i], choice[i]);
  }
  return parameters;
}

class GdnDecodeTunable : public testing::TestWithParam<Choice> {};

TEST_P(GdnDecodeTunable, IsCorrect) { expect_correct(Candidate("tunable.cpp", parameters_of(GetParam()))); }

// Each value of each parameter at least twice, and every loop order with every vector width.
INSTANTIATE_TEST_SUITE_P(Choices, GdnDecodeTunable,
                         testing::Values(Choice{0, 1, 4, 1, 1, 0, 0}, Choice{0, 8, 8, 2, 2, 1, 8},
                                         Choice{0, 16, 16, 2, 1, 1, 32}, Choice{1, 2, 4, 4, 2, 1, 8},
                                         Choice{1, 4, 8, 4, 1, 1, 0}, Choice{1, 16, 16, 1, 2, 0, 32},
                                         Choice{2, 16, 4, 1, 1, 0, 32}, Choice{2, 1, 8, 2, 2, 0, 0},
                                         Choice{2, 2, 16, 2, 2, 1, 8}, Choice{2, 8, 16, 4, 1, 0, 8}),
                         [](const auto& instance_of) { return fmt::format("{}", fmt::join(instance_of.param, "_")); });

task::Solution packed(const std::string& path) {
  auto solution = task::load_solution(read_file(kSolutions + path), path);
  EXPECT_TRUE(solution.has_value()) << solution.error().text();
  return solution.value();
}

task::Solution packed_tunable() {
  return packed("assay/gdn/gdn_decode_qk4_v8_d128_k_last/gdn_decode_tunable_cpu.json");
}

TEST(GdnDecodeSolutions, ArePackedAsTheSchemaWants) {
  const task::Solution plain = packed("baseline/gdn/gdn_decode_qk4_v8_d128_k_last/gdn_decode_plain_cpu.json");
  for (const task::Solution& solution : {plain, packed_tunable()}) {
    EXPECT_EQ(solution.definition, instance().definition_name());
    EXPECT_EQ(solution.entry_symbol(), "run");
    EXPECT_TRUE(solution.spec.destination_passing_style);
    EXPECT_EQ(solution.spec.language, task::Language::cpp);
    ASSERT_EQ(solution.sources.size(), 1U);
    EXPECT_EQ(solution.sources[0].path, solution.entry_file());
  }
  EXPECT_FALSE(plain.tuning.has_value());
  EXPECT_EQ(plain.sources[0].content, read_file(kExamples + "plain.cpp"));
}

/// The value that a source gives to a macro that is not defined, from "#ifndef NAME\n#define NAME value\n".
std::optional<std::int64_t> default_of(const std::string& source, const std::string& name) {
  const std::string start = fmt::format("#ifndef {}\n#define {} ", name, name);
  const std::size_t at = source.find(start);
  return at == std::string::npos ? std::nullopt : std::optional(std::stoll(source.substr(at + start.size())));
}

bool allowed(const task::Tuning& tuning, const Parameters& parameters) {
  return std::all_of(tuning.constraints.begin(), tuning.constraints.end(), [&](const std::string& constraint) {
    const auto value = task::evaluate_expression(constraint, parameters);
    EXPECT_TRUE(value.has_value()) << constraint;
    return value.value_or(0) != 0;
  });
}

TEST(GdnDecodeSolutions, DefaultsAndTestedChoicesAreAllowedOnes) {
  const task::Solution solution = packed_tunable();
  ASSERT_TRUE(solution.tuning.has_value());
  Parameters defaults;
  for (const auto& [name, values] : solution.tuning->parameters) {
    const auto value = default_of(solution.sources[0].content, name);
    ASSERT_TRUE(value.has_value()) << name;
    EXPECT_THAT(values, testing::Contains(*value)) << name;
    defaults.emplace_back(name, *value);
  }
  EXPECT_TRUE(allowed(*solution.tuning, defaults));
  EXPECT_FALSE(allowed(*solution.tuning, parameters_of({0, 16, 4, 4, 1, 0, 0})));
  EXPECT_FALSE(allowed(*solution.tuning, parameters_of({0, 16, 16, 1, 1, 0, 8})));
  EXPECT_FALSE(allowed(*solution.tuning, parameters_of({0, 16, 8, 1, 1, 1, 0})));
}

TEST_P(GdnDecodeTunable, IsAChoiceThatATunerMayMake) {
  const task::Solution solution = packed_tunable();
  const Parameters chosen = parameters_of(GetParam());
  ASSERT_EQ(solution.tuning->parameters.size(), chosen.size());
  for (const auto& [name, value] : chosen) {
    const auto* values = task::find(solution.tuning->parameters, name);
    ASSERT_NE(values, nullptr) << name;
    EXPECT_THAT(*values, testing::Contains(value)) << name;
  }
  EXPECT_TRUE(allowed(*solution.tuning, chosen));
}

/// Runs a kernel in a child with a limit of processor time; the wait status.
int run_in_child(const Candidate& candidate, Trial& trial) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);  // Sanitizers have a handler of their own.
    const rlimit no_core{0, 0};
    const rlimit one_second{1, 1};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &one_second);
    _exit(candidate.run(trial) == 0 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(GdnDecodeBadSamples, SaysWhichOutcomeItMustGet) {
  for (const char* name : {"does_not_compile", "crashes", "never_returns", "forgets_beta", "writes_past_end",
                           "leaves_one_out", "writes_input", "edited_comment"}) {
    const std::string source = read_file(kExamples + "bad/" + name + ".cpp");
    EXPECT_THAT(source, testing::StartsWith("// Wrong: ")) << name;
    EXPECT_THAT(source, testing::HasSubstr("\n// Must get: ")) << name;
  }
}

TEST(GdnDecodeBadSamples, DoesNotCompile) {
  const Candidate candidate("bad/does_not_compile.cpp");
  EXPECT_FALSE(candidate.compiled());
  EXPECT_THAT(candidate.log(), testing::HasSubstr("to_bfloat16"));
}

TEST(GdnDecodeBadSamples, Crashes) {
  const Candidate candidate("bad/crashes.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(1);
  fill(trial, 0);
  const int status = run_in_child(candidate, trial);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(GdnDecodeBadSamples, NeverReturns) {
  const Candidate candidate("bad/never_returns.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(1);
  fill(trial, 0);
  const int status = run_in_child(candidate, trial);
  ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself";
  EXPECT_TRUE(WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) << WTERMSIG(status);
}

TEST(GdnDecodeBadSamples, ForgetsBeta) {
  const Candidate candidate("bad/forgets_beta.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(1);
  for (std::uint64_t call = 0; call < 8; ++call) {
    fill(trial, call);
    ASSERT_EQ(candidate.run(trial), 0);
    EXPECT_NE(trial.judge(trial.reference()), "") << call;
  }
}

TEST(GdnDecodeBadSamples, WritesPastTheEnd) {
  const Candidate candidate("bad/writes_past_end.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(1);
  fill(trial, 0);
  const auto& bytes = trial.output(kNewState).bytes;
  const std::span<std::byte> behind(bytes.data() + bytes.size(), 64);
  std::fill(behind.begin(), behind.end(), std::byte{0xa5});
  ASSERT_EQ(candidate.run(trial), 0);
  EXPECT_EQ(trial.judge(trial.reference()), "") << "what it must write is right";
  EXPECT_TRUE(std::all_of(behind.begin(), behind.begin() + 4, [](std::byte x) { return x == std::byte{0}; }));
  EXPECT_TRUE(std::all_of(behind.begin() + 4, behind.end(), [](std::byte x) { return x == std::byte{0xa5}; }));
}

TEST(GdnDecodeBadSamples, LeavesOneOut) {
  const Candidate candidate("bad/leaves_one_out.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(2);
  fill(trial, 0);
  ASSERT_EQ(candidate.run(trial), 0);
  EXPECT_THAT(trial.judge(trial.reference()),
              testing::AllOf(testing::StartsWith("new_state[1, 7, 127, 127]"), testing::HasSubstr("1 of 262144")));
}

TEST(GdnDecodeBadSamples, WritesItsInput) {
  const Candidate candidate("bad/writes_input.cpp");
  ASSERT_TRUE(candidate.loaded()) << candidate.log();
  Trial trial(1);
  fill(trial, 0);
  const auto expected = trial.reference();
  const std::vector<float> before(trial.float32(kState).begin(), trial.float32(kState).end());
  ASSERT_EQ(candidate.run(trial), 0);
  EXPECT_EQ(trial.judge(expected), "") << "its outputs are right";
  EXPECT_FALSE(std::equal(before.begin(), before.end(), trial.float32(kState).begin()));
}

TEST(GdnDecodeBadSamples, AnEditedCommentIsADuplicateOfPlain) {
  task::Solution plain = packed("baseline/gdn/gdn_decode_qk4_v8_d128_k_last/gdn_decode_plain_cpu.json");
  task::Solution edited = plain;
  edited.sources[0].content = read_file(kExamples + "bad/edited_comment.cpp");
  EXPECT_NE(task::identify(edited).content, task::identify(plain).content);
  EXPECT_EQ(task::identify(edited).normalised, task::identify(plain).normalised);
}

}  // namespace
}  // namespace assay::operators::gdn_decode
