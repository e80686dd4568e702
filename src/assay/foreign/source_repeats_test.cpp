#include <assay/foreign/source_repeats.hpp>

#include <gtest/gtest.h>

#include <assay/foreign/archive_testing.hpp>
#include <assay/foreign/trace_archive.hpp>
#include <assay/os/file.hpp>

namespace assay::foreign {
namespace {

// 458 evaluations, of which a memory by bytes alone leaves 214, and one that also sees past comments and blank space 181.
TEST(SourceRepeats, OfThePublicTracesAreRefused) {
  const auto archive = read_trace_archive(os::Path(ASSAY_SOURCE_DIR) / "tests/data/traces");
  ASSERT_TRUE(archive) << archive.error().text();
  const auto repeats = source_repeats(*archive, "moe_fp8_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048");
  EXPECT_EQ(repeats.evaluations, 458U);
  EXPECT_EQ(repeats.unique_bytes(), 214U);
  EXPECT_EQ(repeats.same_bytes, 244U);
  EXPECT_EQ(repeats.unique_sources(), 181U);
  EXPECT_EQ(repeats.refused(), 277U);
  std::size_t evaluations = 0;
  std::size_t bytes = 0;
  for (const std::string& trace : archive->traces()) {
    evaluations += source_repeats(*archive, trace).evaluations;
    bytes += source_repeats(*archive, trace).unique_bytes();
  }
  EXPECT_EQ(evaluations, 849U);
  EXPECT_EQ(bytes, 578U);
}

TEST(SourceRepeats, AreCountedByTheCoarsestThatWasNeeded) {
  TraceArchive archive;
  archive.evaluations = {stored_success("op", 1, "a", 1), stored_success("op", 2, "a", 1),
                         stored_success("op", 3, "a", 1)};
  archive.evaluations[1].source = base::sha256(std::string_view("other bytes"));
  archive.evaluations[2].source = base::sha256(std::string_view("other bytes"));
  const auto repeats = source_repeats(archive, "op");
  EXPECT_EQ(repeats.same_source, 1U);
  EXPECT_EQ(repeats.same_bytes, 1U) << "what was refused is remembered too";
  EXPECT_EQ(repeats.unique_sources(), 1U);
  EXPECT_EQ(repeats.most, 2U);
}

// To refuse a source is one thing, to know its verdict another: an evaluation that was lost has none.
TEST(SourceRepeats, AreAnsweredWhereTheSourceWasJudged) {
  TraceArchive archive;
  archive.evaluations = {failed("op", 1, "a", RecordedKind::no_results), failed("op", 2, "a", RecordedKind::no_results),
                         stored_success("op", 3, "a", 1), stored_success("op", 4, "a", 1)};
  const auto repeats = source_repeats(archive, "op");
  EXPECT_EQ(repeats.same_bytes, 3U);
  EXPECT_EQ(repeats.answered, 1U);
}

TEST(SourceRepeats, OfAnotherTraceAreNone) {
  TraceArchive archive;
  archive.evaluations = {stored_success("op", 1, "a", 1), stored_success("other", 2, "a", 1),
                         stored_success("op", 3, "b", 1)};
  archive.evaluations[2].archived = false;
  EXPECT_EQ(source_repeats(archive, "op").refused(), 0U);
  EXPECT_EQ(source_repeats(archive, "op").evaluations, 1U);
}

}  // namespace
}  // namespace assay::foreign
