#include <assay/build/builder.hpp>

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <assay/base/text.hpp>
#include <assay/build/arguments.hpp>
#include <assay/build/cache_entry.hpp>
#include <assay/build/code_digest.hpp>
#include <assay/build/diagnostics.hpp>
#include <assay/build/kernel_names.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr std::size_t kLogLimit = std::size_t{1} << 20U;
constexpr std::uint64_t kObjectLimit = std::uint64_t{256} << 20U;
constexpr std::chrono::seconds kTrialLimit{60};

// Where things lie inside the sandbox: names that say nothing of this machine.
constexpr const char* kSourceInside = "/source";
constexpr const char* kIncludeInside = "/include";
constexpr const char* kTvmFfiInside = "/tvm-ffi/tvm";
constexpr const char* kOutInside = "/out";
constexpr const char* kTemporaryInside = "/tmp";

os::SandboxOptions sandbox_for(const Toolchain& toolchain, const os::Path& folder) {
  os::SandboxOptions sandbox;
  sandbox.purpose = os::SandboxPurpose::compiler;
  sandbox.binds = toolchain.binds;
  sandbox.binds.push_back({folder / "source", kSourceInside, os::SandboxBind::Use::read});
  sandbox.binds.push_back({folder / "include", kIncludeInside, os::SandboxBind::Use::read});
  sandbox.folders = {{folder / "out", kOutInside, kObjectLimit}, {folder / "tmp", kTemporaryInside, 2 * kObjectLimit}};
  sandbox.memory_bytes = toolchain.memory_bytes;
  sandbox.processes = toolchain.processes;
  sandbox.cpus = 1;  // Compilers are single-threaded; and no quota shows in any timing here.
  return sandbox;
}

// The user "nobody" must be able to read what the compiler is given: that is who it runs as if we are root.
base::Result<void> write_readable(const os::Path& path, std::string_view content) {
  using std::filesystem::perms;
  ASSAY_TRY(os::create_directories(path.parent_path()));
  ASSAY_TRY(os::write_file_atomic(path, content));
  std::error_code error;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read,
                               error);
  return error ? base::Result<void>(base::system_error("build.source", path.string(), error.value()))
               : base::Result<void>();
}

base::Result<void> make_folders_readable(const os::Path& folder) {
  using std::filesystem::perms;
  constexpr perms kOpen =
      perms::owner_all | perms::group_read | perms::group_exec | perms::others_read | perms::others_exec;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error)) {
      std::filesystem::permissions(entry->path(), kOpen, error);
    }
  }
  return error ? base::Result<void>(base::system_error("build.source", folder.string(), error.value()))
               : base::Result<void>();
}

// What the compiler leaves is in folders that vanish with its sandbox; the shell hands it out. The compiler itself does
// not get those descriptors. Its status is the shell's.
constexpr const char* kHandOut =
    "out=$1; kept=$2; shift 2; \"$@\" 3>&- 4>&- 5>&- || exit; "
    "if [ -n \"$kept\" ]; then cat \"$kept.ptx\" >&4 2>/dev/null; cat \"$kept.cubin\" >&5 2>/dev/null; fi; "
    "exec cat \"$out\" >&3";

base::Result<os::Fd> memory_file(const char* name) {
  os::Fd file(memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) {
    return base::system_error("build.object", "cannot create a memory file for the object", errno);
  }
  return file;
}

// The one source of a command, or none: of several nvcc would keep files that overwrite each other.
std::optional<std::string> single_source(const std::vector<std::string>& arguments) {
  std::optional<std::string> found;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('-')) {
      if (found) {
        return std::nullopt;
      }
      found = argument;
    }
  }
  return found;
}

base::Result<std::string> read_object(const os::Fd& fd) {
  struct stat facts{};
  if (fstat(fd.get(), &facts) != 0) {
    return base::system_error("build.object", "cannot examine the object", errno);
  }
  std::string object(static_cast<std::size_t>(facts.st_size), '\0');
  if (pread(fd.get(), object.data(), object.size(), 0) != static_cast<ssize_t>(object.size())) {
    return base::system_error("build.object", "cannot read the object", errno);
  }
  return object;
}

// Where there is no private root the compiler saw the folder's real name.
std::string without_folder(std::string log, const os::Path& folder) {
  const std::string name = folder.string();
  for (std::size_t at = log.find(name); at != std::string::npos; at = log.find(name, at)) {
    log.erase(at, name.size());
  }
  return log;
}

std::string first_error(const std::string& log) {
  const Diagnostics found = parse_diagnostics(log);
  for (const Diagnostic& message : found.messages) {
    if (message.severity == Severity::error) {
      return message.message;
    }
  }
  return "it said nothing of an error";
}

}  // namespace

Builder::Builder(os::Path cache, os::Path include, Toolchain toolchain, std::string machine)
    : cache_(std::move(cache)),
      include_(std::move(include)),
      toolchain_(std::move(toolchain)),
      machine_(std::move(machine)) {}

base::Result<base::Digest> Builder::key(const task::Solution& solution) const {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(toolchain_, solution));
  base::Sha256 hash;
  hash.update_framed("assay build 4");
  hash.update_framed(task::identify(solution).content.hex());
  hash.update_framed(toolchain_.version);
  hash.update_framed(task::to_string(toolchain_.language));
  hash.update_framed(toolchain_.form == ObjectForm::cubin ? "cubin" : "shared object");
  hash.update_framed(machine_);
  for (const std::string& argument : list) {
    hash.update_framed(argument);
  }
  for (const char* header : {"assay/candidate.h", "dlpack/dlpack.h"}) {
    ASSAY_TRY_ASSIGN(const std::string content, os::read_file(include_ / header));
    hash.update_framed(content);
  }
  if (may_use_tvm_ffi(solution)) {
    ASSAY_TRY_ASSIGN(const std::string headers, tvm_ffi_header_texts(include_));
    hash.update_framed(headers);
  }
  return hash.finish();
}

base::Result<BuildResult> Builder::build(const task::Solution& solution, std::chrono::milliseconds limit) const {
  if (solution.spec.language != toolchain_.language) {
    const bool is_host = toolchain_.language == task::Language::cpp;
    return base::input_error(
        "build.language",
        fmt::format("solution '{}' is in {}: {}", solution.name, task::to_string(solution.spec.language),
                    is_host ? "the device 'cpu' takes C and C++ (/spec/language \"cpp\")"
                            : "a CUDA device takes CUDA C++ (/spec/language \"cuda\")"));
  }
  ASSAY_TRY(check_binding(solution));
  ASSAY_TRY_ASSIGN(const base::Digest name, key(solution));
  const os::Path folder = cache_ / "builds" / name.hex();
  if (std::optional<BuildResult> cached = load_entry(folder)) {
    return std::move(*cached);
  }
  ASSAY_TRY_ASSIGN(BuildResult result, compile(solution, limit));
  if (!result.record.built && !result.timed_out) {
    ASSAY_TRY(check_toolchain());
  }
  if (toolchain_.language == task::Language::cuda) {
    result.record.kernels = parse_diagnostics(result.log).kernels;
    ASSAY_TRY(name_kernels(result.record.kernels, toolchain_));
  }
  if (!result.timed_out) {
    ASSAY_TRY(store_entry(folder, result));
  }
  return result;
}

base::Result<void> Builder::check_toolchain() const {
  if (toolchain_.trial.empty()) {
    return {};
  }
  task::Solution trial;
  trial.name = "trial of the toolchain";
  trial.spec.language = toolchain_.language;
  trial.spec.entry_point = "trial.cu::assay_trial";
  trial.sources = {{"trial.cu", toolchain_.trial}};
  ASSAY_TRY_ASSIGN(const base::Digest name, key(trial));
  const os::Path folder = cache_ / "builds" / name.hex();
  if (load_entry(folder)) {
    return {};
  }
  ASSAY_TRY_ASSIGN(const BuildResult result, compile(trial, kTrialLimit));
  if (result.record.built) {
    return store_entry(folder, result);
  }
  // Not kept: what is wrong with the machine may be mended without a trace in the key.
  return base::environment_error(
      "build.toolchain",
      fmt::format("{} does not build even an empty kernel for {} here: check that it suits the C++ compiler and the "
                  "device, or set ASSAY_NVCC and ASSAY_CXX to a pair that does; it was called as {}, and {}",
                  toolchain_.name, toolchain_.architecture, toolchain_.compiler.string(),
                  result.timed_out ? "did not end" : "said: " + first_error(result.log)));
}

base::Result<void> Builder::write_inputs(const task::Solution& solution, const os::Path& folder) const {
  for (const char* part : {"source", "include", "out", "tmp"}) {
    ASSAY_TRY(os::create_directories(folder / part));
  }
  for (const task::SourceFile& source : solution.sources) {
    ASSAY_TRY(write_readable(folder / "source" / source.path, source.content));
  }
  for (const char* header : {"assay/candidate.h", "dlpack/dlpack.h"}) {
    ASSAY_TRY_ASSIGN(const std::string content, os::read_file(include_ / header));
    ASSAY_TRY(write_readable(folder / "include" / header, content));
  }
  return make_folders_readable(folder);
}

base::Result<BuildResult> Builder::compile(const task::Solution& solution, std::chrono::milliseconds limit) const {
  ASSAY_TRY(os::create_directories(cache_));
  ASSAY_TRY_ASSIGN(const os::TemporaryDirectory folder, os::TemporaryDirectory::create(cache_, "compile-"));
  ASSAY_TRY(write_inputs(solution, folder.path()));

  BuildResult result;
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(toolchain_, solution));
  ASSAY_TRY_ASSIGN(const os::Fd object, memory_file("object"));
  ASSAY_TRY_ASSIGN(const os::Fd ptx, memory_file("ptx"));
  ASSAY_TRY_ASSIGN(const os::Fd cubin, memory_file("cubin"));
  const os::Path output = os::seen_path(folder.path() / "out", kOutInside) / "object.so";
  os::ProcessOptions options;
  const os::Path temporary = os::seen_path(folder.path() / "tmp", kTemporaryInside);
  const std::optional<std::string> kept = toolchain_.keeps_code ? single_source(list) : std::nullopt;
  options.argv = {"/bin/sh", "-c", kHandOut, "sh", output.string()};
  options.argv.push_back(kept ? (temporary / os::Path(*kept).stem()).string() : "");
  options.argv.push_back(toolchain_.compiler.string());
  const os::Path include = os::seen_path(folder.path() / "include", kIncludeInside);
  options.argv.insert(options.argv.end(), {"-I", include.string(), "-I", ".", "-o", output.string()});
  const os::Path headers = tvm_ffi_headers(include_);
  if (may_use_tvm_ffi(solution)) {
    options.argv.insert(options.argv.end(), {"-I", os::seen_path(headers, kTvmFfiInside).parent_path().string()});
  }
  options.argv.insert(options.argv.end(), toolchain_.locations.begin(), toolchain_.locations.end());
  if (kept) {
    options.argv.insert(options.argv.end(), {"--keep", "--keep-dir", temporary.string()});
  }
  options.argv.insert(options.argv.end(), list.begin(), list.end());
  options.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}, {"TMPDIR", temporary.string()}};
  options.working_directory = os::seen_path(folder.path() / "source", kSourceInside);
  options.descriptors = {{object.get(), 3}, {ptx.get(), 4}, {cubin.get(), 5}};
  options.limits.address_space_bytes = toolchain_.memory_bytes;
  options.limits.file_size_bytes = kObjectLimit;
  options.sandbox = sandbox_for(toolchain_, folder.path());
  if (may_use_tvm_ffi(solution)) {
    options.sandbox->binds.push_back({headers, kTvmFfiInside, os::SandboxBind::Use::read});
  }
  ASSAY_TRY_ASSIGN(const os::CommandResult command, os::run_command(options, limit, kLogLimit));

  result.record.toolchain = toolchain_.name;
  result.record.command = {toolchain_.compiler.filename().string()};
  result.record.command.insert(result.record.command.end(), list.begin(), list.end());
  result.record.seconds = std::chrono::duration<double>(command.wall).count();
  result.log = base::printable(without_folder(command.output, folder.path()));
  if (command.output_truncated) {
    result.record.log_bytes_cut = command.written - command.output.size();
    result.log += fmt::format("\nassay: the log is cut here: {} of {} that the compiler wrote are left out\n",
                              base::human_bytes(result.record.log_bytes_cut), base::human_bytes(command.written));
  }
  result.timed_out = command.timed_out;
  if (command.timed_out) {
    result.log += fmt::format("\nassay: the build was stopped after {}\n", base::human(limit));
    return result;
  }
  if (!command.status.success()) {
    if (command.out_of_memory) {
      result.log +=
          fmt::format("\nassay: the compiler needed more than {}\n", base::human_bytes(toolchain_.memory_bytes));
    }
    if (command.status.signalled) {
      result.log += fmt::format("\nassay: the compiler was {}\n", command.status.text());
    }
    return result;
  }
  ASSAY_TRY_ASSIGN(result.object, read_object(object));
  result.record.built = true;
  result.record.object_sha256 = base::sha256(result.object).hex();
  KeptCode code;
  ASSAY_TRY_ASSIGN(code.ptx, read_object(ptx));
  ASSAY_TRY_ASSIGN(code.cubin, read_object(cubin));
  result.record.code = name_code(solution, toolchain_, result.object, code);
  return result;
}

}  // namespace assay::build
