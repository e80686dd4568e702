#include <assay/service/siblings.hpp>

#include <algorithm>

#include <assay/base/text.hpp>

namespace assay::service {
namespace {

std::set<std::string> lines_of_code(const task::Solution& solution) {
  std::set<std::string> lines;
  for (const task::SourceFile& source : solution.sources) {
    for (const std::string& line : base::split(source.content, '\n')) {
      const std::size_t from = line.find_first_not_of(" \t\r");
      // A brace alone, or a comment, is in everybody's code.
      if (from != std::string::npos && line.find_first_not_of("{}();, \t\r") != std::string::npos &&
          line.compare(from, 2, "//") != 0) {
        lines.insert(line.substr(from, line.find_last_not_of(" \t\r") + 1 - from));
      }
    }
  }
  return lines;
}

}  // namespace

Siblings::Siblings(const task::Solution& candidate) : lines_(lines_of_code(candidate)) {}

bool Siblings::include(const task::Solution& other) const {
  const std::set<std::string> others = lines_of_code(other);
  const auto shared =
      std::count_if(lines_.begin(), lines_.end(), [&others](const auto& line) { return others.count(line) > 0; });
  const std::size_t fewer = std::min(lines_.size(), others.size());
  return fewer > 0 && 2 * static_cast<std::size_t>(shared) >= fewer;
}

}  // namespace assay::service
