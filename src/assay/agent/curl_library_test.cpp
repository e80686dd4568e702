#include <assay/agent/curl_library.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::agent {
namespace {

using ::testing::HasSubstr;

TEST(CurlLibrary, IsOpenedWithAllThatIsUsedOfIt) {
  const auto curl = open_curl("libcurl.so.4");
  ASSERT_TRUE(curl.has_value()) << curl.error().text();
  EXPECT_THAT(curl->describe(CURLE_GOT_NOTHING), HasSubstr("nothing"));
  CURL* const handle = curl->init();
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(curl->set_option(handle, CURLOPT_URL, "http://127.0.0.1/"), CURLE_OK);
  curl->cleanup(handle);
}

TEST(CurlLibrary, OneThatIsNotThereIsNamedWithWhatToInstall) {
  const auto curl = open_curl("libnothing-like-it.so.4");
  ASSERT_FALSE(curl.has_value());
  EXPECT_EQ(curl.error().owner, base::Owner::environment);
  EXPECT_THAT(curl.error().text(), HasSubstr("libnothing-like-it.so.4"));
  EXPECT_THAT(curl.error().text(), HasSubstr("install libcurl4"));
}

TEST(CurlLibrary, AnotherLibraryLacksAFunctionWhichIsNamed) {
  const auto curl = open_curl("libm.so.6");
  ASSERT_FALSE(curl.has_value());
  EXPECT_THAT(curl.error().text(), HasSubstr("libm.so.6 has no curl_global_init"));
}

}  // namespace
}  // namespace assay::agent
