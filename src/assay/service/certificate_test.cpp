#include <assay/service/certificate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <assay/certify/files.hpp>
#include <assay/service/campaign.hpp>
#include <assay/service/rehearsal.hpp>

namespace assay::service {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// A finished campaign, judged by the fake judge, and its certificate.
class CertificateTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.add_tunable("tunable");
    CampaignOptions options;
    options.name = "tune";
    options.tunable = "tunable";
    options.rounds = 1;
    options.candidates_per_round = 4;
    const auto status = run_campaign(world_.context(), options, {});
    ASSERT_TRUE(status) << status.error().text();
    const auto written = write_certificate(world_.context(), "tune", std::nullopt, folder_);
    ASSERT_TRUE(written) << written.error().text();
    ASSERT_TRUE(written->holds()) << written->differences.front().place << written->differences.front().what;
  }
  rehearsal::World world_;
  os::Path folder_ = world_.path("certificate");
};

TEST_F(CertificateTest, HoldsWithoutTheArchive) {
  ASSERT_TRUE(os::remove_tree(world_.context().places.archive));
  for (const os::Path& path : {folder_, folder_ / "certificate.json"}) {
    const auto verification = verify_certificate(path, {});
    ASSERT_TRUE(verification) << verification.error().text();
    EXPECT_TRUE(verification->holds());
    EXPECT_EQ(verification->status, "confirmed");
  }
}

TEST_F(CertificateTest, HoldsAgainstItsOwnArchiveAndNoOther) {
  EXPECT_TRUE(verify_certificate(folder_, world_.context().places.archive)->holds());
  ASSERT_TRUE(archive::Archive::open_writer(world_.path("other")));
  const auto other = verify_certificate(folder_, world_.path("other"));
  ASSERT_TRUE(other) << other.error().text();
  ASSERT_FALSE(other->holds());
  EXPECT_THAT(other->differences.front().what, HasSubstr("the archive's chain has none of that number"));
  EXPECT_EQ(verify_certificate(folder_, world_.path("nowhere")).error().owner, base::Owner::input);
}

TEST_F(CertificateTest, AnEditedFileIsADifferenceAndAMissingFolderAnError) {
  const os::Path samples = folder_ / "sweep" / "samples.json";
  std::string text = os::read_file(samples).value();
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  ASSERT_TRUE(os::write_file_atomic(samples, text));
  const auto verification = verify_certificate(folder_, {});
  ASSERT_TRUE(verification) << verification.error().text();
  ASSERT_FALSE(verification->holds());
  EXPECT_EQ(verification->differences.front().place, "sweep/samples.json");
  EXPECT_EQ(verify_certificate(world_.path("nowhere"), {}).error().owner, base::Owner::input);
}

TEST_F(CertificateTest, IsNotWrittenOverAnything) {
  const auto again = write_certificate(world_.context(), "tune", std::nullopt, folder_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, "certificate.exists");
  EXPECT_EQ(write_certificate(world_.context(), "tune", 99, world_.path("x")).error().code,
            "certificate.nothing_promoted");
  EXPECT_FALSE(std::filesystem::exists(world_.path("x")));
}

TEST_F(CertificateTest, HasTheNamesOfThePublishedLayout) {
  const auto files = certify::read_folder(folder_).value();
  EXPECT_THAT(files, testing::Contains(testing::Key("certificate.md")));
  EXPECT_THAT(os::list_directory(folder_).value(), SizeIs(6));
}

}  // namespace
}  // namespace assay::service
