#include <assay/os/sandbox/cgroup.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <assay/os/sandbox/actor_for_test.hpp>

namespace assay::os {
namespace {

using ::testing::ElementsAre;

// Hierarchies imitated by plain folders.
class CgroupPlaceTest : public ::testing::Test {
 protected:
  CgroupPlaceTest() : folder_(std::move(*TemporaryDirectory::create(::testing::TempDir(), "assay-cgroup-"))) {}

  Path make(const Path& path, const std::string& handed_down = "") {
    std::filesystem::create_directories(folder_.path() / path);
    if (!handed_down.empty()) {
      std::ofstream(folder_.path() / path / "cgroup.subtree_control") << handed_down << '\n';
    }
    return folder_.path() / path;
  }

  std::string mount(const std::string& at, const std::string& type, const std::string& options,
                    const std::string& root = "/") const {
    return "30 20 0:28 " + root + " " + (folder_.path() / at).string() + " rw,relatime - " + type + " cgroup " +
           options + "\n";
  }

  TemporaryDirectory folder_;
};

TEST_F(CgroupPlaceTest, Version2NeedsMemoryAndPidsHandedDown) {
  const Path ours = make("unified/user/ours", "cpu memory pids");
  const auto place = find_cgroup_place("0::/user/ours\n", mount("unified", "cgroup2", "rw"));
  ASSERT_TRUE(place) << place.error().text();
  EXPECT_EQ(place->version, CgroupPlace::Version::v2);
  EXPECT_THAT(place->folders, ElementsAre(ours));

  make("poor/user/ours", "cpu pids");
  EXPECT_FALSE(find_cgroup_place("0::/user/ours\n", mount("poor", "cgroup2", "rw")));
}

TEST_F(CgroupPlaceTest, Version1NeedsBothHierarchies) {
  const Path memory = make("memory/a");
  const Path pids = make("pids");
  const Path cpu = make("cpu/b");
  const std::string mounts = mount("memory", "cgroup", "rw,memory") + mount("pids", "cgroup", "rw,pids") +
                             mount("cpu", "cgroup", "rw,cpu,cpuacct");
  const auto place = find_cgroup_place("4:memory:/a\n3:cpu,cpuacct:/b\n2:pids:/\n0::/\n", mounts);
  ASSERT_TRUE(place) << place.error().text();
  EXPECT_EQ(place->version, CgroupPlace::Version::v1);
  EXPECT_THAT(place->folders, ElementsAre(memory, pids));
  EXPECT_EQ(place->cpu, cpu);

  const auto half = find_cgroup_place("4:memory:/a\n", mounts);
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().owner, base::Owner::environment);
}

TEST_F(CgroupPlaceTest, APartOfAHierarchyThatIsMountedIsFollowed) {
  const Path inner = make("part/inner", "memory pids");
  const std::string mounts = mount("part", "cgroup2", "rw", "/docker/123");
  const auto place = find_cgroup_place("0::/docker/123/inner\n", mounts);
  ASSERT_TRUE(place);
  EXPECT_THAT(place->folders, ElementsAre(inner));
  EXPECT_FALSE(find_cgroup_place("0::/elsewhere\n", mounts));
}

TEST_F(CgroupPlaceTest, NonsenseIsNoPlace) {
  EXPECT_FALSE(find_cgroup_place("", ""));
  EXPECT_FALSE(find_cgroup_place("::::\nx\n", "- - -\n a - cgroup2\n"));
}

TEST(Cgroup, IsMadeWithItsLimitsAndRemoved) {
  ASSAY_NEEDS_MECHANISM(Mechanism::cgroup);
  std::vector<Path> folders;
  {
    const auto cgroup = Cgroup::create(*sandbox_support().cgroups, {std::uint64_t{32} << 20U, 7, 0.5});
    ASSERT_TRUE(cgroup) << cgroup.error().text();
    folders = cgroup->folders();
    EXPECT_EQ(cgroup->procs().size(), folders.size());
    EXPECT_FALSE(cgroup->out_of_memory());
    bool found = false;
    for (const Path& folder : folders) {
      const auto text = read_file(folder / "pids.max");
      found = found || (text && *text == "7\n");
    }
    EXPECT_TRUE(found);
  }
  EXPECT_EQ(folders.size(), sandbox_support().cgroups->folders.size() + (sandbox_support().cgroups->cpu ? 1U : 0U));
  for (const Path& folder : folders) {
    EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  }
}

TEST(Cgroup, AMovedFromOneRemovesNothing) {
  ASSAY_NEEDS_MECHANISM(Mechanism::cgroup);
  auto first = Cgroup::create(*sandbox_support().cgroups, {});
  ASSERT_TRUE(first);
  const Path folder = first->folders().front();
  const Cgroup second = std::move(*first);
  first = base::environment_error("gone", "gone");
  EXPECT_TRUE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace assay::os
