#include <assay/os/sandbox/options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <assay/os/sandbox/detect.hpp>
#include <assay/os/sandbox/private_root.hpp>

namespace assay::os {
namespace {

TEST(RuntimeBinds, HoldTheLoaderAndTheRuntimesAndNothingThatIsMissing) {
  std::set<std::string> names;
  for (const SandboxBind& bind : runtime_binds()) {
    EXPECT_TRUE(std::filesystem::exists(bind.host)) << bind.host;
    EXPECT_TRUE(bind.inside.is_absolute());
    EXPECT_TRUE(names.insert(bind.inside.string()).second) << "twice: " << bind.inside;
    const bool is_loader = bind.inside.filename().string().starts_with("ld-linux");
    EXPECT_EQ(bind.use == SandboxBind::Use::execute, is_loader) << bind.inside;
  }
  const auto has = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& path) { return path.ends_with("/" + name); });
  };
  EXPECT_TRUE(has("libc.so.6"));
  EXPECT_TRUE(has("libm.so.6"));
}

TEST(ToolchainBinds, ShowTheSystemsAndTheCompilersFoldersOnly) {
  for (const SandboxBind& bind : toolchain_binds("/usr/bin/g++")) {
    const std::string top = (*std::next(bind.host.begin())).string();
    EXPECT_THAT(top, ::testing::AnyOf("usr", "lib", "lib32", "lib64", "bin", "sbin", "etc"));
  }
}

TEST(ToolchainBinds, ACompilerInAFolderOfAHomeDoesNotShowTheHome) {
  const auto home = TemporaryDirectory::create(::testing::TempDir(), "assay-home-");
  std::filesystem::create_directories(home->path() / "bin");
  std::filesystem::copy_file("/bin/true", home->path() / "bin" / "g++");
  const SandboxBind last = toolchain_binds(home->path() / "bin" / "g++").back();
  EXPECT_EQ(last.inside.filename(), "bin");
  std::filesystem::create_directories(home->path() / "lib" / "gcc");
  EXPECT_EQ(toolchain_binds(home->path() / "bin" / "g++").back().inside, std::filesystem::canonical(home->path()));
}

TEST(ToolchainBinds, NvccShowsTheTreeOfItsToolkit) {
  const auto home = TemporaryDirectory::create(::testing::TempDir(), "assay-cuda-");
  std::filesystem::create_directories(home->path() / "bin");
  std::filesystem::create_directories(home->path() / "nvvm");
  std::filesystem::copy_file("/bin/true", home->path() / "bin" / "nvcc");
  EXPECT_EQ(toolchain_binds(home->path() / "bin" / "nvcc").back().inside, std::filesystem::canonical(home->path()));
}

TEST(PlanRoot, MakesParentsBeforeChildrenAndLeavesTheOldRootLast) {
  SandboxOptions options;
  options.binds = {{"/bin/true", "/a/b/program", SandboxBind::Use::execute}, {"/usr/bin", "/a/tools"}};
  options.folders = {{"", "/scratch/deep", 4096}};
  const auto steps = plan_root(options, ShowProc::no);
  ASSERT_TRUE(steps);
  std::set<std::string> made;
  for (const RootStep& step : *steps) {
    const std::string parent = Path(step.inside).parent_path().string();
    EXPECT_TRUE(parent.empty() || made.count(parent) == 1) << step.inside;
    made.insert(step.inside);
  }
  EXPECT_EQ(steps->back().kind, RootStep::Kind::leave_old_root);
  EXPECT_EQ(made.count("scratch/deep"), 1U);
}

TEST(PlanRoot, WhatIsBoundBeneathAWritableFolderIsNotCovered) {
  SandboxOptions options;
  options.binds = {{"/bin/true", "/tmp/checkout/bin/program", SandboxBind::Use::execute}};
  options.folders = {{"", "/tmp", 1 << 20}};
  const auto steps = plan_root(options, ShowProc::no);
  ASSERT_TRUE(steps);
  const auto at = [&](RootStep::Kind kind, const std::string& inside) {
    return std::find_if(steps->begin(), steps->end(),
                        [&](const RootStep& step) { return step.kind == kind && step.inside == inside; });
  };
  ASSERT_NE(at(RootStep::Kind::writable, "tmp"), steps->end());
  EXPECT_LT(at(RootStep::Kind::writable, "tmp"), at(RootStep::Kind::bind, "tmp/checkout/bin/program"));
}

TEST(PlanRoot, ShowsTheDevicesThatAreAskedForAndThere) {
  SandboxOptions options;
  options.devices = {"/dev/full", "/dev/no-such-device", "/etc/passwd"};
  const auto steps = plan_root(options, ShowProc::no);
  ASSERT_TRUE(steps);
  std::set<std::string> devices;
  for (const RootStep& step : *steps) {
    if (step.kind == RootStep::Kind::device) {
      devices.insert(step.inside);
    }
  }
  EXPECT_EQ(devices, (std::set<std::string>{"dev/full", "dev/null", "dev/urandom", "dev/zero"}));
}

TEST(PlanRoot, ProcIsShownOnlyWhereItIsOurs) {
  const auto shows_proc = [](ShowProc show) {
    const auto steps = plan_root({}, show);
    return std::any_of(steps->begin(), steps->end(), [](const RootStep& step) { return step.source == "proc"; });
  };
  EXPECT_TRUE(shows_proc(ShowProc::yes));
  EXPECT_FALSE(shows_proc(ShowProc::no));
}

TEST(SeenPath, IsTheInsideOneWhereThereIsAPrivateRoot) {
  const bool has_root = sandbox_support().report.applied.has(Mechanism::private_root);
  EXPECT_EQ(seen_path("/host", "/inside"), has_root ? Path("/inside") : Path("/host"));
}

}  // namespace
}  // namespace assay::os
