#include <assay/agent/stream_reader.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

std::unique_ptr<Interpreter> interpreter_of(Dialect dialect) {
  return dialect == Dialect::codex ? make_codex_interpreter() : make_claude_interpreter();
}

}  // namespace

StreamReader::StreamReader(Dialect dialect)
    : interpreter_(interpreter_of(dialect)),
      splitter_(kLongestLine, [this](std::string_view line, LineSplitter::Ending ending) { take(line, ending); }) {
  summary_.dialect = dialect;
}

StreamSummary StreamReader::finish(const RunFacts& facts) {
  splitter_.finish();
  interpreter_->conclude(facts, summary_);
  return std::move(summary_);
}

void StreamReader::take(std::string_view line, LineSplitter::Ending ending) {
  ++number_;
  line = base::trim(line);
  if (line.empty()) {
    return;
  }
  ++summary_.lines.lines;
  const auto event = ending == LineSplitter::Ending::oversized ? std::nullopt : parse_event(line);
  if (!event && ending == LineSplitter::Ending::end_of_all) {
    summary_.lines.cut_off = true;
    keep(line);
    return;
  }
  const std::string_view type = event ? find_text(*event, {"type"}) : std::string_view();
  if (type.empty()) {
    ++summary_.lines.malformed;
    keep(line);
    return;
  }
  if (!interpreter_->take(type, *event)) {
    count_unknown(type, *event);
  }
}

void StreamReader::keep(std::string_view line) {
  if (summary_.lines.kept.size() < kMostKeptLines) {
    summary_.lines.kept.push_back({number_, clip(line, kLongestName)});
  }
}

void StreamReader::count_unknown(std::string_view type, const EventJson& event) {
  std::string kind(type);
  for (const std::string_view more : {find_text(event, {"subtype"}), find_text(event, {"item", "type"})}) {
    kind += more.empty() ? "" : ":" + std::string(more);
  }
  kind = clip(kind, kLongestName);
  auto& known = summary_.lines.unknown_kinds;
  const bool room = known.contains(kind) || known.size() + 1 < kMostUnknownKinds;
  ++known[room ? kind : "(others)"];
}

StreamSummary summarise_stream(Dialect dialect, std::string_view bytes, const RunFacts& facts) {
  StreamReader reader(dialect);
  reader.feed(bytes);
  return reader.finish(facts);
}

}  // namespace assay::agent
