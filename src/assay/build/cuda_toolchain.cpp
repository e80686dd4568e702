#include <assay/build/cuda_toolchain.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include <assay/base/text.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr const char* kUsualNvcc = "/usr/local/cuda/bin/nvcc";
constexpr const char* kNvccRemedy = "install the CUDA toolkit, or set ASSAY_NVCC to its nvcc";
constexpr const char* kNvrtcRemedy = "install the CUDA toolkit's NVRTC, or set ASSAY_NVRTC to libnvrtc.so";

// cicc on a large template library takes some gigabytes; nvcc runs a chain of shells and programs.
constexpr std::uint64_t kCudaMemory = std::uint64_t{8} << 30U;
constexpr std::uint64_t kCudaProcesses = 256;

constexpr const char* kTrial = "extern \"C\" __global__ void assay_trial(float* x) { x[threadIdx.x] = 1.0f; }\n";

bool is_architecture(std::string_view text) {
  if (!text.starts_with("sm_")) {
    return false;
  }
  text.remove_prefix(3);
  if (text.ends_with('a') || text.ends_with('f')) {
    text.remove_suffix(1);
  }
  return (text.size() == 2 || text.size() == 3) && std::all_of(text.begin(), text.end(), base::is_digit);
}

base::Result<os::Path> nvcc_path() {
  if (const char* chosen = std::getenv("ASSAY_NVCC"); chosen != nullptr && *chosen != '\0') {
    const std::optional<os::Path> path = os::find_program(chosen);
    return path ? base::Result<os::Path>(*path)
                : base::environment_error(
                      "build.nvcc",
                      fmt::format("ASSAY_NVCC is '{}', which is not a program: correct or unset it", chosen));
  }
  for (const char* name : {"nvcc", kUsualNvcc}) {
    if (const std::optional<os::Path> path = os::find_program(name)) {
      return *path;
    }
  }
  return base::environment_error(
      "build.nvcc",
      fmt::format("CUDA candidates need nvcc, which is neither on PATH nor at {}: {}", kUsualNvcc, kNvccRemedy));
}

// nvcc finds the rest of its tree from where it lies itself, and the sandbox shows that tree alone: links are followed,
// unless they lead to a wrapper of another name, which goes by the name it is called.
os::Path resolved(const os::Path& path) {
  std::error_code error;
  const os::Path real = std::filesystem::canonical(path, error);
  return !error && real.filename() == path.filename() ? real : path;
}

void add_new_binds(std::vector<os::SandboxBind>& binds, const os::Path& program) {
  for (os::SandboxBind& bind : os::toolchain_binds(program)) {
    const bool is_known = std::any_of(binds.begin(), binds.end(),
                                      [&](const os::SandboxBind& known) { return known.inside == bind.inside; });
    if (!is_known) {
      binds.push_back(std::move(bind));
    }
  }
}

bool is_shown(const std::vector<os::SandboxBind>& binds, const os::Path& path) {
  return std::any_of(binds.begin(), binds.end(), [&](const os::SandboxBind& bind) {
    return std::mismatch(bind.inside.begin(), bind.inside.end(), path.begin(), path.end()).first == bind.inside.end();
  });
}

// The lines that tell one release from another: "Cuda compilation tools, release 13.0, V13.0.88" and "Build cuda_…".
std::string release_of(const std::string& output) {
  std::vector<std::string> lines;
  for (const std::string& line : base::split(output, '\n')) {
    if (line.starts_with("Cuda compilation tools") || line.starts_with("Build ")) {
      lines.emplace_back(base::trim(line));
    }
  }
  return base::join(lines, ", ");
}

std::string number_of(const std::string& release) {
  const std::size_t start = release.find(", V");
  return start == std::string::npos ? "" : release.substr(start + 3, release.find(',', start + 3) - start - 3);
}

Toolchain cuda_toolchain(const std::string& architecture, ObjectForm form) {
  Toolchain toolchain;
  toolchain.language = task::Language::cuda;
  toolchain.form = form;
  toolchain.architecture = architecture;
  toolchain.memory_bytes = kCudaMemory;
  toolchain.processes = kCudaProcesses;
  toolchain.trial = kTrial;
  return toolchain;
}

}  // namespace

std::vector<std::string> nvcc_flags(const std::string& architecture, ObjectForm form) {
  std::vector<std::string> flags = {
      fmt::format("-gencode=arch=compute_{0},code=sm_{0}", architecture.substr(std::string_view("sm_").size())),
      "-std=c++20", "-O3", "-Xptxas=-v"};
  if (form == ObjectForm::cubin) {
    flags.emplace_back("-cubin");
  } else {
    flags.insert(flags.end(), {"-Xcompiler=-fPIC,-fvisibility=hidden", "-shared", "-cudart=static"});
  }
  return flags;
}

base::Result<Toolchain> find_nvcc(const std::string& architecture, ObjectForm form) {
  ASSAY_CHECK(is_architecture(architecture));
  ASSAY_TRY_ASSIGN(const os::Path found, nvcc_path());
  ASSAY_TRY_ASSIGN(const Toolchain host, find_toolchain());
  Toolchain toolchain = cuda_toolchain(architecture, form);
  toolchain.compiler = resolved(found);
  ASSAY_TRY_ASSIGN(const std::string said, ask_compiler(toolchain.compiler, "--version", kNvccRemedy));
  const std::string release = release_of(said);
  if (number_of(release).empty()) {
    return base::environment_error("build.nvcc", fmt::format("{} --version does not say which release it is: {}",
                                                             toolchain.compiler.string(), kNvccRemedy));
  }
  toolchain.name = fmt::format("nvcc {}", number_of(release));
  toolchain.version = fmt::format("{}; host {}", release, host.version);
  toolchain.flags = nvcc_flags(architecture, form);
  toolchain.keeps_code = true;
  toolchain.locations = {"-ccbin", host.compiler.string()};
  add_new_binds(toolchain.binds, toolchain.compiler);
  add_new_binds(toolchain.binds, host.compiler);
  return toolchain;
}

base::Result<Toolchain> find_nvrtc(const os::Path& program, const std::string& architecture) {
  ASSAY_CHECK(is_architecture(architecture));
  Toolchain toolchain = cuda_toolchain(architecture, ObjectForm::cubin);
  toolchain.compiler = program;
  const char* chosen = std::getenv("ASSAY_NVRTC");
  const std::string wanted = chosen != nullptr && *chosen != '\0' ? fmt::format("--describe={}", chosen) : "--describe";
  ASSAY_TRY_ASSIGN(const std::string said, ask_compiler(program, wanted, kNvrtcRemedy));
  const std::vector<std::string> lines = base::split(said, '\n');
  std::error_code error;
  const os::Path library = lines.size() < 2 ? os::Path() : std::filesystem::canonical(lines[1], error);
  const std::uintmax_t size = error || library.empty() ? 0 : std::filesystem::file_size(library, error);
  if (size == 0 || error) {
    return base::environment_error(
        "build.nvrtc", fmt::format("{} does not say which libnvrtc it opened: {}", program.string(), kNvrtcRemedy));
  }
  toolchain.name = lines[0];
  // NVRTC tells its major and minor number only; the file's name and size tell patches apart.
  toolchain.version = fmt::format("{} ({}, {} bytes)", lines[0], library.filename().string(), size);
  toolchain.flags = {fmt::format("-arch={}", architecture), "-std=c++20", "--ptxas-options=-v"};
  toolchain.locations = {fmt::format("--library={}", library.string())};
  const os::Path tree = library.parent_path().parent_path();
  for (const os::Path& include : {tree / "include", tree / "include" / "cccl"}) {
    if (std::filesystem::is_directory(include, error)) {
      toolchain.locations.insert(toolchain.locations.end(), {"-I", include.string()});
    }
  }
  add_new_binds(toolchain.binds, library);
  if (const os::Path include = tree / "include";
      std::filesystem::is_directory(include, error) && !is_shown(toolchain.binds, include)) {
    toolchain.binds.push_back({include, include, os::SandboxBind::Use::read});
  }
  if (!is_shown(toolchain.binds, program)) {
    toolchain.binds.push_back({program, program, os::SandboxBind::Use::execute});
  }
  return toolchain;
}

}  // namespace assay::build
