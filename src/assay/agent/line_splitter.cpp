#include <assay/agent/line_splitter.hpp>

#include <algorithm>

namespace assay::agent {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    append(bytes.substr(0, newline));
    if (newline == std::string_view::npos) {
      return;
    }
    on_line_(line_, oversized_ ? Ending::oversized : Ending::newline);
    line_.clear();
    oversized_ = false;
    bytes.remove_prefix(newline + 1);
  }
}

void LineSplitter::finish() {
  if (!line_.empty()) {
    on_line_(line_, oversized_ ? Ending::oversized : Ending::end_of_all);
  }
  line_.clear();
}

void LineSplitter::append(std::string_view part) {
  const std::size_t room = limit_ - line_.size();
  oversized_ = oversized_ || part.size() > room;
  line_.append(part.substr(0, std::min(part.size(), room)));
}

}  // namespace assay::agent
