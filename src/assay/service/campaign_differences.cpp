#include <assay/service/campaign_differences.hpp>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace assay::service {
namespace {

constexpr std::size_t kMostDifferences = 8;
constexpr std::size_t kLongestValue = 60;

std::string brief(const base::Json& value) {
  std::string text = base::dump_compact(value);
  if (text.size() > kLongestValue) {
    text = fmt::format("a value of {} characters", text.size());
  }
  return text;
}

void collect_differences(const base::Json& stored, const base::Json& given, const std::string& pointer,
                         std::vector<std::string>& found) {
  if (stored == given || found.size() >= kMostDifferences) {
    return;
  }
  if (stored.is_object() && given.is_object()) {
    for (const auto& [key, value] : stored.items()) {
      const std::string below = pointer + "/" + base::pointer_token(key);
      if (!given.contains(key)) {
        found.push_back(fmt::format("{} was {} and is now absent", below, brief(value)));
      } else {
        collect_differences(value, given[key], below, found);
      }
    }
    for (const auto& [key, value] : given.items()) {
      if (!stored.contains(key)) {
        found.push_back(fmt::format("{}/{} was absent and is now {}", pointer, base::pointer_token(key), brief(value)));
      }
    }
    return;
  }
  if (stored.is_array() && given.is_array() && stored.size() == given.size()) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      collect_differences(stored[i], given[i], fmt::format("{}/{}", pointer, i), found);
    }
    return;
  }
  if (stored.is_array() && given.is_array()) {
    found.push_back(fmt::format("{} had {} entries and now has {}", pointer, stored.size(), given.size()));
    return;
  }
  found.push_back(fmt::format("{} was {} and is now {}", pointer, brief(stored), brief(given)));
}

}  // namespace

std::vector<std::string> differences(const base::Json& stored, const base::Json& given) {
  std::vector<std::string> found;
  collect_differences(stored, given, "", found);
  return found;
}

}  // namespace assay::service
