#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <assay/agent/interpreter.hpp>
#include <assay/agent/line_splitter.hpp>
#include <assay/agent/stream_summary.hpp>

namespace assay::agent {

/// Bytes of a line that is read; both programs put whole files and tool outputs into one line.
inline constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

/// Reads the stream of one run as it comes, in memory that its length does not change. No bytes make it fail: what
/// cannot be read is counted and its beginning kept, kinds of events that are not known are counted and passed over.
class StreamReader {
 public:
  explicit StreamReader(Dialect dialect);
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;

  void feed(std::string_view bytes) { splitter_.feed(bytes); }
  /// Tokens that the stream has told of until now, of the session.
  [[nodiscard]] std::int64_t tokens_so_far() const { return interpreter_->tokens_so_far(); }
  /// Ends the stream, and says what it was. Nothing may be fed afterwards.
  [[nodiscard]] StreamSummary finish(const RunFacts& facts);

 private:
  void take(std::string_view line, LineSplitter::Ending ending);
  void keep(std::string_view line);
  void count_unknown(std::string_view type, const EventJson& event);

  StreamSummary summary_;
  std::unique_ptr<Interpreter> interpreter_;
  LineSplitter splitter_;
  std::int64_t number_ = 0;
};

/// Reads a whole stream.
[[nodiscard]] StreamSummary summarise_stream(Dialect dialect, std::string_view bytes, const RunFacts& facts);

}  // namespace assay::agent
