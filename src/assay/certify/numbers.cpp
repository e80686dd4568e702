#include <assay/certify/numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace assay::certify {
namespace {

using base::Json;

constexpr double kOtherMachines = 1e-12;
constexpr std::size_t kLongestValue = 100;

std::string brief(const Json& value) {
  std::string text = base::dump_compact(value);
  return text.size() > kLongestValue ? fmt::format("a value of {} characters", text.size()) : text;
}

bool agrees(double given, double derived) {
  for (const double other : {derived, derived * (1 - kOtherMachines), derived * (1 + kOtherMachines)}) {
    if (given == nine_digits(other)) {
      return true;
    }
  }
  return false;
}

bool same_scalar(const Json& given, const Json& derived) {
  if (derived.is_number_float()) {
    return given.is_number_float() && agrees(given.get<double>(), derived.get<double>());
  }
  return !given.is_number_float() && given == derived;
}

void compare(const Json& given, const Json& derived, const std::string& place, std::vector<Difference>& found);

void compare_objects(const Json& given, const Json& derived, const std::string& place, std::vector<Difference>& found) {
  const std::size_t before = found.size();
  for (const auto& [key, value] : derived.items()) {
    const std::string below = place + "/" + base::pointer_token(key);
    if (given.contains(key)) {
      compare(given[key], value, below, found);
    } else {
      found.push_back({below, fmt::format("is missing, and the evidence gives {}", brief(value))});
    }
  }
  for (const auto& [key, value] : given.items()) {
    if (!derived.contains(key)) {
      found.push_back({place + "/" + base::pointer_token(key),
                       fmt::format("is {}, and the evidence gives no such field", brief(value))});
    }
  }
  if (found.size() == before) {
    auto expected = derived.begin();
    for (auto field = given.begin(); field != given.end(); ++field, ++expected) {
      if (field.key() != expected.key()) {
        found.push_back(
            {place + "/" + base::pointer_token(field.key()), fmt::format("stands where {} belongs", expected.key())});
        return;
      }
    }
  }
}

void compare(const Json& given, const Json& derived, const std::string& place, std::vector<Difference>& found) {
  if (given.is_object() && derived.is_object()) {
    compare_objects(given, derived, place, found);
  } else if (given.is_array() && derived.is_array()) {
    for (std::size_t i = 0; i < std::min(given.size(), derived.size()); ++i) {
      compare(given[i], derived[i], fmt::format("{}/{}", place, i), found);
    }
    if (given.size() != derived.size()) {
      found.push_back({place, fmt::format("has {} entries, and the evidence gives {}", given.size(), derived.size())});
    }
  } else if (!same_scalar(given, derived)) {
    found.push_back({place, fmt::format("is {}, and the evidence gives {}", brief(given), brief(rounded(derived)))});
  }
}

}  // namespace

double nine_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr) : value;
}

Json rounded(const Json& json) {
  if (json.is_number_float()) {
    return nine_digits(json.get<double>());
  }
  if (!json.is_structured()) {
    return json;
  }
  Json result = json;
  for (auto& member : result) {
    member = rounded(member);
  }
  return result;
}

std::vector<Difference> differences(const Json& given, const Json& derived) {
  std::vector<Difference> found;
  compare(given, derived, "", found);
  return found;
}

}  // namespace assay::certify
