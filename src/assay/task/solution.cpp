#include <assay/task/solution.hpp>

#include <array>

#include <assay/base/error.hpp>

namespace assay::task {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 2> kTiers = {"host+device", "device-only"};

}  // namespace

std::string_view to_string(Language language) {
  switch (language) {
    case Language::python:
      return "python";
    case Language::triton:
      return "triton";
    case Language::cpp:
      return "cpp";
    case Language::cuda:
      return "cuda";
    case Language::tilelang:
      return "tilelang";
    case Language::cutedsl:
      return "cutedsl";
    case Language::cutlass:
      return "cutlass";
    case Language::cutile:
      return "cutile";
  }
  base::check_failed("a language of the enumeration", __FILE__, __LINE__);
}

std::string_view to_string(Binding binding) {
  switch (binding) {
    case Binding::tvm_ffi:
      return "tvm-ffi";
    case Binding::torch:
      return "torch";
  }
  base::check_failed("a binding of the enumeration", __FILE__, __LINE__);
}

std::string_view to_string(Tier tier) { return kTiers.at(static_cast<std::size_t>(tier)); }

std::span<const std::string_view> tier_names() { return kTiers; }

std::optional<Tier> tier_of(const Solution& solution) {
  if (solution.spec.language != Language::cuda) {
    return std::nullopt;
  }
  return solution.entry_file().ends_with(".json") ? Tier::device_only : Tier::host_and_device;
}

std::string Solution::entry_file() const { return spec.entry_point.substr(0, spec.entry_point.find("::")); }

std::string Solution::entry_symbol() const {
  const std::size_t mark = spec.entry_point.find("::");
  return mark == std::string::npos ? std::string() : spec.entry_point.substr(mark + 2);
}

}  // namespace assay::task
