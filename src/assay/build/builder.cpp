#include <assay/build/builder.hpp>

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <assay/base/text.hpp>
#include <assay/build/cache_entry.hpp>
#include <assay/build/flags.hpp>
#include <assay/os/process.hpp>

namespace assay::build {

namespace {

constexpr std::size_t kLogLimit = std::size_t{1} << 20U;
constexpr std::uint64_t kObjectLimit = std::uint64_t{256} << 20U;
constexpr std::uint64_t kCompilerMemory = std::uint64_t{4} << 30U;

enum class SourceKind : std::uint8_t { c, cxx, header };

base::Result<SourceKind> kind_of(const std::string& path) {
  if (const std::optional<std::string> fault = source_argument_fault(path)) {
    return base::input_error("build.source", fmt::format("{}: {}", path, *fault));
  }
  const std::string extension = os::Path(path).extension().string();
  if (extension == ".c") {
    return SourceKind::c;
  }
  if (extension == ".cpp" || extension == ".cc" || extension == ".cxx") {
    return SourceKind::cxx;
  }
  if (extension == ".h" || extension == ".hpp" || extension == ".inc") {
    return SourceKind::header;
  }
  return base::input_error("build.source",
                           fmt::format("{}: a source of a C++ solution ends in .c .cpp .cc .cxx .h .hpp "
                                       "or .inc",
                                       path));
}

std::vector<std::string> parameter_flags(const task::Solution& solution) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : solution.parameters) {
    flags.push_back(fmt::format("-D{}={}", name, value));
  }
  std::sort(flags.begin(), flags.end());
  return flags;
}

// Where things lie inside the sandbox: names that say nothing of this machine.
constexpr const char* kSourceInside = "/source";
constexpr const char* kIncludeInside = "/include";
constexpr const char* kOutInside = "/out";
constexpr const char* kTemporaryInside = "/tmp";

os::SandboxOptions sandbox_for(const Toolchain& toolchain, const os::Path& folder) {
  os::SandboxOptions sandbox;
  sandbox.purpose = os::SandboxPurpose::compiler;
  sandbox.binds = os::toolchain_binds(toolchain.compiler);
  sandbox.binds.push_back({folder / "source", kSourceInside, os::SandboxBind::Use::read});
  sandbox.binds.push_back({folder / "include", kIncludeInside, os::SandboxBind::Use::read});
  sandbox.folders = {{folder / "out", kOutInside, kObjectLimit}, {folder / "tmp", kTemporaryInside, 2 * kObjectLimit}};
  sandbox.memory_bytes = kCompilerMemory;
  sandbox.processes = 64;
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

// The command without the compiler's path and the include folder, which differ between machines.
base::Result<std::vector<std::string>> arguments(const task::Solution& solution) {
  std::vector<std::string> list = host_flags();
  for (std::string& flag : parameter_flags(solution)) {
    list.push_back(std::move(flag));
  }
  ASSAY_TRY(check_flags(list));
  for (const task::SourceFile& source : solution.sources) {
    ASSAY_TRY_ASSIGN(const SourceKind kind, kind_of(source.path));
    if (kind == SourceKind::header) {
      continue;
    }
    list.insert(list.end(), {"-x", kind == SourceKind::c ? "c" : "c++", source.path});
  }
  return list;
}

}  // namespace

std::string exported_symbol(const task::Solution& solution) { return "assay_kernel_" + solution.entry_symbol(); }

Builder::Builder(os::Path cache, os::Path include, Toolchain toolchain, std::string machine)
    : cache_(std::move(cache)),
      include_(std::move(include)),
      toolchain_(std::move(toolchain)),
      machine_(std::move(machine)) {}

base::Result<base::Digest> Builder::key(const task::Solution& solution) const {
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(solution));
  base::Sha256 hash;
  hash.update_framed("assay build 2");
  hash.update_framed(task::identify(solution).content.hex());
  hash.update_framed(toolchain_.version);
  hash.update_framed(machine_);
  for (const std::string& argument : list) {
    hash.update_framed(argument);
  }
  for (const char* header : {"assay/candidate.h", "dlpack/dlpack.h"}) {
    ASSAY_TRY_ASSIGN(const std::string content, os::read_file(include_ / header));
    hash.update_framed(content);
  }
  return hash.finish();
}

base::Result<BuildResult> Builder::build(const task::Solution& solution, std::chrono::milliseconds limit) const {
  if (solution.spec.language != task::Language::cpp) {
    return base::input_error("build.language", fmt::format("solution '{}' is in {}: the device 'cpu' takes C and C++ "
                                                           "(/spec/language \"cpp\")",
                                                           solution.name, task::to_string(solution.spec.language)));
  }
  ASSAY_TRY_ASSIGN(const base::Digest name, key(solution));
  const os::Path folder = cache_ / "builds" / name.hex();
  if (std::optional<BuildResult> cached = load_entry(folder)) {
    return std::move(*cached);
  }
  ASSAY_TRY_ASSIGN(BuildResult result, compile(solution, limit));
  if (!result.timed_out) {
    ASSAY_TRY(store_entry(folder, result));
  }
  return result;
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
  ASSAY_TRY_ASSIGN(const std::vector<std::string> list, arguments(solution));
  const os::Fd object(memfd_create("object", MFD_CLOEXEC));
  if (!object.valid()) {
    return base::system_error("build.object", "cannot create a memory file for the object", errno);
  }
  const os::Path output = os::seen_path(folder.path() / "out", kOutInside) / "object.so";
  os::ProcessOptions options;
  // What the compiler leaves is in a folder that vanishes with its sandbox; the shell hands it out. The compiler itself
  // does not get that descriptor.
  options.argv = {"/bin/sh", "-c", "out=$1; shift; \"$@\" 3>&- && exec cat \"$out\" >&3", "sh", output.string()};
  options.argv.push_back(toolchain_.compiler.string());
  const os::Path include = os::seen_path(folder.path() / "include", kIncludeInside);
  options.argv.insert(options.argv.end(), {"-I", include.string(), "-I", ".", "-o", output.string()});
  options.argv.insert(options.argv.end(), list.begin(), list.end());
  options.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"LC_ALL", "C"},
                         {"TMPDIR", os::seen_path(folder.path() / "tmp", kTemporaryInside).string()}};
  options.working_directory = os::seen_path(folder.path() / "source", kSourceInside);
  options.descriptors = {{object.get(), 3}};
  options.limits.address_space_bytes = kCompilerMemory;
  options.limits.file_size_bytes = kObjectLimit;
  options.sandbox = sandbox_for(toolchain_, folder.path());
  ASSAY_TRY_ASSIGN(const os::CommandResult command, os::run_command(options, limit, kLogLimit));

  result.record.toolchain = toolchain_.name;
  result.record.command = {toolchain_.compiler.filename().string()};
  result.record.command.insert(result.record.command.end(), list.begin(), list.end());
  result.record.seconds = std::chrono::duration<double>(command.wall).count();
  result.log = base::printable(command.output);
  result.timed_out = command.timed_out;
  if (command.timed_out) {
    result.log += fmt::format("\nassay: the build was stopped after {}\n", base::human(limit));
    return result;
  }
  if (!command.status.success()) {
    if (command.out_of_memory) {
      result.log += fmt::format("\nassay: the compiler needed more than {}\n", base::human_bytes(kCompilerMemory));
    }
    if (command.status.signalled) {
      result.log += fmt::format("\nassay: the compiler was {}\n", command.status.text());
    }
    return result;
  }
  ASSAY_TRY_ASSIGN(result.object, read_object(object));
  result.record.built = true;
  result.record.object_sha256 = base::sha256(result.object).hex();
  return result;
}

}  // namespace assay::build
