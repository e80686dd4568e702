#include <assay/task/sanitizer.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include <assay/task/decoder.hpp>

namespace assay::task {

namespace {

constexpr int kSlower = 20;
constexpr std::chrono::seconds kAtLeast{30};
constexpr std::chrono::minutes kAtMost{5};

}  // namespace

std::span<const std::string_view> sanitizer_names() {
  static constexpr std::array<std::string_view, 4> kNames = {"memcheck", "racecheck", "initcheck", "synccheck"};
  return kNames;
}

std::string_view to_string(Sanitizer sanitizer) { return sanitizer_names()[static_cast<std::size_t>(sanitizer)]; }

std::vector<Sanitizer> read_sanitizers(const Node& node) {
  std::vector<Sanitizer> sanitizers;
  for (const Node& item : node.items()) {
    const auto one = static_cast<Sanitizer>(item.word(sanitizer_names()));
    if (std::find(sanitizers.begin(), sanitizers.end(), one) != sanitizers.end()) {
      item.problem(fmt::format("is \"{}\" once more: name each tool once", to_string(one)));
    }
    sanitizers.push_back(one);
  }
  return sanitizers;
}

std::chrono::milliseconds sanitized_limit(std::chrono::milliseconds limit) {
  return std::clamp<std::chrono::milliseconds>(std::min<std::chrono::milliseconds>(limit, kAtMost) * kSlower, kAtLeast,
                                               kAtMost);
}

}  // namespace assay::task
