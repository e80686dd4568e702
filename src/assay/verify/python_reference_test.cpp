#include <assay/verify/python_reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <assay/verify/python_for_test.hpp>

namespace assay::verify {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using for_test::definition_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PythonLimits kLimits;

/// Arguments that own their memory.
template <class T>
struct Tensor {
  tensor::DType dtype;
  tensor::Shape shape;
  std::vector<T> values;
  [[nodiscard]] operators::ConstArgument argument() const {
    return tensor::ConstView{"x", dtype, shape, std::as_bytes(std::span(values))};
  }
};

Tensor<float> floats(std::vector<float> values) {
  return {tensor::DType::float32, {static_cast<std::int64_t>(values.size())}, std::move(values)};
}

class PythonReferenceTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_MODULE("numpy"); }

  /// Runs `body` (of run(x, s)) on x = values, s = scalar.
  base::Result<std::vector<operators::ExpectedValues>> run(const std::string& body, const std::vector<float>& values,
                                                           operators::Scalar scalar = 2.0,
                                                           const PythonLimits& limits = kLimits) {
    ASSAY_TRY_ASSIGN(
        PythonReference reference,
        PythonReference::start(definition_of("import numpy as np\ndef run(x, s):\n  " + body + "\n"), limits));
    const Tensor<float> x = floats(values);
    std::vector<operators::ExpectedValues> outputs;
    ASSAY_TRY(reference.call({{"n", static_cast<std::int64_t>(values.size())}},
                             std::vector<operators::ConstArgument>{x.argument(), scalar}, outputs));
    return outputs;
  }

  base::Error error_of(const std::string& body, const PythonLimits& limits = kLimits) {
    const auto outputs = run(body, {1, 2}, 2.0, limits);
    EXPECT_FALSE(outputs.has_value()) << body;
    return outputs ? base::Error() : outputs.error();
  }
};

TEST_F(PythonReferenceTest, ComputesInDouble) {
  const auto outputs = run("return x.astype(np.float64) / 3 * s", {1, -2, 0});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  EXPECT_THAT(*outputs, ElementsAre(ElementsAre(1.0 / 3 * 2, -2.0 / 3 * 2, 0)));
}

TEST_F(PythonReferenceTest, OneProcessServesManyCallsOfManyShapes) {
  auto reference = PythonReference::start(definition_of("def run(x, s):\n  return x + s\n"), kLimits);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  EXPECT_THAT(reference->version(), HasSubstr("numpy"));
  std::vector<operators::ExpectedValues> outputs;
  for (std::size_t n = 0; n < 5; ++n) {
    const Tensor<float> x = floats(std::vector<float>(n, 1.5F));
    ASSERT_TRUE(reference
                    ->call({{"n", static_cast<std::int64_t>(n)}},
                           std::vector<operators::ConstArgument>{x.argument(), operators::Scalar(1.0)}, outputs)
                    .has_value());
    EXPECT_THAT(outputs, ElementsAre(operators::ExpectedValues(n, 2.5)));
  }
}

TEST_F(PythonReferenceTest, SpecialValuesAndScalarsComeThrough) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto outputs = run("return x * s", {1, -1, 0}, kInfinity);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  EXPECT_EQ((*outputs)[0][0], kInfinity);
  EXPECT_EQ((*outputs)[0][1], -kInfinity);
  EXPECT_TRUE(std::isnan((*outputs)[0][2]));
  EXPECT_THAT(run("return x if s is True else -x", {1}, true).value(), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(run("return x + s % 10", {0}, std::int64_t{9007199254740993}).value(), ElementsAre(ElementsAre(3)));
}

TEST_F(PythonReferenceTest, LargeTensorsComeThrough) {
  std::vector<float> values(3'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1000);
  }
  const auto outputs = run("return x[::-1]", values);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  ASSERT_EQ((*outputs)[0].size(), values.size());
  EXPECT_EQ((*outputs)[0].front(), 999);
  EXPECT_EQ((*outputs)[0][2'999'995], 4);
}

TEST_F(PythonReferenceTest, EveryTypeHasItsValues) {
  task::Definition definition;
  definition.name = "types";
  definition.axes = {{"n", {}}};
  using Shape = std::vector<std::string>;
  using enum tensor::DType;
  for (const tensor::DType dtype :
       {float16, bfloat16, float8_e4m3fn, float8_e5m2, float4_e2m1, int64, int32, int16, int8, boolean}) {
    const std::string name(tensor::to_string(dtype));
    definition.inputs.emplace_back(name, task::TensorSpec{Shape{"n"}, dtype, std::nullopt});
    definition.outputs.emplace_back(
        "of_" + name, task::TensorSpec{Shape{"n"}, tensor::is_floating(dtype) ? float32 : dtype, std::nullopt});
  }
  definition.reference =
      "import numpy as np\ndef run(*all):\n  return [x.astype(np.float32) if x.dtype.kind == 'f' else x for x in "
      "all]\n";
  auto reference = PythonReference::start(definition, kLimits);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  // All codes of the small types, some of the others.
  constexpr std::size_t kCount = 256;
  std::vector<std::vector<std::byte>> memory;
  std::vector<operators::ConstArgument> arguments;
  for (const auto& [name, spec] : definition.inputs) {
    std::vector<std::byte>& bytes = memory.emplace_back(tensor::byte_size(spec.dtype, kCount));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(spec.dtype == boolean           ? i % 2
                                        : tensor::bits(spec.dtype) <= 8 ? i
                                                                        : i * 37 % 251);
      if (spec.dtype == int64 && i % 8 > 5) {
        bytes[i] = std::byte{0};  // Within 2^53.
      }
    }
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    arguments.emplace_back(tensor::ConstView{"x", definition.inputs[i].second.dtype, {kCount}, memory[i]});
  }
  std::vector<operators::ExpectedValues> outputs;
  const auto done = reference->call({{"n", kCount}}, arguments, outputs);
  ASSERT_TRUE(done.has_value()) << done.error().text();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    for (std::size_t at = 0; at < kCount; ++at) {
      const double right = tensor::element(std::get<tensor::ConstView>(arguments[i]), at);
      ASSERT_TRUE(outputs[i][at] == right || (std::isnan(right) && std::isnan(outputs[i][at])))
          << definition.inputs[i].first << " " << at << ": " << outputs[i][at] << " for " << right;
    }
  }
}

TEST_F(PythonReferenceTest, WhatItRaisesIsAnInputErrorWithTheLastLineAndItsPlace) {
  const base::Error raised = error_of("raise ValueError('no such shape')");
  EXPECT_EQ(raised.owner, base::Owner::input);
  EXPECT_THAT(raised.message, HasSubstr("ValueError: no such shape"));
  EXPECT_THAT(raised.message, HasSubstr("line 3: raise ValueError"));
  EXPECT_THAT(error_of("return x[10]").message, HasSubstr("IndexError"));
  EXPECT_THAT(error_of("import sys; sys.exit(3)").message, HasSubstr("SystemExit: 3"));
}

TEST_F(PythonReferenceTest, AfterAnExceptionItCanBeCalledAgain) {
  auto reference = PythonReference::start(definition_of("def run(x, s):\n  return x if s > 0 else x[99]\n"), kLimits);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  const Tensor<float> x = floats({1});
  const auto call = [&](double s) {
    std::vector<operators::ExpectedValues> outputs;
    return reference->call({{"n", 1}}, std::vector<operators::ConstArgument>{x.argument(), operators::Scalar(s)},
                           outputs);
  };
  EXPECT_FALSE(call(-1).has_value());
  EXPECT_TRUE(call(1).has_value());
}

TEST_F(PythonReferenceTest, OtherOutputsThanTheDefinitionsAreRefused) {
  const auto refused = [this](const std::string& body, const std::string& says) {
    const base::Error error = error_of(body);
    EXPECT_EQ(error.owner, base::Owner::input) << body;
    EXPECT_EQ(error.code, "reference.outputs") << body << ": " << error.text();
    EXPECT_THAT(error.message, HasSubstr(says)) << body;
  };
  refused("return x, x", "returns 2 values, and the definition has 1 outputs");
  refused("return []", "returns 0 values");
  refused("return x[:1]", "output y has the shape [1], and the definition says [2]");
  refused("return x.reshape(1, 2)", "shape [1, 2]");
  refused("return x.astype(np.float16)", "output y has the type float16, and the definition says float32");
  refused("return x.astype(np.int32)", "type int32");
  refused("return None", "shape []");
}

TEST_F(PythonReferenceTest, IntegersAreHeldToTheirRange) {
  task::Definition definition = definition_of("def run(x, s):\n  return x.astype('i8') * 100\n");
  definition.outputs[0].second.dtype = tensor::DType::int8;
  auto reference = PythonReference::start(definition, kLimits);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  std::vector<operators::ExpectedValues> outputs;
  const auto call = [&](float value) {
    const Tensor<float> x = floats({value});
    return reference->call({{"n", 1}}, std::vector<operators::ConstArgument>{x.argument(), operators::Scalar(1.0)},
                           outputs);
  };
  EXPECT_TRUE(call(-1).has_value());
  EXPECT_THAT(outputs, ElementsAre(ElementsAre(-100)));
  EXPECT_THAT(call(2).error().message, HasSubstr("values from 200 to 200, beyond int8"));
}

TEST_F(PythonReferenceTest, WhatDoesNotLoadIsFoundAtTheStart) {
  const auto start = [](const std::string& source) { return PythonReference::start(definition_of(source), kLimits); };
  const auto syntax = start("def run(x, s):\n  return x +\n");
  ASSERT_FALSE(syntax.has_value());
  EXPECT_EQ(syntax.error().owner, base::Owner::input);
  EXPECT_THAT(syntax.error().message, HasSubstr("SyntaxError"));
  EXPECT_THAT(syntax.error().message, HasSubstr("line 2: return x +"));
  EXPECT_THAT(start("x = 1 / 0\ndef run(x, s):\n  return x\n").error().message, HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(start("def go(x, s):\n  return x\n").error().message, HasSubstr("KeyError: 'run'"));
}

TEST_F(PythonReferenceTest, AMissingModuleIsTheEnvironmentsAndNamed) {
  const auto reference =
      PythonReference::start(definition_of("import no_such_module\ndef run(x, s):\n  return x\n"), kLimits);
  ASSERT_FALSE(reference.has_value());
  EXPECT_EQ(reference.error().owner, base::Owner::environment);
  EXPECT_THAT(reference.error().message, HasSubstr("ModuleNotFoundError: No module named 'no_such_module'"));
  EXPECT_THAT(reference.error().message, HasSubstr("ASSAY_PYTHON"));
  if (!for_test::python_has("torch")) {
    const auto torch = PythonReference::start(definition_of("import torch\ndef run(x, s):\n  return x\n"), kLimits);
    ASSERT_FALSE(torch.has_value());
    EXPECT_EQ(torch.error().owner, base::Owner::environment);
    EXPECT_THAT(torch.error().message, HasSubstr("the module 'torch'"));
  }
}

TEST_F(PythonReferenceTest, WhatHangsIsStopped) {
  PythonLimits limits;
  limits.call = 300ms;
  const base::Error error = error_of("\n  while True: pass", limits);
  EXPECT_EQ(error.owner, base::Owner::input);
  EXPECT_THAT(error.message, HasSubstr("took longer than 300"));
  limits = PythonLimits();
  limits.load = 1500ms;
  const auto never = PythonReference::start(definition_of("while True: pass\ndef run(x, s):\n  return x\n"), limits);
  ASSERT_FALSE(never.has_value());
  EXPECT_THAT(never.error().message, HasSubstr("took longer than 1.50 s"));
}

TEST_F(PythonReferenceTest, WhatEndsItsProcessSaysHow) {
  EXPECT_THAT(error_of("import os; os._exit(7)").message, HasSubstr("ended by itself: exit code 7"));
  const base::Error killed = error_of("import os; print('last words', flush=True); os.kill(os.getpid(), 11)");
  EXPECT_THAT(killed.message, HasSubstr("signal 11"));
  EXPECT_THAT(killed.message, HasSubstr("last words"));
}

TEST_F(PythonReferenceTest, MemoryIsLimited) {
  PythonLimits limits;
  limits.memory_bytes = std::uint64_t{512} << 20U;
  const base::Error error = error_of("return x + np.ones(1 << 31, np.uint8).sum() * 0", limits);
  EXPECT_EQ(error.owner, base::Owner::input);
  EXPECT_THAT(error.message, ::testing::AnyOf(HasSubstr("MiB of memory"), HasSubstr("GiB of memory")));
}

TEST_F(PythonReferenceTest, ThereIsNoNetworkAndNothingCanBeWritten) {
  EXPECT_THAT(error_of("import socket; socket.socket()").message, HasSubstr("PermissionError"));
  const base::Error written = error_of("open('/usr/lib/written', 'w')");
  EXPECT_THAT(written.message, ::testing::AnyOf(HasSubstr("Read-only file system"), HasSubstr("PermissionError")));
  EXPECT_THAT(error_of("open('" ASSAY_SOURCE_DIR "/README.md')").message,
              ::testing::AnyOf(HasSubstr("FileNotFoundError"), HasSubstr("PermissionError")));
}

TEST_F(PythonReferenceTest, WhatItPrintsIsBounded) {
  const auto outputs = run("print('x' * (4 << 20)); print('y' * (4 << 20)); return x", {1});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
}

TEST_F(PythonReferenceTest, FramesThatItForgesAreRefused) {
  for (const char* frame : {"struct.pack('<QQ', 1 << 60, 0)", "struct.pack('<QQ', 2, 1 << 60) + b'{}'",
                            "struct.pack('<QQ', 2, 0) + b'[]'", "struct.pack('<QQ', 3, 0) + b'{]}'",
                            "struct.pack('<QQ', 2, 0) + b'{}'", "struct.pack('<QQ', 12, 0) + b'{\"failed\": 3}'",
                            "struct.pack('<QQ', 18, 8) + b'{\"outputs\": [\"f\"]} ' [:18] + bytes(8)"}) {
    const base::Error error = error_of(std::string("import os, struct; os.write(3, ") + frame + ")");
    EXPECT_EQ(error.owner, base::Owner::input) << frame;
    EXPECT_THAT(error.message, HasSubstr("answered")) << frame;
  }
}

}  // namespace
}  // namespace assay::verify
