#include <assay/cli/print_imported.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

archive::ForeignResult result(const std::string& id, const std::string& source, std::optional<double> latency_ms) {
  archive::ForeignResult made;
  made.id = id;
  made.definition = "scale";
  made.source = base::sha256(source);
  made.outcome = latency_ms ? "measured" : "compile";
  made.latency_ms = latency_ms;
  made.origin = "theirs";
  return made;
}

TEST(PrintImported, OneLineAProgramWithItsLowestLatency) {
  const std::string text =
      print_imported({result("1", "a", 2), result("2", "a", 1), result("3", "b", std::nullopt)}, report::Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("1.00 ms"), Not(HasSubstr("2.00 ms")),
                          HasSubstr("3 foreign results of 2 programs; none was judged here.")));
  EXPECT_THAT(print_imported({}, report::Colour::off), HasSubstr("nothing was imported yet"));
}

TEST(PrintImported, ResultsSayThatOthersMeasuredThem) {
  EXPECT_EQ(print_foreign_results({}, report::Colour::off), "");
  archive::ForeignResult hostile = result("id\x1b[31m", "a", 0.5);
  const std::string text = print_foreign_results({hostile}, report::Colour::off);
  EXPECT_THAT(text, AllOf(HasSubstr("measured by others"), HasSubstr("500 µs"), Not(HasSubstr("\x1b"))));
}

TEST(PrintImported, SaysWhatWasTakenInAndWhatWasThereAlready) {
  archive::Import import;
  import.name = "traces";
  import.results = 917;
  import.fresh = true;
  EXPECT_THAT(print_import(import), HasSubstr("imported traces: 917 foreign results"));
  import.fresh = false;
  EXPECT_THAT(print_import(import), HasSubstr("already there, traces"));
}

}  // namespace
}  // namespace assay::cli
