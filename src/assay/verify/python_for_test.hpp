#pragma once

#include <cstdlib>
#include <string>

#include <assay/os/process.hpp>
#include <assay/task/definition.hpp>
#include <assay/verify/python_interpreter.hpp>

namespace assay::verify::for_test {

/// Test only: whether the Python that references get has this module.
inline bool python_has(const std::string& module) {
  const auto python = find_python();
  if (!python) {
    return false;
  }
  os::ProcessOptions options;
  options.argv = {python->program.string(), "-I", "-c", "import " + module};
  const auto result = os::run_command(options, std::chrono::seconds(60), 1000);
  return result && result->status.success();
}

/// Test only: y = f(x, s) with x float32 [n], s a scalar, y float32 [n].
inline task::Definition definition_of(const std::string& reference) {
  using Shape = std::vector<std::string>;
  task::Definition definition;
  definition.name = "of_test";
  definition.op_type = "test";
  definition.axes = {{"n", {}}};
  definition.inputs = {{"x", {Shape{"n"}, tensor::DType::float32, std::nullopt}},
                       {"s", {std::nullopt, tensor::DType::float32, std::nullopt}}};
  definition.outputs = {{"y", {Shape{"n"}, tensor::DType::float32, std::nullopt}}};
  definition.reference = reference;
  return definition;
}

/// Sets an environment variable while it lives.
class SetVariable {
 public:
  SetVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
    }
    ::setenv(name, value.c_str(), 1);
  }
  ~SetVariable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace assay::verify::for_test

/// Ends a test that needs a module that is not installed, saying so.
#define ASSAY_NEEDS_MODULE(NAME)                                                                   \
  if (!assay::verify::for_test::python_has(NAME)) {                                                \
    GTEST_SKIP() << "the Python that references get has no " NAME " (deps/apt.txt, section test)"; \
  }
