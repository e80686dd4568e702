// The main function of every unit test. As GoogleTest's own, with two differences for ctest, which runs one suite at a
// time: with --skipped=CODE that is the exit code if a test was skipped and none failed, so that neither is taken for the
// other; and a filter that no test matches is a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  constexpr std::string_view kOption = "--skipped=";
  int skipped = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(kOption)) {
      std::fprintf(stderr, "%s is no option of this program\n", argv[i]);
      return 2;
    }
    skipped = std::atoi(argv[i] + kOption.size());
  }
  const int status = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (GTEST_FLAG_GET(list_tests)) {
    return status;
  }
  if (tests.test_to_run_count() == 0) {
    std::fputs("no test matches the filter\n", stderr);
    return 2;
  }
  return status == 0 && tests.skipped_test_count() > 0 ? skipped : status;
}
