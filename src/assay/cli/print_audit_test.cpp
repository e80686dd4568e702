#include <assay/cli/print_audit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <assay/base/text.hpp>
#include <assay/foreign/archive_testing.hpp>
#include <assay/foreign/trace_archive.hpp>

namespace assay::cli {
namespace {

using foreign::RecordedKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One trace with a plausible, an identical and a worse promotion and failures of every owner; one with repeats, 2 % apart.
foreign::TraceArchive sample_archive(const std::string& name = "op_one_d8") {
  foreign::TraceArchive archive;
  archive.evaluations = {foreign::stored_success(name, 1, "a", 1),
                         foreign::stored_success(name, 2, "b", 0.5),
                         foreign::stored_success(name, 3, "b", 0.49),
                         foreign::stored_success(name, 4, "c", 0.6, 19),
                         foreign::failed(name, 5, "d", RecordedKind::compile_error, "error"),
                         foreign::failed(name, 6, "e", RecordedKind::compile_error, "error"),
                         foreign::failed(name, 7, "f", RecordedKind::no_results),
                         foreign::failed(name, 8, "g", RecordedKind::timeout)};
  for (int i = 0; i < 8; ++i) {
    archive.evaluations.push_back(
        foreign::stored_success("op_two_d8", i, std::to_string(i / 2), std::exp(0.02 * (i % 2))));
  }
  archive.promotions = {{name + "#1", name, 1, 0, 1}, {name + "#2", name, 2, 1, 2}, {name + "#3", name, 3, 2, 3}};
  return archive;
}

std::string printed(foreign::TraceArchive archive, report::Colour colour = report::Colour::off) {
  return print_audit(foreign::audit(std::move(archive)), colour);
}

// The line of a text that begins, up to blank space, with `start`.
std::string line_of(const std::string& text, const std::string& start) {
  for (const std::string& line : base::split(text, '\n')) {
    if (base::trim(line).substr(0, start.size()) == start) {
      return line;
    }
  }
  ADD_FAILURE() << "no line begins with " << start << " in\n" << text;
  return "";
}

TEST(PrintAudit, SaysWhatAMemoryOfSourcesWouldHaveRefused) {
  const std::string text = printed(sample_archive());
  EXPECT_THAT(text,
              HasSubstr("a memory would have refused 1 of 8: 1 repeat bytes (7 are unique, one up to 2 times), 0 more "
                        "only comments and blank space (7 sources); of 1 the verdict was known\n"));
  EXPECT_THAT(text, HasSubstr("a memory would have refused 4 of 8: 4 repeat bytes (4 are unique"));
  foreign::TraceArchive archive = sample_archive();
  archive.evaluations.resize(2);
  archive.promotions.resize(1);
  EXPECT_THAT(printed(archive), HasSubstr("no source was evaluated twice"));
}

TEST(PrintAudit, EveryPromotionHasItsLineWithTheVerdictAndTheReason) {
  const std::string text = printed(sample_archive());
  EXPECT_THAT(line_of(text, "1  "),
              AllOf(HasSubstr("plausible"), HasSubstr("1.00 ms"), HasSubstr("500 µs"), HasSubstr("−50.0 %")));
  EXPECT_THAT(line_of(text, "2  "), AllOf(HasSubstr("the same code"), HasSubstr("−2.0 %"), HasSubstr("is noise")));
  EXPECT_THAT(line_of(text, "3  "), AllOf(HasSubstr("slower"), HasSubstr("+22.4 %"), HasSubstr("reference")));
  EXPECT_THAT(text, HasSubstr("\n3 promotions: 1 the same code, 1 slower, 1 plausible.\n"));
}

TEST(PrintAudit, CountsWhatFailedAndLeavesOutWhatDidNotHappen) {
  const std::string text = printed(sample_archive());
  EXPECT_THAT(line_of(text, "8 evaluations"),
              HasSubstr("4 measured, 2 did not compile, 1 timed out, 1 no result; programs never judged: 1"));
  EXPECT_THAT(text, Not(HasSubstr("crashed")));
  EXPECT_THAT(text, Not(HasSubstr("spending limit")));
}

TEST(PrintAudit, ATraceWithoutAPromotionSaysSo) {
  const std::string text = printed(sample_archive());
  EXPECT_LT(text.find("op_two_d8"), text.find("  no promotion\n"));
  EXPECT_THAT(line_of(text, "8 evaluations, 8"), HasSubstr("8 measured; programs never judged: 0"));
}

TEST(PrintAudit, AnEmptyArchiveHasNoNoiseAndNoPromotion) {
  const std::string text = printed({});
  EXPECT_THAT(text, AllOf(HasSubstr("No code was ever measured twice"), HasSubstr("\n0 promotions:.\n")));
}

TEST(PrintAudit, NotesComeFirst) {
  foreign::TraceArchive archive = sample_archive();
  archive.notes = {"There is no promotions.jsonl."};
  EXPECT_EQ(printed(std::move(archive)).find("note: There is no promotions.jsonl.\n"), 0U);
}

TEST(PrintAudit, ForeignNamesCannotDriveTheTerminal) {
  foreign::TraceArchive archive = sample_archive("op\x1b[2J_one");
  archive.notes = {"odd\x1b]0;title\x07"};
  EXPECT_THAT(printed(archive), Not(HasSubstr("\x1b")));
  EXPECT_THAT(printed(archive), Not(HasSubstr("\x07")));
  EXPECT_THAT(printed(archive, report::Colour::on), Not(HasSubstr("\x1b[2J")));
}

TEST(PrintAudit, ColourTellsVerdictsApart) {
  const std::string text = printed(sample_archive(), report::Colour::on);
  const auto colour_before = [&text](const std::string& words) {
    const std::size_t at = text.find(words);
    const std::size_t escape = text.rfind('\x1b', at);
    return text.substr(escape, at - escape);
  };
  EXPECT_NE(colour_before("plausible"), colour_before("the same code"));
  EXPECT_THAT(printed(sample_archive()), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay::cli
