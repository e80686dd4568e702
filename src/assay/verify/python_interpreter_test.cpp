#include <assay/verify/python_interpreter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <assay/verify/python_for_test.hpp>

namespace assay::verify {
namespace {

TEST(PythonInterpreter, IsFoundAndRuns) {
  const auto python = find_python();
  ASSERT_TRUE(python.has_value()) << python.error().text();
  EXPECT_TRUE(python->program.is_absolute());
  EXPECT_TRUE(for_test::python_has("json"));
  EXPECT_FALSE(for_test::python_has("no_such_module"));
  EXPECT_FALSE(python->binds.empty());
}

TEST(PythonInterpreter, TheVariableDecides) {
  const for_test::SetVariable variable("ASSAY_PYTHON", "/bin/sh");
  EXPECT_EQ(find_python().value().program, "/bin/sh");
}

TEST(PythonInterpreter, AVariableThatNamesNoProgramIsAnEnvironmentError) {
  for (const char* value : {"python3", "/nowhere/python3", "/usr"}) {
    const for_test::SetVariable variable("ASSAY_PYTHON", value);
    const auto python = find_python();
    ASSERT_FALSE(python.has_value()) << value;
    EXPECT_EQ(python.error().owner, base::Owner::environment);
    EXPECT_THAT(python.error().message, ::testing::HasSubstr(value));
    EXPECT_THAT(python.error().message, ::testing::HasSubstr("ASSAY_PYTHON"));
  }
}

TEST(PythonInterpreter, AVirtualEnvironmentIsShown) {
  const auto folder = os::TemporaryDirectory::create(::testing::TempDir(), "venv-").value();
  ASSERT_TRUE(os::create_directories(folder.path() / "bin").has_value());
  ASSERT_TRUE(os::write_file_atomic(folder.path() / "pyvenv.cfg", "").has_value());
  std::filesystem::create_symlink(find_python().value().program, folder.path() / "bin" / "python3");
  const for_test::SetVariable variable("ASSAY_PYTHON", (folder.path() / "bin" / "python3").string());
  const auto python = find_python();
  ASSERT_TRUE(python.has_value()) << python.error().text();
  EXPECT_THAT(python->binds, ::testing::Contains(::testing::Field(&os::SandboxBind::inside, folder.path())));
}

}  // namespace
}  // namespace assay::verify
