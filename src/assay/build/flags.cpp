#include <assay/build/flags.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include <assay/base/text.hpp>

namespace assay::build {

namespace {

// Whole flags.
constexpr std::array<std::string_view, 8> kWhole = {"-shared",  "-fPIC", "-fpic", "-pthread",
                                                    "-fopenmp", "-g",    "-g0",   "-ansi"};

// Beginnings of flags whose rest is a value for the translation and never a file.
constexpr std::array<std::string_view, 6> kWithValue = {"-O", "-std=", "-D", "-U", "-march=", "-mtune="};

// -f flags that name a file or a program, by their beginnings: -fplugin=, -fplugin-arg-, -fuse-ld=, -fprofile-use=, …
constexpr std::array<std::string_view, 26> kReachingOut = {"plugin",
                                                           "use-ld",
                                                           "profile",
                                                           "auto-profile",
                                                           "dump",
                                                           "lto",
                                                           "sanitize",
                                                           "instrument",
                                                           "diagnostics-",
                                                           "callgraph",
                                                           "compare-debug",
                                                           "pch",
                                                           "module",
                                                           "modules",
                                                           "working-directory",
                                                           "debug-prefix-map",
                                                           "file-prefix-map",
                                                           "macro-prefix-map",
                                                           "canon-prefix-map",
                                                           "stack-usage",
                                                           "record-gcc",
                                                           "opt-info",
                                                           "save-optimization",
                                                           "split-stack",
                                                           "include",
                                                           "exec-charset"};

bool is_word(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           extra.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<std::string> include_fault(std::string_view folder) {
  if (folder.empty()) {
    return "names no folder: write it as one word, such as -Iinclude";
  }
  const std::vector<std::string> parts = base::split(std::string(folder), '/');
  if (folder.front() == '/' || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    return "leads out of the solution's sources: put the headers among them";
  }
  return std::nullopt;
}

std::optional<std::string> flag_fault(std::string_view flag) {
  const auto starts = [&](std::string_view beginning) { return flag.starts_with(beginning); };
  if (flag.empty() || flag.front() != '-') {
    return starts("@") ? "reads flags from a file: give them one by one" : "is no flag: sources are listed elsewhere";
  }
  if (std::find(kWhole.begin(), kWhole.end(), flag) != kWhole.end()) {
    return std::nullopt;
  }
  if (starts("-I")) {
    return include_fault(flag.substr(2));
  }
  for (const std::string_view beginning : kWithValue) {
    if (starts(beginning) && (flag.size() > beginning.size() || beginning == "-O")) {
      return std::nullopt;
    }
  }
  if (starts("-W") && flag.size() > 2 && is_word(flag.substr(2), "-+=")) {
    return std::nullopt;  // Those with a comma (-Wp, -Wa, -Wl,) hand anything on to other programs.
  }
  if (starts("-m") && flag.size() > 2 && is_word(flag.substr(2), "-=.+")) {
    return std::nullopt;
  }
  if (starts("-f") && flag.size() > 2 && is_word(flag.substr(2), "-=+")) {
    const std::string_view name = flag.substr(starts("-fno-") ? 5 : 2);
    const bool reaches_out = std::any_of(kReachingOut.begin(), kReachingOut.end(),
                                         [&](std::string_view beginning) { return name.starts_with(beginning); });
    return reaches_out ? std::optional<std::string>(
                             "makes the compiler load, run, read or write something else: "
                             "leave it out")
                       : std::nullopt;
  }
  return "is not among the flags that a candidate may use: -O…, -m…, -f… (optimisation), -std=…, -D…, -U…, -W…, and -I "
         "inside its own sources";
}

base::Result<void> check_flags(const std::vector<std::string>& flags, task::Language language) {
  for (const std::string& flag : flags) {
    const std::optional<std::string> fault =
        language == task::Language::cuda ? cuda_flag_fault(flag) : flag_fault(flag);
    if (fault) {
      return base::input_error("build.flag", fmt::format("the compile flag '{}' {}", base::printable(flag), *fault));
    }
  }
  return {};
}

std::optional<std::string> source_argument_fault(std::string_view path) {
  if (path.starts_with('-') || path.starts_with('@')) {
    return "starts with '-' or '@', which a compiler takes for an option: rename it";
  }
  return std::nullopt;
}

}  // namespace assay::build
