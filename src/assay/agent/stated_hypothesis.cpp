#include <assay/agent/stated_hypothesis.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include <assay/agent/event_line.hpp>
#include <assay/agent/working_folder.hpp>
#include <assay/base/text.hpp>

namespace assay::agent {
namespace {

constexpr std::size_t kLongestStated = 300;
constexpr double kLargestSpeedup = 1000;

std::string statement(const EventJson& stated, std::string_view key) {
  std::string text = clip(base::printable(find_text(stated, {key})), kLongestStated);
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return std::string(base::trim(text));
}

// A speed-up of at least 1, that somebody could mean.
std::optional<double> stated_speedup(const EventJson& stated, std::string_view key) {
  const EventJson* value = find_value(stated, {"predicted_speedup", key});
  if (value == nullptr || !value->is_number()) {
    return std::nullopt;
  }
  const double number = value->get<double>();
  return number >= 1 && number <= kLargestSpeedup ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<task::Hypothesis> parse_stated_hypothesis(std::string_view text) {
  const std::optional<EventJson> stated = parse_event(text);
  if (!stated) {
    return std::nullopt;
  }
  task::Hypothesis hypothesis;
  hypothesis.mechanism = statement(*stated, "mechanism");
  if (task::route_key(hypothesis.mechanism).empty()) {
    return std::nullopt;
  }
  if (std::string regime = statement(*stated, "regime"); !regime.empty()) {
    hypothesis.regime = std::move(regime);
  }
  if (std::string resource = statement(*stated, "limiting_resource"); !resource.empty()) {
    hypothesis.limiting_resource = std::move(resource);
  }
  hypothesis.change = statement(*stated, "change");
  hypothesis.differs = statement(*stated, "differs");
  hypothesis.claimed = statement(*stated, "predicted_effect");
  if (const auto least = stated_speedup(*stated, "at_least")) {
    hypothesis.predicted.upper = 0 - std::log(*least);
  }
  if (const auto most = stated_speedup(*stated, "at_most"); most && 0 - std::log(*most) <= hypothesis.predicted.upper) {
    hypothesis.predicted.lower = 0 - std::log(*most);
  }
  return hypothesis;
}

std::optional<task::Hypothesis> read_stated_hypothesis(const os::Path& folder) {
  const auto text = read_left_file(folder, kHypothesisFile, kMostHypothesisBytes);
  return text ? parse_stated_hypothesis(*text) : std::nullopt;
}

}  // namespace assay::agent
