// Any bytes as the stream of an agent's run, which it can write into: read by both interpreters, whole and in pieces, what
// is kept of it is bounded, an account is never negative, and what has no end is no success.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include <assay/agent/stream_reader.hpp>
#include <assay/base/error.hpp>
#include <assay/base/json.hpp>

namespace {

using namespace assay;

void check_usage(const agent::Usage& usage) {
  const agent::Tokens& tokens = usage.tokens;
  for (const std::int64_t count :
       {tokens.input, tokens.cached_input, tokens.cache_write, tokens.output, tokens.reasoning}) {
    ASSAY_CHECK(count >= 0);
  }
  ASSAY_CHECK(!usage.dollars || *usage.dollars >= 0);
}

void check_summary(const agent::StreamSummary& summary) {
  check_usage(summary.spend.usage);
  ASSAY_CHECK(summary.spend.certainty != agent::Certainty::unknown || summary.spend.usage == agent::Usage());
  ASSAY_CHECK(!summary.cause.empty() && summary.cause.size() <= agent::kLongestPath + agent::kLongestName);
  ASSAY_CHECK(summary.files.size() <= agent::kMostFiles && summary.tools.size() <= agent::kMostTools);
  ASSAY_CHECK(summary.lines.kept.size() <= agent::kMostKeptLines);
  ASSAY_CHECK(summary.lines.unknown_kinds.size() <= agent::kMostUnknownKinds);
  ASSAY_CHECK(summary.lines.malformed <= summary.lines.lines);
  ASSAY_CHECK(summary.last_words.size() <= agent::kLongestWords && summary.answer.size() <= agent::kLongestWords);
  ASSAY_CHECK(base::parse_json(base::dump_compact(agent::encode(summary)), "summary").has_value());
}

void read_as(agent::Dialect dialect, std::string_view bytes) {
  agent::RunFacts killed;
  killed.signal = 9;
  check_summary(agent::summarise_stream(dialect, bytes, killed));
  const agent::StreamSummary whole = agent::summarise_stream(dialect, bytes, {});
  check_summary(whole);
  agent::StreamReader reader(dialect);
  constexpr std::size_t kPiece = 7;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    reader.feed(bytes.substr(at, kPiece));
  }
  const agent::StreamSummary pieces = reader.finish({});
  ASSAY_CHECK(pieces.outcome == whole.outcome && pieces.spend == whole.spend && pieces.tools == whole.tools);
  ASSAY_CHECK(pieces.lines.malformed == whole.lines.malformed && pieces.lines.cut_off == whole.lines.cut_off);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_as(agent::Dialect::codex, bytes);
  read_as(agent::Dialect::claude, bytes);
  return 0;
}
