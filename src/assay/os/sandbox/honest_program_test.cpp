// What an honest kernel does must work inside.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/os/sandbox/actor_for_test.hpp>

namespace assay::os {
namespace {

using testing::ask_actor;
using ::testing::StartsWith;

TEST(HonestProgram, StartsManyThreads) { EXPECT_EQ(ask_actor({"threads", "64"}), "ok 64"); }

TEST(HonestProgram, AllocatesMuch) { EXPECT_EQ(ask_actor({"allocate", "256"}), "ok 65536"); }

TEST(HonestProgram, HasALocaleThatKnowsUnicode) { EXPECT_EQ(ask_actor({"locale"}), "ok C.UTF-8"); }

TEST(HonestProgram, ReadsItsOwnBinary) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_proc);
  EXPECT_EQ(ask_actor({"own-binary"}), "ok");
}

TEST(HonestProgram, MapsMemoryThatItExecutes) { EXPECT_EQ(ask_actor({"map-executable"}), "ok"); }

TEST(HonestProgram, WritesTemporaryFiles) {
  ASSAY_NEEDS_MECHANISM(Mechanism::private_root);
  EXPECT_EQ(ask_actor({"write", "/tmp/notes"}), "ok");
  EXPECT_EQ(ask_actor({"list", "/tmp"}), "ok") << "those of an earlier run are gone";
}

TEST(HonestProgram, LeavesFilesInAFolderThatIsLentToIt) {
  const auto made = TemporaryDirectory::create(::testing::TempDir(), "assay-lent-");
  ASSERT_TRUE(made);
  const Path lent = made->path() / "lent";
  ASSERT_TRUE(os::create_directories(lent));
  std::filesystem::permissions(lent, std::filesystem::perms::all);
  ASSERT_TRUE(write_file_atomic(made->path() / "private", "x"));
  SandboxOptions options = testing::actor_sandbox();
  options.binds.insert(options.binds.begin(), {lent, "/lent", SandboxBind::Use::write});
  EXPECT_EQ(testing::run_actor({"write", seen_path(lent, "/lent").string() + "/left"}, options).output, "ok \n");
  EXPECT_EQ(read_file(lent / "left").value(), "x");
  // What lies beside it is not lent, and what is shown to be read is not written to.
  EXPECT_NE(testing::run_actor({"write", (made->path() / "private").string()}, options).output, "ok \n");
  options.binds.front().use = SandboxBind::Use::read;
  EXPECT_NE(testing::run_actor({"write", seen_path(lent, "/lent").string() + "/more"}, options).output, "ok \n");
}

TEST(HonestProgram, ReadsRandomBytes) { EXPECT_EQ(ask_actor({"read", "/dev/urandom"}), "ok"); }

TEST(HonestProgram, ForksAFewChildren) { EXPECT_EQ(ask_actor({"fork-many", "8"}), "ok"); }

TEST(HonestProgram, KeepsItsExitCodeAndSignal) {
  EXPECT_EQ(testing::run_actor({"no such action"}, testing::actor_sandbox()).status.code, 99);
  const ExitStatus status = testing::run_actor({"abort"}, testing::actor_sandbox()).status;
  EXPECT_TRUE(status.signalled);
  EXPECT_EQ(status.code, SIGABRT);
}

TEST(HonestProgram, RunsWithEachMechanismLeftOut) {
  for (const MechanismEntry& entry : kMechanisms) {
    MechanismSet out = {entry.mechanism};
    if (entry.mechanism == Mechanism::user_namespace && sandbox_support().clones_user) {
      continue;  // Everything else hangs on it.
    }
    EXPECT_THAT(ask_actor({"threads", "2"}, out), StartsWith("ok 2")) << "without " << entry.name;
  }
}

}  // namespace
}  // namespace assay::os
