#include <algorithm>
#include <array>

#include <assay/base/text.hpp>
#include <assay/build/flags.hpp>

namespace assay::build {

namespace {

// Whole flags. nvcc takes long names with one dash as well.
constexpr std::array<std::string_view, 17> kNvccWhole = {"use_fast_math",
                                                         "lineinfo",
                                                         "generate-line-info",
                                                         "extra-device-vectorization",
                                                         "expt-relaxed-constexpr",
                                                         "expt-extended-lambda",
                                                         "extended-lambda",
                                                         "restrict",
                                                         "fmad=true",
                                                         "fmad=false",
                                                         "ftz=true",
                                                         "ftz=false",
                                                         "prec-div=true",
                                                         "prec-div=false",
                                                         "prec-sqrt=true",
                                                         "prec-sqrt=false",
                                                         "rdc=true"};

constexpr std::array<std::string_view, 7> kNvccExact = {"-O0",        "-O1",        "-O2",       "-O3",
                                                        "-std=c++14", "-std=c++17", "-std=c++20"};

// What of ptxas may be chosen: how it translates. Nothing that names a file.
constexpr std::array<std::string_view, 16> kPtxas = {"-v",
                                                     "-O0",
                                                     "-O1",
                                                     "-O2",
                                                     "-O3",
                                                     "-dlcm=ca",
                                                     "-dlcm=cg",
                                                     "-dlcm=cs",
                                                     "-dlcm=cv",
                                                     "-dscm=cg",
                                                     "-dscm=wb",
                                                     "-dscm=wt",
                                                     "-warn-spills",
                                                     "-warn-lmem-usage",
                                                     "--allow-expensive-optimizations=true",
                                                     "--allow-expensive-optimizations=false"};

// Options that an author may well try, with what to do instead.
struct Reason {
  std::string_view beginning;
  const char* text;
};
constexpr std::array<Reason, 5> kReasons = {
    {{"gencode", "names an architecture: the device that the candidate is judged on decides it"},
     {"arch", "names an architecture: the device that the candidate is judged on decides it"},
     {"Xcompiler", "hands a flag to the host compiler: leave it out, the device's code does not depend on it"},
     {"Xlinker", "hands a flag to the linker, which could read or load anything: leave it out"},
     {"l", "links a library: a candidate is its own sources and CUDA's run-time library"}}};

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) ||
           std::string_view("_-+.=:/").find(c) != std::string_view::npos;
  });
}

bool is_number(std::string_view text, std::size_t most_digits) {
  return !text.empty() && text.size() <= most_digits && std::all_of(text.begin(), text.end(), base::is_digit);
}

bool is_macro(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  return !name.empty() && !base::is_digit(name.front()) && name.find_first_of("-+.:/") == std::string_view::npos;
}

template <std::size_t N>
bool has(const std::array<std::string_view, N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

std::optional<std::string> cuda_flag_fault(std::string_view flag) {
  if (flag.empty() || flag.front() != '-') {
    return flag.starts_with("@") ? "reads flags from a file: give them one by one"
                                 : "is no flag: sources are listed elsewhere";
  }
  if (!is_plain(flag)) {
    return "has a character that nvcc or its shell would take apart: use letters, digits and _ - + . = : /";
  }
  if (flag.starts_with("-I")) {
    return include_fault(flag.substr(2));
  }
  if ((flag.starts_with("-D") || flag.starts_with("-U")) && is_macro(flag.substr(2))) {
    return std::nullopt;
  }
  const std::string_view name = flag.substr(flag.starts_with("--") ? 2 : 1);
  if (has(kNvccExact, flag) || has(kNvccWhole, name)) {
    return std::nullopt;
  }
  constexpr std::string_view kRegisters = "maxrregcount=";
  if (name.starts_with(kRegisters) && is_number(name.substr(kRegisters.size()), 3)) {
    return std::nullopt;
  }
  constexpr std::string_view kToPtxas = "-Xptxas=";
  if (flag.starts_with(kToPtxas)) {
    return has(kPtxas, flag.substr(kToPtxas.size()))
               ? std::nullopt
               : std::optional<std::string>("gives ptxas an option that is not among those that a candidate may use: " +
                                            base::join({kPtxas.begin(), kPtxas.end()}, " "));
  }
  for (const Reason& reason : kReasons) {
    if (name.starts_with(reason.beginning)) {
      return reason.text;
    }
  }
  return "is not among the flags that a CUDA candidate may use, each as one word: -O0 to -O3, -std=c++14 to c++20, "
         "-D…, "
         "-U…, -I inside its own sources, -maxrregcount=…, --use_fast_math, -fmad= -ftz= -prec-div= -prec-sqrt=, "
         "-lineinfo, --extra-device-vectorization, -Xptxas=… with one listed value";
}

}  // namespace assay::build
