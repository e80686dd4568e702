#include <assay/service/agent_stream.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include <assay/agent/stream_reader.hpp>
#include <assay/os/file_stream.hpp>

namespace assay::service {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 16U;

base::Result<agent::StreamSummary> read_stream_file(agent::Dialect dialect, const os::Path& file,
                                                    const agent::RunFacts& facts) {
  ASSAY_TRY_ASSIGN(const os::FileReader source, os::FileReader::open(file));
  agent::StreamReader reader(dialect);
  std::string piece;
  for (std::uint64_t at = 0; at < source.size(); at += piece.size()) {
    piece.resize(std::min(kPieceBytes, source.size() - at));
    ASSAY_TRY(source.read_at(at, std::as_writable_bytes(std::span(piece))));
    reader.feed(piece);
  }
  return reader.finish(facts);
}

}  // namespace

base::Result<agent::StreamSummary> read_agent_stream(const AgentStreamOptions& options) {
  agent::RunFacts facts;
  facts.exit_code = options.exit_code;
  facts.answer_wanted = options.answer_wanted;
  if (!options.after.empty()) {
    ASSAY_TRY_ASSIGN(const agent::StreamSummary before, read_stream_file(options.dialect, options.after, {}));
    if (!before.session_total) {
      return base::input_error("agent.no_total",
                               fmt::format("{} tells no total of its session, so nothing can be taken off: leave out "
                                           "--after",
                                           options.after));
    }
    facts.before = before.session_total;
  }
  return read_stream_file(options.dialect, options.file, facts);
}

}  // namespace assay::service
