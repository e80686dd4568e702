#include <assay/os/process_usage.hpp>

#include <gtest/gtest.h>

#include <assay/os/process.hpp>
#include <assay/os/test_processes.hpp>

namespace assay::os {
namespace {

using std::chrono::milliseconds;

TEST(ProcessUsage, ABusyChildIsSeenAndAnIdleOneIsNot) {
  for (const Containment containment : {best_containment(), Containment::process_group}) {
    auto busy = Process::spawn(testing::shell("while :; do :; done", containment));
    auto idle = Process::spawn(testing::shell("sleep 1000", containment));
    ASSERT_TRUE(busy.has_value() && idle.has_value());
    EXPECT_TRUE(testing::becomes_true([&] { return usage_of_tree(busy->pid()).cpu > milliseconds(50); }));
    EXPECT_LT(usage_of_tree(idle->pid()).cpu, milliseconds(50));
  }
}

TEST(ProcessUsage, CountsDescendants) {
  auto process = Process::spawn(testing::shell("sleep 1000 & sleep 1000 & wait", best_containment()));
  ASSERT_TRUE(process.has_value());
  const int more = best_containment() == Containment::pid_namespace ? 1 : 0;  // the init
  EXPECT_TRUE(testing::becomes_true([&] { return usage_of_tree(process->pid()).processes == 3 + more; }));
  EXPECT_EQ(usage_of_tree(process->pid()).threads, 3 + more);
}

TEST(ProcessUsage, NothingIsSeenOfAProcessThatIsGone) {
  auto process = Process::spawn(testing::shell("exit 0", best_containment()));
  ASSERT_TRUE(process.has_value());
  const int pid = process->pid();
  ASSERT_TRUE(process->wait_for(std::chrono::seconds(10)).has_value());
  EXPECT_EQ(usage_of_tree(pid).processes, 0);
}

}  // namespace
}  // namespace assay::os
