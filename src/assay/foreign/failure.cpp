#include <assay/foreign/failure.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <assay/base/error.hpp>
#include <assay/base/text.hpp>

namespace assay::foreign {
namespace {

template <std::size_t Count>
bool mentions(std::string_view message, const std::array<std::string_view, Count>& phrases) {
  const std::string text = base::lower(message);
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

// What services say when an account may not spend more.
constexpr std::array<std::string_view, 6> kQuota = {"spend limit",    "spending limit",      "billing",
                                                    "quota exceeded", "insufficient credit", "payment required"};

// What loaders and builders say of a module without the symbol that is asked for.
constexpr std::array<std::string_view, 2> kMissingSymbol = {"does not define module export function",
                                                            "not found in built extension"};

// Compilers that run at the first call: their errors come out of the run.
constexpr std::array<std::string_view, 4> kCompilerAtRunTime = {"compiler.errors.", "compilationerror", "ptxas error",
                                                                "nvrtc_error_compilation"};

}  // namespace

std::string_view to_string(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "none";
    case Failure::compile:
      return "compile";
    case Failure::runtime:
      return "runtime";
    case Failure::incorrect:
      return "incorrect";
    case Failure::timeout:
      return "timeout";
    case Failure::infrastructure_quota:
      return "infrastructure_quota";
    case Failure::infrastructure_no_result:
      return "infrastructure_no_result";
    case Failure::interface_mismatch:
      return "interface_mismatch";
  }
  return "none";
}

FailureOwner owner(Failure failure) {
  ASSAY_CHECK(failure != Failure::none);
  if (failure == Failure::interface_mismatch) {
    return FailureOwner::interface;
  }
  return judges_candidate(failure) ? FailureOwner::candidate : FailureOwner::infrastructure;
}

Failure failure_of(const Evaluation& evaluation) {
  switch (evaluation.kind) {
    case RecordedKind::none:
      return Failure::none;
    case RecordedKind::compile_error:
      return mentions(evaluation.message, kMissingSymbol) ? Failure::interface_mismatch : Failure::compile;
    case RecordedKind::runtime_error:
      return mentions(evaluation.message, kCompilerAtRunTime) ? Failure::compile : Failure::runtime;
    case RecordedKind::incorrect_numerical:
    case RecordedKind::incorrect_shape:
    case RecordedKind::incorrect_dtype:
      return Failure::incorrect;
    case RecordedKind::timeout:
    case RecordedKind::framework_timeout:
      return Failure::timeout;
    case RecordedKind::shard_failed:
    case RecordedKind::no_results:
      return mentions(evaluation.message, kQuota) ? Failure::infrastructure_quota : Failure::infrastructure_no_result;
  }
  return Failure::none;
}

bool judges_candidate(Failure failure) {
  return failure != Failure::infrastructure_quota && failure != Failure::infrastructure_no_result;
}

}  // namespace assay::foreign
