#include <assay/device/cuda/cupti.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <assay/device/cuda/driver.hpp>

namespace assay::device::cuda {
namespace {

class CuptiPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-cupti-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("ASSAY_CUPTI", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ASSAY_CUPTI");
    std::filesystem::remove_all(folder_);
  }
  void put(const std::string& name) const { ASSERT_TRUE(os::write_file_atomic(folder_ / name, "a library")); }
  os::Path folder_;
};

TEST_F(CuptiPlace, AFolderWithoutTheLibraryIsNamed) {
  const auto found = find_cupti();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().owner, base::Owner::environment);
  EXPECT_THAT(found.error().message,
              ::testing::AllOf(::testing::HasSubstr("ASSAY_CUPTI"), ::testing::HasSubstr(folder_.string()),
                               ::testing::HasSubstr("libcupti.so.13")));
  WorkerAccess access;
  EXPECT_FALSE(add_cupti(access, folder_ / "libcupti.so.13"));
  EXPECT_TRUE(access.binds.empty());
}

TEST_F(CuptiPlace, TheNewerLibraryIsTaken) {
  put("libcupti.so.12");
  EXPECT_EQ(find_cupti().value(), folder_ / "libcupti.so.12");
  put("libcupti.so.13");
  EXPECT_EQ(find_cupti().value(), folder_ / "libcupti.so.13");
}

TEST_F(CuptiPlace, AWorkerSeesTheFileBehindTheLinkUnderTheNameOfTheLink) {
  put("libcupti.so.2025.3.1");
  std::filesystem::create_symlink("libcupti.so.2025.3.1", folder_ / "libcupti.so.13");
  WorkerAccess access;
  ASSERT_TRUE(add_cupti(access, find_cupti().value()));
  const auto bind = std::find_if(access.binds.begin(), access.binds.end(),
                                 [&](const os::SandboxBind& one) { return one.inside == folder_ / "libcupti.so.13"; });
  ASSERT_NE(bind, access.binds.end());
  EXPECT_EQ(bind->host, std::filesystem::canonical(folder_ / "libcupti.so.2025.3.1"));
  EXPECT_THAT(access.library_folders, ::testing::Contains(folder_));
}

TEST(Cupti, WithoutADeviceItsOpeningIsTheMachinesFault) {
  if (has_device()) {
    GTEST_SKIP() << "there is a device here: the worker's tests open CUPTI";
  }
  const auto opened = Cupti::open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().owner, base::Owner::environment);
  EXPECT_EQ(opened.error().code, "cuda.cupti");
}

}  // namespace
}  // namespace assay::device::cuda
