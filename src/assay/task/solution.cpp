#include <assay/task/solution.hpp>

#include <assay/base/error.hpp>

namespace assay::task {

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

std::string Solution::entry_file() const { return spec.entry_point.substr(0, spec.entry_point.find("::")); }

std::string Solution::entry_symbol() const {
  const std::size_t mark = spec.entry_point.find("::");
  return mark == std::string::npos ? std::string() : spec.entry_point.substr(mark + 2);
}

}  // namespace assay::task
