#include <assay/build/nvrtc_program.hpp>

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include <assay/os/file.hpp>

namespace assay::build {

namespace {

constexpr int kNoSuccess = 1;
constexpr int kNoCompiler = 2;

// NVRTC's C interface, as its documentation declares it; 0 is success. We are not built against its header.
using NvrtcProgram = struct NvrtcProgramOfTheLibrary*;

struct Nvrtc {
  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*create)(NvrtcProgram* program, const char* source, const char* name, int header_count,
                const char* const* headers, const char* const* header_names) = nullptr;
  int (*compile)(NvrtcProgram program, int option_count, const char* const* options) = nullptr;
  int (*log_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*log)(NvrtcProgram program, char* log) = nullptr;
  int (*cubin_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*cubin)(NvrtcProgram program, char* cubin) = nullptr;
  std::string path;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  void* const address = dlsym(library, name);
  static_assert(sizeof(function) == sizeof(address));
  function = reinterpret_cast<Function>(address);
  return address != nullptr;
}

// Stays open until the end.
std::optional<Nvrtc> open_nvrtc(const std::string& chosen) {
  std::vector<std::string> names = {chosen};
  if (chosen.empty()) {
    names = {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
             "/usr/local/cuda/lib64/libnvrtc.so.12"};
  }
  for (const std::string& name : names) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fmt::print(stderr, "assay-nvrtc: {}\n", dlerror());
      continue;
    }
    Nvrtc nvrtc;
    Dl_info facts{};
    if (find(library, "nvrtcVersion", nvrtc.version) && find(library, "nvrtcGetErrorString", nvrtc.error_string) &&
        find(library, "nvrtcCreateProgram", nvrtc.create) && find(library, "nvrtcCompileProgram", nvrtc.compile) &&
        find(library, "nvrtcGetProgramLogSize", nvrtc.log_size) && find(library, "nvrtcGetProgramLog", nvrtc.log) &&
        find(library, "nvrtcGetCUBINSize", nvrtc.cubin_size) && find(library, "nvrtcGetCUBIN", nvrtc.cubin) &&
        dladdr(reinterpret_cast<void*>(nvrtc.version), &facts) != 0) {
      nvrtc.path = facts.dli_fname;
      return nvrtc;
    }
    fmt::print(stderr, "assay-nvrtc: {} lacks what this program calls: it needs CUDA 12 or 13\n", name);
  }
  return std::nullopt;
}

struct Work {
  std::string source;
  std::string output;
  std::string library;
  std::vector<std::string> options;
};

std::optional<Work> understand(std::span<const std::string> words) {
  constexpr std::string_view kLibrary = "--library=";
  Work work;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if ((word == "-o" || word == "-I") && i + 1 < words.size()) {
      ++i;
      word == "-o" ? work.output = words[i] : work.options.emplace_back("-I" + words[i]);
    } else if (word.starts_with(kLibrary)) {
      work.library = word.substr(kLibrary.size());
    } else if (word.starts_with('-')) {
      work.options.push_back(word);
    } else if (work.source.empty()) {
      work.source = word;
    } else {
      return std::nullopt;
    }
  }
  return work.source.empty() || work.output.empty() ? std::nullopt : std::optional(work);
}

void print_log(const Nvrtc& nvrtc, NvrtcProgram program) {
  std::size_t size = 0;  // With the final zero.
  if (nvrtc.log_size(program, &size) != 0 || size <= 1) {
    return;
  }
  std::string log(size, '\0');
  if (nvrtc.log(program, log.data()) == 0) {
    log.resize(size - 1);
    fmt::print(stderr, "{}{}", log, log.ends_with('\n') ? "" : "\n");
  }
}

int compile(const Nvrtc& nvrtc, const Work& work) {
  const auto failed = [&](int result, const char* what) {
    if (result != 0) {
      fmt::print(stderr, "assay-nvrtc: {}: {}\n", what, nvrtc.error_string(result));
    }
    return result != 0;
  };
  const base::Result<std::string> source = os::read_file(work.source);
  if (!source) {
    fmt::print(stderr, "assay-nvrtc: {}\n", source.error().text());
    return kNoSuccess;
  }
  NvrtcProgram program = nullptr;
  if (failed(nvrtc.create(&program, source->c_str(), work.source.c_str(), 0, nullptr, nullptr), "cannot begin")) {
    return kNoSuccess;
  }
  std::vector<const char*> options;
  for (const std::string& option : work.options) {
    options.push_back(option.c_str());
  }
  const int result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  print_log(nvrtc, program);
  std::size_t size = 0;
  if (failed(result, "the source does not compile") || failed(nvrtc.cubin_size(program, &size), "no cubin")) {
    return kNoSuccess;
  }
  std::string cubin(size, '\0');
  if (failed(nvrtc.cubin(program, cubin.data()), "no cubin")) {
    return kNoSuccess;
  }
  if (const base::Result<void> written = os::write_file_atomic(work.output, cubin); !written) {
    fmt::print(stderr, "assay-nvrtc: {}\n", written.error().text());
    return kNoSuccess;
  }
  return 0;
}

int describe(const std::string& library) {
  const std::optional<Nvrtc> nvrtc = open_nvrtc(library);
  int major = 0;
  int minor = 0;
  if (!nvrtc || nvrtc->version(&major, &minor) != 0) {
    return kNoCompiler;
  }
  fmt::print("NVRTC {}.{}\n{}\n", major, minor, nvrtc->path);
  return 0;
}

}  // namespace

int run_nvrtc(std::span<const std::string> words) {
  constexpr std::string_view kDescribe = "--describe";
  if (words.size() == 1 && words[0].starts_with(kDescribe)) {
    const std::string_view rest = std::string_view(words[0]).substr(kDescribe.size());
    return describe(std::string(rest.starts_with('=') ? rest.substr(1) : ""));
  }
  const std::optional<Work> work = understand(words);
  if (!work) {
    fmt::print(stderr, "assay-nvrtc: give one source and -o FILE, or --describe\n");
    return kNoCompiler;
  }
  const std::optional<Nvrtc> nvrtc = open_nvrtc(work->library);
  return nvrtc ? compile(*nvrtc, *work) : kNoCompiler;
}

}  // namespace assay::build
